// Answers of Vertex in the shapes that are published, and what each becomes.
import { content, details, firebase, genai, recorded } from "../gemini/corpus-row.ts";
import { github, model, onDemand, usage, claude, told, row, type VertexRow } from "./corpus-row.ts";

export const answers: VertexRow[] = [
  {
    ...row("a text with its average of log probabilities, and how it was served", "google", github("vercel/ai/pull/10167")),
    answer: {
      candidates: [{ content: content({ text: "The tide is out." }), finishReason: "STOP", avgLogprobs: -0.31 }],
      ...usage(19, 5, { promptTokensDetails: details(19), candidatesTokensDetails: details(5) }),
      ...model,
    },
    told: { content: "The tide is out.", finish: "stop" },
    usage: [19, 0, 0, 5],
  },
  {
    ...row("thoughts that are counted and not shown", "google", github("vercel/ai/pull/10167")),
    answer: {
      candidates: [{ content: content({ text: "Yes." }), finishReason: "STOP" }],
      usageMetadata: { promptTokenCount: 19, candidatesTokenCount: 605, thoughtsTokenCount: 1193, totalTokenCount: 1817, ...onDemand },
      ...model,
    },
    told: { content: "Yes.", finish: "stop" },
    usage: [19, 0, 0, 1798],
  },
  {
    ...row("a cached prompt", "google", firebase("vertexai/unary-success-implicit-caching.json")),
    answer: {
      candidates: [{ content: content({ text: "Towards the sea." }), finishReason: "STOP", index: 0 }],
      ...usage(12_013, 15, { cachedContentTokenCount: 11_243, cacheTokensDetails: details(11_243) }),
      ...model,
    },
    told: { content: "Towards the sea.", finish: "stop" },
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
    told: { content: "Bergen.", finish: "stop" },
    usage: [7, 0, 0, 2],
  },
  {
    ...row("a stream whose last record alone says its usage", "google", github("langchain-ai/langchainjs/issues/11197")),
    records: [
      { candidates: [{ content: content({ text: "Low " }) }], usageMetadata: onDemand, ...model },
      { candidates: [{ content: content({ text: "tide." }), finishReason: "STOP" }], ...usage(9, 3), ...model },
    ],
    told: { content: "Low tide.", finish: "stop" },
    usage: [9, 0, 0, 3],
  },
  {
    ...row("a text that was stopped, whose tokens aren't counted", "google", firebase("vertexai/unary-failure-finish-reason-safety.json")),
    answer: {
      candidates: [{ content: content({ text: "Once" }), finishReason: "SAFETY", safetyRatings: [{ category: "HARM", blocked: true }] }],
      ...{ usageMetadata: { promptTokenCount: 8, totalTokenCount: 8 }, modelVersion: "gemini-1.5-flash" },
    },
    told: { content: "Once", finish: "content_filter" },
    usage: null,
  },
  {
    ...row("a Claude's text, named by the cloud", "anthropic", github("anthropics/anthropic-sdk-python")),
    answer: {
      ...{ ...claude, content: [told("Hello there.")], stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 6 },
    },
    told: { content: "Hello there.", finish: "stop" },
    usage: [12, 0, 0, 6],
  },
  {
    ...row("a Claude's cached prompt", "anthropic", github("anthropics/anthropic-sdk-python/pull/1139")),
    answer: {
      ...{ ...claude, content: [told("Cached.")], stop_reason: "end_turn", stop_sequence: null },
      usage: { input_tokens: 3, cache_creation_input_tokens: 200, cache_read_input_tokens: 1_800, output_tokens: 4 },
    },
    told: { content: "Cached.", finish: "stop" },
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
    told: { content: "Hello.", finish: "stop" },
    usage: [12, 0, 0, 5],
  },
  {
    ...row("log probabilities, which chat did not ask for", "google", recorded("test_google_vertex_logprobs")),
    answer: {
      candidates: [
        {
          ...{ content: content({ text: "Bergen." }), finishReason: "STOP", avgLogprobs: -0.02 },
          logprobsResult: { chosenCandidates: [{ token: "Bergen", logProbability: -0.02, tokenId: 7 }], topCandidates: [] },
        },
      ],
      ...usage(7, 7, { thoughtsTokenCount: 73, totalTokenCount: 87 }),
      ...model,
    },
    told: { content: "Bergen.", finish: "stop" },
    usage: [7, 0, 0, 80],
  },
  {
    ...row("a signed text that was served as flex", "google", recorded("test_google_vertex_service_tier_flex")),
    answer: {
      candidates: [{ content: content({ text: "OK", thoughtSignature: "CtAE" }), finishReason: "STOP" }],
      ...usage(5, 1, { thoughtsTokenCount: 51, totalTokenCount: 57, trafficType: "ON_DEMAND_FLEX" }),
      ...model,
    },
    told: { content: "OK", finish: "stop" },
    usage: [5, 0, 0, 52],
  },
  {
    ...row("a stream of one record, served as flex", "google", recorded("test_google_vertex_service_tier_flex_stream")),
    records: [
      {
        candidates: [{ content: content({ text: "OK", thoughtSignature: "CtAE" }), finishReason: "STOP" }],
        ...usage(5, 1, { thoughtsTokenCount: 100, totalTokenCount: 106, trafficType: "ON_DEMAND_FLEX" }),
        ...model,
      },
    ],
    told: { content: "OK", finish: "stop" },
    usage: [5, 0, 0, 101],
  },
  {
    ...row("an answer that Model Armor stopped", "google", recorded("test_google_model_armor_response_template_real_block")),
    answer: {
      candidates: [{ finishReason: "MODEL_ARMOR", finishMessage: "Blocked by the response template." }],
      ...usage(19, 6, { thoughtsTokenCount: 27, totalTokenCount: 52 }),
      ...model,
    },
    told: { content: null, finish: "content_filter" },
    usage: [19, 0, 0, 33],
  },
  {
    ...row("a signed call", "google", recorded("test_google_vertex_tool_combination_omits_include_server_side_tool_invocations")),
    answer: {
      candidates: [
        { content: content({ functionCall: { name: "look", args: { q: 1 } }, thoughtSignature: "CtAE" }), finishReason: "STOP" },
      ],
      ...usage(43, 12, { thoughtsTokenCount: 59, totalTokenCount: 114 }),
      ...model,
    },
    told: { content: null, calls: [["look", '{"q":1}']], finish: "tool_calls" },
    usage: [43, 0, 0, 71],
  },
  {
    ...row("an answer in a language that isn't served", "google", genai("FinishReason, LANGUAGE")),
    answer: { candidates: [{ content: content({ text: "Hav" }), finishReason: "LANGUAGE" }], ...usage(8, 1), ...model },
    told: { content: "Hav", finish: "content_filter" },
    usage: [8, 0, 0, 1],
  },
  {
    ...row("a stream that is stopped for what must not be said", "google", genai("FinishReason, PROHIBITED_CONTENT")),
    records: [
      { candidates: [{ content: content({ text: "Once" }) }], usageMetadata: onDemand, ...model },
      { candidates: [{ finishReason: "PROHIBITED_CONTENT" }], ...usage(8, 1), ...model },
    ],
    told: { content: "Once", finish: "content_filter" },
    usage: [8, 0, 0, 1],
  },
];
