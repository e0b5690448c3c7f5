// Answers of the Gemini API as pydantic-ai has recorded them, and what each becomes.
import { content, details, model, recorded, type Row } from "./corpus-row.ts";

const ended = { finishReason: "STOP", index: 0 };
const candidate = (parts: object[], more: object = ended) => ({ candidates: [{ content: content(...parts), ...more }], ...model });
const used = (prompt: number, written: number | null, thoughts: number, more: object = {}) => ({
  usageMetadata: {
    ...{ promptTokenCount: prompt, totalTokenCount: prompt + (written ?? 0) + thoughts, promptTokensDetails: details(prompt) },
    ...(written === null ? {} : { candidatesTokenCount: written }),
    ...(thoughts === 0 ? {} : { thoughtsTokenCount: thoughts }),
    ...more,
  },
});
const look = (args: object, more: object = {}) => ({ functionCall: { name: "look", args }, ...more });
const signed = { thoughtSignature: "Es0CCsoC" };
const structured = (name: string) => `pydantic-ai: test_structured_output/${name}.yaml`;

export const recordings: Row[] = [
  {
    name: "a text that was cut",
    source: recorded("test_google_model_max_tokens"),
    answer: { ...candidate([{ text: "The sea is" }], { finishReason: "MAX_TOKENS" }), ...used(15, 5, 0, { serviceTier: "standard" }) },
    usage: [15, 0, 5, 0],
    told: { content: "The sea is", finish: "length" },
  },
  {
    name: "thoughts that took all of the cap",
    source: recorded("test_google_model_max_tokens_thinking_model_empty_response"),
    answer: { candidates: [{ content: { role: "model" }, finishReason: "MAX_TOKENS", index: 0 }], ...used(15, null, 2), ...model },
    usage: [15, 0, 2, 2],
    told: { content: null, finish: "length" },
  },
  {
    name: "thoughts that are shown, then a signed text",
    source: recorded("test_google_model_thinking_part"),
    answer: {
      ...candidate([
        { text: "Two and two.", thought: true },
        { text: "4", ...signed },
      ]),
      ...used(29, 736, 1_001),
    },
    usage: [29, 0, 1_737, 1_001],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "a signed call, with a message about the end",
    source: "pydantic-ai: test_ref_sibling_wire_contract/test_ref_sibling_wire_contract[google-structured-dict].yaml",
    answer: {
      ...candidate([look({ q: 1 }, signed)], { ...ended, finishMessage: "Model generated function call(s)." }),
      ...used(154, 34, 117),
    },
    usage: [154, 0, 151, 117],
    told: { content: null, calls: [["look", '{"q":1}']], finish: "tool_calls" },
  },
  {
    name: "two calls, of which the first is signed",
    source: recorded("test_google_instructions_only_with_tool_calls"),
    answer: { ...candidate([look({ q: 1 }, signed), look({ q: 2 })]), ...used(83, 30, 190) },
    usage: [83, 0, 220, 190],
    told: { content: null, calls: [["look", '{"q":1}'], ["look", '{"q":2}']], finish: "tool_calls" }, // prettier-ignore
  },
  {
    name: "code that the provider ran is not shown, and its tokens count",
    source: "pydantic-ai: test_anthropic/test_anthropic_server_tool_receive_history_from_another_provider.yaml",
    answer: {
      ...candidate([
        { executableCode: { code: "print(1)", language: "PYTHON" } },
        { codeExecutionResult: { outcome: "OUTCOME_OK", output: "1" } },
        { text: "One." },
      ]),
      usageMetadata: { promptTokenCount: 13, candidatesTokenCount: 194, totalTokenCount: 496, toolUsePromptTokenCount: 289 },
    },
    usage: [302, 0, 194, 0],
    told: { content: "One.", finish: "stop" },
  },
  {
    name: "a prompt of a document and a text, both cached in part",
    source: "pydantic-ai: test_multimodal_tool_returns/test_multimodal_tool_return_matrix[direct-url-document-google_2_5].yaml",
    answer: {
      ...candidate([{ text: "Ink." }]),
      ...used(345, 37, 0, {
        cachedContentTokenCount: 230,
        cacheTokensDetails: [
          { modality: "DOCUMENT", tokenCount: 172 },
          { modality: "TEXT", tokenCount: 58 },
        ],
      }),
    },
    usage: [115, 230, 37, 0],
    told: { content: "Ink.", finish: "stop" },
  },
  {
    name: "usage without the tokens of the text",
    source: structured("test_native_output_with_builtin_tools"),
    answer: { ...candidate([{ text: "Ink.", ...signed }]), ...used(417, null, 71) },
    usage: null,
    told: { content: "Ink.", finish: "stop" },
  },
  {
    name: "a stream whose last usage leaves out the tokens of the text: those said before count",
    source: structured("test_native_output_with_builtin_tools_stream"),
    records: [
      { ...candidate([{ text: "In" }], { index: 0 }), ...used(9, 7, 35) },
      { ...candidate([{ text: "k." }], { index: 0 }), ...used(9, 21, 35) },
      { ...candidate([{ text: "", ...signed }]), ...used(87, null, 78) },
    ],
    usage: [87, 0, 99, 78],
    told: { content: "Ink.", finish: "stop" },
  },
  {
    name: "a stream of thoughts, then text",
    source: recorded("test_google_model_thinking_part_iter"),
    records: [
      { ...candidate([{ text: "Two ", thought: true }], { index: 0 }), ...used(34, null, 300) },
      { ...candidate([{ text: "and two.", thought: true }], { index: 0 }), ...used(34, null, 787) },
      { ...candidate([{ text: "4", ...signed }]), ...used(34, 469, 787) },
    ],
    usage: [34, 0, 1_256, 787],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "a stream that is one call",
    source: recorded("test_google_model_iter_stream"),
    records: [{ ...candidate([look({ city: "Bergen" })]), ...used(52, 5, 0) }],
    usage: [52, 0, 5, 0],
    told: { calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "an answer that was stopped before its first word",
    source: recorded("test_google_model_safety_settings"),
    answer: { candidates: [{ finishReason: "SAFETY", safetyRatings: [{ blocked: true }] }], ...used(14, null, 0), ...model },
    usage: [14, 0, 0, 0],
    told: { content: null, finish: "content_filter" },
  },
];
