// Answers of Vertex in the shapes that are published, Firebase's mock responses, the AI SDK's recordings and reports of users, with our own
// words in them; and what each becomes. Those of the Gemini API stand beside: ../gemini/corpus.ts.
import { aiSdk, content, details, failure, firebase } from "../gemini/corpus-row.ts";

const github = (path: string) => `https://github.com/${path}`;

export interface VertexRow {
  name: string;
  source: string;
  publisher: "google" | "anthropic";
  /** A whole answer, or a stream's records; for Anthropic's models each has its event's name as `type`. */
  answer?: object;
  records?: object[];
  status?: number;
  told?: { text: string | null; finish: string };
  /** Tokens: input, cache read, cache write, output; null: not reported. */
  usage?: [number, number, number, number] | null;
  fault?: string;
  retryAfterMs?: number;
}

const model = { modelVersion: "gemini-2.5-flash", createTime: "2026-01-01T09:00:00.123456Z", responseId: "D36oasj5EKXK_uMPsvKGwQk" };
const onDemand = { trafficType: "ON_DEMAND" };
const usage = (prompt: number, output: number, more: object = {}) => ({
  usageMetadata: { promptTokenCount: prompt, candidatesTokenCount: output, totalTokenCount: prompt + output, ...onDemand, ...more },
});
const claude = { id: "msg_vrtx_01AbCd", type: "message", role: "assistant", model: "claude-sonnet-4-5-20250929" };
const told = (text: string) => ({ type: "text", text });
const missing =
  "Publisher Model `projects/p/locations/us-central1/publishers/google/models/gemini-9` was not found or your project does not have access to it. Please ensure you are using a valid model version.";
const quota =
  "Quota exceeded for aiplatform.googleapis.com/online_prediction_requests_per_base_model with base model: anthropic-claude-3-5-sonnet-v2. Please submit a quota increase request.";
const anthropics = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_vrtx_011CVV" });
const row = (name: string, publisher: VertexRow["publisher"], source: string) => ({ name, publisher, source });

