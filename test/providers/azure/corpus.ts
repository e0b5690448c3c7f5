// Answers of Azure's OpenAI in the shapes that are published, Microsoft's page on content streaming and reports of its users, with our own
// words in them; and what each becomes.

const github = (path: string) => `https://github.com/${path}`;
const streaming = "https://learn.microsoft.com/en-us/azure/ai-services/openai/concepts/content-streaming";

export interface Row {
  name: string;
  source: string;
  status?: number;
  headers?: Record<string, string>;
  /** A whole answer, or a stream's records. */
  answer?: object;
  records?: object[];
  usage?: [number, number] | null;
  told?: { content: string | null; finish: string };
  fault?: string;
  retryAfterMs?: number;
}

const safe = { filtered: false, severity: "safe" };
const results = { hate: safe, self_harm: safe, sexual: safe, violence: safe };
const flagged = { ...results, violence: { filtered: true, severity: "medium" } };
const prompted = [{ prompt_index: 0, content_filter_results: { ...results, jailbreak: { filtered: false, detected: false } } }];
const head = { id: "chatcmpl-9VJI", object: "chat.completion.chunk", created: 1_717_249_403, model: "gpt-4o-2024-05-13" };
const blank = { id: "", object: "", created: 0, model: "" };
const filterFirst = { ...blank, choices: [], prompt_filter_results: prompted };
const delta = (value: object, finish: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta: value, finish_reason: finish, logprobs: null, content_filter_results: results }],
});
const usage = (prompt: number, output: number) => ({ prompt_tokens: prompt, completion_tokens: output, total_tokens: prompt + output });
const annotation = (finish: string | null, found: object) => ({
  ...blank,
  choices: [
    {
      ...{ index: 0, finish_reason: finish, content_filter_results: found },
      content_filter_offsets: { check_offset: 35, start_offset: 35, end_offset: 36 },
    },
  ],
});
const whole = (message: object, finish: string, used: object) => ({
  ...head,
  object: "chat.completion",
  choices: [{ index: 0, finish_reason: finish, logprobs: null, message, content_filter_results: results }],
  prompt_filter_results: prompted,
  ...used,
});
const error = (status: number, code: string, message: string, more: object = {}) => ({
  status,
  answer: { error: { code, message, ...more } },
});
const stopped = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.";

