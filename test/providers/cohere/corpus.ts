// Answers of Cohere's v2 in the shapes that are published, the AI SDK's recordings of it
// (https://github.com/vercel/ai, folder packages/cohere/src/__fixtures__) and Cohere's reference, with our own words in them; and what each
// becomes.

const aiSdk = (name: string) => `ai-sdk: ${name}`;
const reference = "https://docs.cohere.com/v2/reference/errors";

export interface Row {
  name: string;
  source: string;
  /** A whole answer, or a stream's events. */
  answer?: object;
  events?: object[];
  /** Billed tokens, input and output; null: not reported. */
  usage?: [number, number] | null;
  told?: { content?: string | null; reasoning?: string; calls?: [string, string][]; finish: string };
  status?: number;
  fault?: string;
}

const id = "2941521a-b87a-45f6-9b0d-235fd66c3025";
const billed = (input: number, output: number, more = 0) => ({
  billed_units: { input_tokens: input, output_tokens: output },
  tokens: { input_tokens: input + more, output_tokens: output + 4 },
  cached_tokens: more,
});
const start = {
  id,
  type: "message-start",
  delta: { message: { role: "assistant", content: [], tool_plan: "", tool_calls: [], citations: [] } },
};
const called = (index: number, tool: object) => ({ type: "tool-call-start", index, delta: { message: { tool_calls: tool } } });
const more = (index: number, text: string) => ({
  ...{ type: "tool-call-delta", index },
  delta: { message: { tool_calls: { function: { arguments: text } } } },
});
const look = { id: "look_e8p4pn45zt0t", type: "function", function: { name: "look", arguments: "" } };
const end = (finish: string, usage: object) => ({ type: "message-end", delta: { finish_reason: finish, usage } });

