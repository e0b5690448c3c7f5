// Streams of ConverseStream in the shapes that are published, and what each becomes.
import {
  aiSdk,
  began,
  type BedrockRow,
  botocore,
  cache,
  called,
  closed,
  input,
  metadata,
  opened,
  recorded,
  said,
  stopped,
  thought,
} from "./corpus-row.ts";

export const streams: BedrockRow[] = [
  {
    name: "a streamed text",
    source: recorded("test_bedrock_model_stream"),
    events: [began, said(0, "The"), said(0, " sea."), closed(0), stopped("end_turn"), metadata([13, 82])],
    usage: [13, 0, 0, 82],
    told: { content: "The sea.", finish: "stop" },
  },
  {
    name: "a streamed empty text before thinking",
    source: recorded("test_bedrock_model_stream_empty_text_delta"),
    events: [
      ...[began, said(0, ""), closed(0), thought(1, { text: "A greeting." }), closed(1), said(2, "Hello"), said(2, "."), closed(2)],
      ...[stopped("end_turn"), metadata([70, 43], { serverToolUsage: {} })],
    ],
    usage: [70, 0, 0, 43],
    told: { content: "Hello.", reasoning: "A greeting.", finish: "stop" },
  },
  {
    name: "streamed thinking with a signature",
    source: aiSdk("amazon-bedrock-reasoning.chunks.txt"),
    events: [
      ...[began, thought(0, { text: "Two" }), thought(0, { text: " and two." }), thought(0, { signature: "EvYB" }), closed(0)],
      ...[said(1, "4"), closed(1), stopped("end_turn"), metadata([51, 78])],
    ],
    usage: [51, 0, 0, 78],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "streamed thinking that is not shown",
    source: recorded("test_bedrock_model_thinking_part_redacted_stream"),
    events: [
      ...[began, thought(0, { redactedContent: "RXRr" }), closed(0), thought(1, { redactedContent: "RXFB" }), closed(1)],
      ...[said(2, "I see."), closed(2), stopped("end_turn"), metadata([92, 253])],
    ],
    usage: [92, 0, 0, 253],
    told: { content: "I see.", finish: "stop" },
  },
  {
    name: "a streamed call behind a text",
    source: recorded("test_bedrock_model_iter_stream"),
    events: [
      ...[began, said(0, "I'll"), said(0, " look."), closed(0), called(1, "tooluse_lAG_"), input(1, '{"city":'), input(1, '"Bergen"}')],
      ...[closed(1), stopped("tool_use"), metadata([471, 91])],
    ],
    usage: [471, 0, 0, 91],
    told: { content: "I'll look.", calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "a streamed call without arguments, and a start that says nothing",
    source: aiSdk("amazon-bedrock-tool-no-args.chunks.txt"),
    events: [
      ...[began, opened(0, {}), said(0, "I'll look."), closed(0), called(1, "tool-use-id"), input(1, ""), closed(1)],
      ...[stopped("tool_use"), metadata([100, 25])],
    ],
    usage: [100, 0, 0, 25],
    told: { content: "I'll look.", calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "streamed texts and calls whose blocks are not closed",
    source: aiSdk("amazon-bedrock-json-with-tools.1.chunks.txt"),
    events: [
      ...[
        began,
        said(0, "Both."),
        called(1, "tool-1"),
        input(1, '{"q":1}'),
        closed(1),
        called(2, "tool-2"),
        input(2, '{"q":2}'),
        closed(2),
      ],
      ...[stopped("tool_use"), metadata([28, 62])],
    ],
    usage: [28, 0, 0, 62],
    told: { content: "Both.", calls: [["look", '{"q":1}'], ["look", '{"q":2}']], finish: "tool_calls" }, // prettier-ignore
  },
  {
    name: "a stream that says its tier and its cache last",
    source: botocore("ConverseStreamMetadataEvent"),
    events: [
      ...[began, said(0, "Ink."), closed(0), stopped("end_turn")],
      metadata([3, 4], cache(1_712, 236, { cacheDetails: [{ inputTokens: 236, ttl: "1h" }] }), { serviceTier: { type: "default" } }),
    ],
    usage: [3, 1_712, 236, 4],
    hour: 236,
    tier: "default",
    told: { content: "Ink.", finish: "stop" },
  },
  {
    name: "a stream that met a stop sequence",
    source: botocore("MessageStopEvent"),
    events: [
      ...[began, said(0, "One, "), closed(0)],
      ...[stopped("stop_sequence", { additionalModelResponseFields: { stop_sequence: "two" } }), metadata([9, 3])],
    ],
    usage: [9, 0, 0, 3],
    told: { content: "One, ", finish: "stop" },
    stop: "stop_sequence",
  },
  {
    name: "a stream that was cut for its length",
    source: botocore("StopReason: max_tokens"),
    events: [began, said(0, "The"), closed(0), stopped("max_tokens"), metadata([13, 1])],
    usage: [13, 0, 0, 1],
    told: { content: "The", finish: "length" },
  },
];