export const rows: VertexRow[] = [
  {
    ...row("a text with its average of log probabilities, and how it was served", "google", github("vercel/ai/pull/10167")),
    answer: {
      candidates: [{ content: content({ text: "The tide is out." }), finishReason: "STOP", avgLogprobs: -0.31 }],
      ...usage(19, 5, { promptTokensDetails: details(19), candidatesTokensDetails: details(5) }),
      ...model,
    },
    told: { text: "The tide is out.", finish: "stop" },
    usage: [19, 0, 0, 5],
  },
  {
    ...row("thoughts that are counted and not shown", "google", github("vercel/ai/pull/10167")),
    answer: {
      candidates: [{ content: content({ text: "Yes." }), finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 19, candidatesTokenCount: 605, thoughtsTokenCount: 1193, totalTokenCount: 1817, ...onDemand },
      ...model,
    },
    told: { text: "Yes.", finish: "stop" },
    usage: [19, 0, 0, 1798],
  },
  {
    ...row("a cached prompt", "google", firebase("vertexai/unary-success-implicit-caching.json")),
    answer: {
      candidates: [{ content: content({ text: "Towards the sea." }), finishReason: "STOP", index: 0 }],
      ...usage(12_013, 15, { cachedContentTokenCount: 11_243, cacheTokensDetails: details(11_243) }),
      ...model,
    },
    told: { text: "Towards the sea.", finish: "stop" },
    usage: [770, 11_243, 0, 15],
  },
  {
    ...row("safety ratings beside a text", "google", firebase("vertexai/unary-success-basic-reply-short.json")),
    answer: {
      candidates: [
        {
          ...{ content: content({ text: "Bergen." }), finishReason: "STOP" },
          safetyRatings: [{ category: "HARM_CATEGORY_HARASSMENT", probability: "NEGLIGIBLE", probabilityScore: 0.1, severityScore: 0.2 }],
        },
      ],
      ...usage(7, 2),
    },
    told: { text: "Bergen.", finish: "stop" },
    usage: [7, 0, 0, 2],
  },
  {
    ...row("a stream whose last record alone says its usage", "google", github("langchain-ai/langchainjs/issues/11197")),
    records: [
      { candidates: [{ content: content({ text: "Low " }) }], usageMetadata: onDemand, ...model },
      { candidates: [{ content: content({ text: "tide." }), finishReason: "STOP" }], ...usage(9, 3), ...model },
    ],
    told: { text: "Low tide.", finish: "stop" },
    usage: [9, 0, 0, 3],
  },
  {
    ...row("a text that was stopped, whose tokens aren't counted", "google", firebase("vertexai/unary-failure-finish-reason-safety.json")),
    answer: {
      candidates: [{ content: content({ text: "Once" }), finishReason: "SAFETY", safetyRatings: [{ category: "HARM", blocked: true }] }],
      ...{ usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 }, modelVersion: "gemini-1.5-flash" },
    },
    told: { text: "Once", finish: "content_filter" },
    usage: null,
  },
  {
    ...row("a Claude's text, named by the cloud", "anthropic", github("anthropics/anthropic-sdk-python")),
    answer: {
      ...{ ...claude, content: [told("Hello there.")], stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 6 },
    },
    told: { text: "Hello there.", finish: "end_turn" },
    usage: [12, 0, 0, 6],
  },
  {
    ...row("a Claude's cached prompt", "anthropic", github("anthropics/anthropic-sdk-python/pull/1139")),
    answer: {
      ...{ ...claude, content: [told("Cached.")], stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 3, cache_creation_input_tokens: 200, cache_read_input_tokens: 1_800, output_tokens: 4 },
    },
    told: { text: "Cached.", finish: "end_turn" },
    usage: [3, 1_800, 200, 4],
  },
  {
    ...row("a Claude's stream with a ping", "anthropic", github("anthropics/anthropic-sdk-typescript")),
    records: [
      {
        type: "message_start",
        message: { ...claude, content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 12, output_tokens: 1 } },
      },
      { type: "ping" },
      { type: "content_block_start", index: 0, content_block: told("") },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: "message_stop" },
    ],
    told: { text: "Hello.", finish: "end_turn" },
    usage: [12, 0, 0, 5],
  },
  {
    ...row("a prompt that was blocked", "google", aiSdk("issue-19758-prompt-block.json")),
    answer: { promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "The prompt could not be submitted." }, ...model },
    fault: "refused",
  },
  {
    ...row("a model that is not served in the location", "google", github("genkit-ai/genkit/issues/4688")),
    status: 404,
    answer: [failure(404, "NOT_FOUND", missing)],
    fault: "gone",
  },
  {
    ...row("a Claude that the project was not given", "anthropic", github("mlflow/mlflow/issues/23092")),
    status: 404,
    answer: failure(404, "NOT_FOUND", missing),
    fault: "gone",
  },
  {
    ...row("a quota, in an array", "anthropic", github("cline/cline/issues/651")),
    status: 429,
    answer: [failure(429, "RESOURCE_EXHAUSTED", quota)],
    fault: "rate_limited",
  },
  {
    ...row("a quota", "anthropic", github("anthropics/claude-code/issues/1440")),
    status: 429,
    answer: failure(429, "RESOURCE_EXHAUSTED", quota),
    fault: "rate_limited",
  },
  {
    ...row("a project that may not use a model", "anthropic", github("yym68686/uni-api/issues/41")),
    status: 400,
    answer: [failure(400, "FAILED_PRECONDITION", "Project `1` is not allowed to use Publisher Model `projects/p/models/claude-3-sonnet`")],
    fault: "our_fault",
  },
  {
    ...row(
      "an API that the project has not switched on",
      "google",
      firebase("vertexai/unary-failure-firebasevertexai-api-not-enabled.json"),
    ),
    status: 403,
    answer: failure(403, "PERMISSION_DENIED", "Vertex AI API has not been used in project 1 before or it is disabled.", {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SERVICE_DISABLED", domain: "googleapis.com" }],
    }),
    fault: "our_fault",
  },
  {
    ...row("an account without the role", "google", github("googleapis/nodejs-vertexai")),
    status: 403,
    answer: failure(
      403,
      "PERMISSION_DENIED",
      "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/p'.",
    ),
    fault: "our_fault",
  },
  {
    ...row("a token that has ended", "google", github("googleapis/google-auth-library-nodejs")),
    status: 401,
    answer: failure(401, "UNAUTHENTICATED", "Request had invalid authentication credentials.", {
      details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "ACCESS_TOKEN_EXPIRED" }],
    }),
    fault: "our_fault",
  },
  {
    ...row("a request that a Claude refuses, in Anthropic's form", "anthropic", github("anthropics/claude-code/issues/12429")),
    status: 400,
    answer: anthropics("invalid_request_error", "max_tokens: 99999 > 64000, which is the maximum allowed number of output tokens"),
    fault: "rejected",
  },
  {
    ...row("a Claude that is overloaded", "anthropic", github("anthropics/anthropic-sdk-typescript")),
    status: 529,
    answer: anthropics("overloaded_error", "Overloaded"),
    fault: "unavailable",
  },
  {
    ...row("a request that Gemini refuses", "google", github("googleapis/python-genai")),
    status: 400,
    answer: failure(400, "INVALID_ARGUMENT", "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."),
    fault: "rejected",
  },
];