export const rows: Row[] = [
  {
    name: "a text",
    source: aiSdk("cohere-text.json"),
    answer: {
      id,
      message: { role: "assistant", content: [{ type: "text", text: "Hello." }] },
      finish_reason: "COMPLETE",
      usage: billed(5, 2, 495),
    },
    usage: [5, 2],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "thinking before the text",
    source: aiSdk("cohere-reasoning.json"),
    answer: {
      id,
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Two and two." },
          { type: "text", text: "4" },
        ],
      },
      finish_reason: "COMPLETE",
      usage: billed(8, 578, 1_344),
    },
    usage: [8, 578],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "an answer that was cut",
    source: aiSdk("cohere-max-tokens.json"),
    answer: {
      id,
      message: { role: "assistant", content: [{ type: "text", text: "**The" }] },
      finish_reason: "MAX_TOKENS",
      usage: billed(11, 4),
    },
    usage: [11, 4],
    told: { content: "**The", finish: "length" },
  },
  {
    name: "a call without arguments, and its plan",
    source: aiSdk("cohere-null-args.json"),
    answer: {
      id,
      message: {
        role: "assistant",
        tool_plan: "I will look.",
        tool_calls: [{ id: "look_tf4dywn8wgnk", type: "function", function: { name: "look", arguments: "{}" } }],
      },
      finish_reason: "TOOL_CALL",
      usage: billed(46, 14, 992),
    },
    usage: [46, 14],
    told: { content: null, reasoning: "I will look.", calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "a cached prompt, of which nothing is billed",
    source: aiSdk("issue-22070-cached-usage.json"),
    answer: {
      id,
      message: { role: "assistant", content: [{ type: "text", text: "OK." }] },
      finish_reason: "MAX_TOKENS",
      usage: billed(5, 2, 448),
    },
    usage: [5, 2],
    told: { content: "OK.", finish: "length" },
  },
  {
    name: "a streamed text with citations",
    source: aiSdk("cohere-citations.chunks.txt"),
    events: [
      start,
      { type: "content-start", index: 0, delta: { message: { content: { type: "text", text: "" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { text: "The sea" } } } },
      { type: "citation-start", index: 0, delta: { message: { citations: { start: 0, end: 3, text: "The", sources: [] } } } },
      { type: "citation-end", index: 0 },
      { type: "content-delta", index: 0, delta: { message: { content: { text: " is wide." } } } },
      { type: "content-end", index: 0 },
      end("COMPLETE", billed(4, 27)),
    ],
    usage: [4, 27],
    told: { content: "The sea is wide.", finish: "stop" },
  },
  {
    name: "streamed thinking, then text",
    source: aiSdk("cohere-reasoning.chunks.txt"),
    events: [
      start,
      { type: "content-start", index: 0, delta: { message: { content: { type: "thinking", thinking: "" } } } },
      { type: "content-delta", index: 0, delta: { message: { content: { thinking: "Hm." } } } },
      { type: "content-end", index: 0 },
      { type: "content-start", index: 1, delta: { message: { content: { type: "text", text: "" } } } },
      { type: "content-delta", index: 1, delta: { message: { content: { text: "4" } } } },
      { type: "content-end", index: 1 },
      end("COMPLETE", billed(8, 30)),
    ],
    usage: [8, 30],
    told: { content: "4", reasoning: "Hm.", finish: "stop" },
  },
  {
    name: "a plan and two calls, streamed",
    source: aiSdk("cohere-tool-call.chunks.txt"),
    events: [
      start,
      { type: "tool-plan-delta", delta: { message: { tool_plan: "I" } } },
      { type: "tool-plan-delta", delta: { message: { tool_plan: " will look." } } },
      called(0, look),
      more(0, '{"q":'),
      more(0, "1}"),
      { type: "tool-call-end", index: 0 },
      called(1, { ...look, id: "look_pyxssbwnq9fq" }),
      more(1, '{"q":2}'),
      { type: "tool-call-end", index: 1 },
      end("TOOL_CALL", billed(119, 44, 1_504)),
    ],
    usage: [119, 44],
    told: { reasoning: "I will look.", calls: [["look", '{"q":1}'], ["look", '{"q":2}']], finish: "tool_calls" }, // prettier-ignore
  },
  {
    name: "a streamed call whose arguments never come",
    source: aiSdk("cohere-empty-tool-call.chunks.txt"),
    events: [start, called(0, look), { type: "tool-call-end", index: 0 }, end("TOOL_CALL", billed(46, 14, 704))],
    usage: [46, 14],
    told: { calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "an answer without usage",
    source: "cohere-ai 8.1.0, api/resources/v2/types/V2ChatResponse.d.ts: usage is optional",
    answer: { id, message: { role: "assistant", content: [{ type: "text", text: "Hello." }] }, finish_reason: "STOP_SEQUENCE" },
    usage: null,
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "a generation that failed",
    source: "cohere-ai 8.1.0, api/types/ChatFinishReason.d.ts",
    answer: { id, message: { role: "assistant", content: [{ type: "text", text: "Hel" }] }, finish_reason: "ERROR", usage: billed(5, 1) },
    fault: "unreadable",
  },
  {
    name: "a wrong value",
    source: reference,
    status: 400,
    answer: { message: "invalid request: temperature must be between 0 and 1.0 inclusive." },
    fault: "rejected",
  },
  { name: "a wrong key", source: reference, status: 401, answer: { id, message: "invalid api token" }, fault: "our_fault" },
  {
    name: "no payment",
    source: reference,
    status: 402,
    answer: { message: "Please add or update your payment method at https://dashboard.cohere.com/billing?tab=payment" },
    fault: "our_fault",
  },
  {
    name: "an unknown model",
    source: reference,
    status: 404,
    answer: { message: "model 'xyz' not found, make sure the correct model ID was used and that you have access to the model." },
    fault: "gone",
  },
  {
    name: "too many calls",
    source: reference,
    status: 429,
    answer: { message: "You are using a Trial key, which is limited to 40 API calls / minute." },
    fault: "rate_limited",
  },
  {
    name: "a text on the deny list",
    source: "cohere-ai 8.1.0, api/errors/InvalidTokenError.d.ts",
    status: 498,
    answer: { id, message: "deny-listed token" },
    fault: "refused",
  },
  {
    name: "an internal error",
    source: reference,
    status: 500,
    answer: { message: "internal server error, this has been reported to our developers." },
    fault: "unavailable",
  },
];