export const rows: Row[] = [
  {
    name: "a text with what the filter found in it",
    source: github("enoch-sit/tool-chatbot-boilerplate"),
    answer: whole({ role: "assistant", content: "Hello.", refusal: null, annotations: [] }, "stop", { usage: usage(9, 2) }),
    usage: [9, 2],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "an answer that the filter cut off, without a text",
    source: github("microsoft/semantic-kernel/issues/5240"),
    answer: whole({ role: "assistant" }, "content_filter", { usage: usage(9, 4) }),
    usage: [9, 4],
    told: { content: null, finish: "content_filter" },
  },
  {
    name: "a stream that begins with the prompt's filter results",
    source: github("sashabaranov/go-openai/pull/448"),
    records: [
      filterFirst,
      delta({ role: "assistant", content: "" }),
      delta({ content: "Hello" }),
      delta({ content: "." }),
      delta({}, "stop"),
    ],
    usage: null,
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "usage in a last record without choices",
    source: github("langchain-ai/langchain/pull/21548"),
    records: [filterFirst, delta({ role: "assistant", content: "Hi." }), delta({}, "stop"), { ...head, choices: [], usage: usage(9, 3) }],
    usage: [9, 3],
    told: { content: "Hi.", finish: "stop" },
  },
  {
    name: "the asynchronous filter's records, which have no delta, after the finish",
    source: github("langchain-ai/langchain/issues/18977"),
    records: [filterFirst, delta({ role: "assistant", content: "Hi." }), delta({}, "stop"), annotation(null, results)],
    usage: null,
    told: { content: "Hi.", finish: "stop" },
  },
  {
    name: "the asynchronous filter's records between the words",
    source: github("microsoft/autogen/issues/6465"),
    records: [
      filterFirst,
      delta({ role: "assistant", content: "Hi" }),
      { ...annotation(null, results), usage: null },
      delta({ content: "." }),
      delta({}, "stop"),
    ],
    usage: null,
    told: { content: "Hi.", finish: "stop" },
  },
  {
    name: "a stream that the asynchronous filter ends",
    source: streaming,
    records: [filterFirst, delta({ role: "assistant", content: "Hi" }), annotation("content_filter", flagged)],
    usage: null,
    told: { content: "Hi", finish: "content_filter" },
  },
  {
    name: "a stream that the buffering filter ends",
    source: streaming,
    records: [filterFirst, delta({ role: "assistant", content: "Hi" }), delta({}, "content_filter")],
    usage: null,
    told: { content: "Hi", finish: "content_filter" },
  },
  {
    name: "a prompt that the filter stopped",
    source: github("microsoft/TinyTroupe/issues/85"),
    ...error(400, "content_filter", stopped, {
      ...{ type: null, param: "prompt", status: 400 },
      innererror: { code: "ResponsibleAIPolicyViolation", content_filter_result: flagged },
    }),
    fault: "refused",
  },
  {
    name: "the same without what was found",
    source: github("stanford-crfm/helm/pull/3327"),
    ...error(400, "content_filter", stopped, { type: null, param: "prompt", status: 400 }),
    fault: "refused",
  },
  {
    name: "the same in the other spelling",
    source: github("browser-use/browser-use/issues/262"),
    ...error(400, "content_filter", stopped, {
      inner_error: { code: "ResponsibleAIPolicyViolation", content_filter_results: { jailbreak: { filtered: true, detected: true } } },
    }),
    fault: "refused",
  },
  {
    name: "an image's prompt that was stopped",
    source: github("BerriAI/litellm/issues/16072"),
    ...error(400, "content_policy_violation", "Your request was rejected as a result of our safety system.", {
      type: "invalid_request_error",
      inner_error: { code: "ResponsibleAIPolicyViolation", content_filter_results: { jailbreak: { detected: false, filtered: false } } },
    }),
    fault: "refused",
  },
  {
    name: "a deployment that does not exist",
    source: github("chatboxai/chatbox/issues/646"),
    ...error(404, "DeploymentNotFound", "The API deployment for this resource does not exist."),
    fault: "gone",
  },
  {
    name: "a path that does not exist, as at another resource's address",
    source: github("stulzq/azure-openai-proxy/issues/52"),
    ...error(404, "404", "Resource not found"),
    fault: "gone",
  },
  {
    name: "a deployment of another kind of model",
    source: github("langchain-ai/langmem/issues/13"),
    ...error(
      400,
      "OperationNotSupported",
      "The chatCompletion operation does not work with the specified model, text-embedding-3-large. Please choose different model and try again.",
    ),
    fault: "gone",
  },
  {
    name: "a version that the resource does not know",
    source: github("hotovo/aider-desk/issues/460"),
    ...error(400, "BadRequest", "API version not supported"),
    fault: "our_fault",
  },
  {
    name: "a version that is too old for the model",
    source: github("langchain4j/langchain4j/issues/2636"),
    ...error(400, "BadRequest", "Model {modelName} is enabled only for api versions 2024-12-01-preview and later"),
    fault: "our_fault",
  },
  {
    name: "a wrong key",
    source: github("SciSharp/BotSharp/issues/386"),
    ...error(401, "401", "Access denied due to invalid subscription key or wrong API endpoint."),
    fault: "our_fault",
  },
  {
    name: "an application without a role at the resource",
    source: github("microsoft/semantic-kernel/issues/10020"),
    ...error(401, "PermissionDenied", "Principal does not have access to API/Operation."),
    fault: "our_fault",
  },
  {
    name: "a resource behind a firewall",
    source: github("Azure-Samples/azure-sql-db-chatbot/issues/3"),
    ...error(403, "403", "Access denied due to Virtual Network/Firewall rules."),
    fault: "our_fault",
  },
  {
    name: "a resource that was blocked for what was asked of it",
    source: github("pollinations/pollinations/issues/9707"),
    ...error(
      403,
      "Forbidden",
      "Your resource has been temporarily blocked because we detected behavior that may violate our content policy.",
    ),
    fault: "our_fault",
  },
  {
    name: "too many tokens a minute",
    source: github("jasonacox/TinyLLM/issues/17"),
    headers: { "retry-after": "7" },
    ...error(429, "429", "Requests to the ChatCompletions_Create Operation have exceeded token rate limit. Please retry after 7 seconds."),
    fault: "rate_limited",
    retryAfterMs: 7_000,
  },
  {
    name: "a deployment at its peak",
    source: github("pollinations/pollinations/issues/6260"),
    headers: { "retry-after-ms": "1500", "retry-after": "2" },
    ...error(429, "too_many_requests", "The system is currently experiencing high demand and cannot process your request."),
    fault: "rate_limited",
    retryAfterMs: 1_500,
  },
];
