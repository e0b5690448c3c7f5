// Answers of Converse in the shapes that are published, and what each becomes.
import { aiSdk, type BedrockRow, botocore, cache, recorded, whole } from "./corpus-row.ts";

const look = (toolUseId: string, value: object, more: object = {}) => ({ toolUse: { name: "look", toolUseId, input: value, ...more } });

export const wholes: BedrockRow[] = [
  {
    name: "a text",
    source: recorded("test_bedrock_inference_profile_converse"),
    answer: whole([{ text: "Hello" }], "end_turn", [8, 2], {}, { serverToolUsage: {} }),
    usage: [8, 0, 0, 2],
    told: { content: "Hello", finish: "stop" },
  },
  {
    name: "a text that was cut",
    source: recorded("test_bedrock_model_max_tokens"),
    answer: whole([{ text: "The sea is" }], "max_tokens", [13, 5]),
    usage: [13, 0, 0, 5],
    told: { content: "The sea is", finish: "length" },
  },
  {
    name: "thinking with its signature, then a text",
    source: aiSdk("amazon-bedrock-reasoning.json"),
    answer: whole(
      [{ reasoningContent: { reasoningText: { text: "Two and two.", signature: "EvYB" } } }, { text: "4" }],
      "end_turn",
      [51, 78],
    ),
    usage: [51, 0, 0, 78],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "thinking behind the text, as DeepSeek's models have it",
    source: recorded("test_bedrock_model_thinking_part_deepseek"),
    answer: whole(
      [{ text: "\n\nLeft, then right." }, { reasoningContent: { reasoningText: { text: "A street." } } }],
      "end_turn",
      [12, 693],
    ),
    usage: [12, 0, 0, 693],
    told: { content: "\n\nLeft, then right.", reasoning: "A street.", finish: "stop" },
  },
  {
    name: "thinking and no text",
    source: recorded("test_bedrock_thinking_high_qwen_variant"),
    answer: whole([{ reasoningContent: { reasoningText: { text: "\nOkay." } } }], "end_turn", [15, 55]),
    usage: [15, 0, 0, 55],
    told: { reasoning: "\nOkay.", finish: "stop" },
  },
  {
    name: "thinking that is not shown",
    source: recorded("test_bedrock_model_thinking_part_redacted"),
    answer: whole([{ reasoningContent: { redactedContent: "RXU4RUNr" } }, { text: "I see." }], "end_turn", [92, 176], {}, cache(0, 0)),
    usage: [92, 0, 0, 176],
    told: { content: "I see.", finish: "stop" },
  },
  {
    name: "a call",
    source: recorded("test_bedrock_model_structured_output"),
    answer: whole([look("tooluse_Mj06", { city: "Bergen", day: 3 })], "tool_use", [571, 22]),
    usage: [571, 0, 0, 22],
    told: { calls: [["look", '{"city":"Bergen","day":3}']], finish: "tool_calls" },
  },
  {
    name: "a call that says its type",
    source: "pydantic-ai: test_strict_tool_calls/test_bedrock_strict_tool_supported_model.yaml",
    answer: whole([look("tooluse_8ZVL", { city: "Bergen" }, { type: "tool_use" })], "tool_use", [560, 53], {}, cache(0, 0)),
    usage: [560, 0, 0, 53],
    told: { calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "a call without arguments behind a text",
    source: aiSdk("amazon-bedrock-tool-no-args.json"),
    answer: whole([{ text: "I'll look." }, look("tool-use-id", {})], "tool_use", [100, 25]),
    usage: [100, 0, 0, 25],
    told: { content: "I'll look.", calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "a call whose id has dots and colons, behind thinking",
    source: recorded("test_bedrock_moonshotai_tool_call"),
    answer: whole(
      [{ reasoningContent: { reasoningText: { text: " Weather." } } }, look("functions.look:0", { city: "Bergen" })],
      "tool_use",
      [92, 75],
    ),
    usage: [92, 0, 0, 75],
    told: { reasoning: " Weather.", calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "texts between two calls",
    source: aiSdk("amazon-bedrock-json-with-tools.1.json"),
    answer: whole([{ text: "One. " }, look("tool-1", { q: 1 }), { text: "Two." }, look("tool-2", { q: 2 })], "tool_use", [28, 62]),
    usage: [28, 0, 0, 62],
    told: { content: "One. Two.", calls: [["look", '{"q":1}'], ["look", '{"q":2}']], finish: "tool_calls" }, // prettier-ignore
  },
  {
    name: "a prompt that was read from the cache",
    source: recorded("test_bedrock_cache_usage_includes_cache_tokens"),
    answer: whole([{ text: "5" }], "end_turn", [13, 5], {}, cache(1_504, 0)),
    usage: [13, 1_504, 0, 5],
    told: { content: "5", finish: "stop" },
  },
  {
    name: "a prompt that was read and written, with the times of life",
    source: recorded("test_bedrock_cache_messages_with_document_as_last_content"),
    answer: whole([{ text: "Ink." }], "end_turn", [3, 121], {}, cache(1_712, 236, { cacheDetails: [{ inputTokens: 236, ttl: "5m" }] })),
    usage: [3, 1_712, 236, 121],
    told: { content: "Ink.", finish: "stop" },
  },
  {
    name: "a prompt that was written for an hour",
    source: botocore("CacheDetail: ttl is 5m or 1h"),
    answer: whole([{ text: "Ink." }], "end_turn", [3, 4], {}, cache(0, 300, { cacheDetails: [{ inputTokens: 300, ttl: "1h" }] })),
    usage: [3, 0, 300, 4],
    hour: 300,
    told: { content: "Ink.", finish: "stop" },
  },
  {
    name: "a service tier that was served",
    source: recorded("test_bedrock_model_service_tier"),
    answer: whole([{ text: "The sea." }], "end_turn", [13, 5], { serviceTier: { type: "flex" } }),
    usage: [13, 0, 0, 5],
    tier: "flex",
    told: { content: "The sea.", finish: "stop" },
  },
  {
    name: "a guardrail's trace, and a latency",
    source: recorded("test_bedrock_model_guardrail_config"),
    answer: whole([{ text: "Bergen." }], "end_turn", [13, 67], {
      performanceConfig: { latency: "optimized" },
      trace: {
        guardrail: { actionReason: "No action.", inputAssessment: { g1: { invocationMetrics: { usage: { topicPolicyUnits: 0 } } } } },
      },
    }),
    usage: [13, 0, 0, 67],
    told: { content: "Bergen.", finish: "stop" },
  },
  {
    name: "a guardrail that stepped in",
    source: botocore("StopReason: guardrail_intervened"),
    answer: whole([{ text: "Sorry, the model cannot answer this question." }], "guardrail_intervened", [13, 0]),
    usage: [13, 0, 0, 0],
    told: { content: "Sorry, the model cannot answer this question.", finish: "content_filter" },
  },
  {
    name: "a filtered answer",
    source: botocore("StopReason: content_filtered"),
    answer: whole([{ text: "Once" }], "content_filtered", [13, 1]),
    usage: [13, 0, 0, 1],
    told: { content: "Once", finish: "content_filter" },
  },
  {
    name: "a stop sequence that was met",
    source: botocore("StopReason: stop_sequence"),
    answer: whole([{ text: "One, " }], "stop_sequence", [9, 3], { additionalModelResponseFields: { stop_sequence: "two" } }),
    usage: [9, 0, 0, 3],
    told: { content: "One, ", finish: "stop" },
    stop: "stop_sequence",
  },
  {
    name: "a full context window",
    source: botocore("StopReason: model_context_window_exceeded"),
    answer: whole([{ text: "And" }], "model_context_window_exceeded", [9_000, 3]),
    usage: [9_000, 0, 0, 3],
    told: { content: "And", finish: "length" },
    stop: "model_context_window_exceeded",
  },
  {
    name: "a text with citations",
    source: botocore("CitationsContentBlock"),
    answer: whole(
      [{ text: "See: " }, { citationsContent: { content: [{ text: "the sea " }, { text: "is wide." }], citations: [{ title: "A" }] } }],
      "end_turn",
      [40, 9],
    ),
    usage: [40, 0, 0, 9],
    told: { content: "See: the sea is wide.", finish: "stop" },
  },
];
