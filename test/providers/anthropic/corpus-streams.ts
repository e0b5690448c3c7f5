// Streams of Anthropic's API in the shapes that are published, and what each becomes.
import { aiSdk, cited, found, look, type MessageRow, recorded, search, step, text, tokens } from "./corpus-row.ts";
import { end, start, stop, textBlock } from "./message-fixture.ts";

const block = (index: number, content_block: object, ...deltas: object[]) => [
  { type: "content_block_start", index, content_block },
  ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
  { type: "content_block_stop", index },
];
const ping = { type: "ping" };
const thoughts = (index: number, ...pieces: string[]) =>
  block(
    index,
    { type: "thinking", thinking: "", signature: "" },
    ...pieces.map((thought) => ({ type: "thinking_delta", thinking: thought })),
    { type: "signature_delta", signature: "EqsB" },
  );
const call = (index: number, id: string, ...pieces: string[]) =>
  block(index, look(id, {}), ...pieces.map((partial_json) => ({ type: "input_json_delta", partial_json })));
const begin = (input: number, more: object = {}) => start({ model: "claude-up", ...tokens(input, 1), ...more });

export const streams: MessageRow[] = [
  {
    name: "a streamed text with pings",
    source: aiSdk("anthropic-text.chunks.txt"),
    events: [begin(12), ping, ...textBlock(0, "Hel", "lo."), ping, end("end_turn", { output_tokens: 6 }), stop],
    usage: [12, 0, 0, 6],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "streamed thinking, then a text",
    source: recorded("test_anthropic_model_thinking_part_stream"),
    events: [begin(43), ...thoughts(0, "Two", " and two."), ...textBlock(1, "4"), end("end_turn", { output_tokens: 282 }), stop],
    usage: [43, 0, 0, 282],
    told: { content: "4", reasoning: "Two and two.", finish: "stop" },
  },
  {
    name: "streamed thinking that is not shown",
    source: recorded("test_anthropic_model_thinking_part_redacted_stream"),
    events: [
      ...[begin(92), ping, ...block(0, { type: "redacted_thinking", data: "EqkD" }), ...textBlock(1, "I see.")],
      ...[end("end_turn", tokens(92, 189).usage), stop],
    ],
    usage: [92, 0, 0, 189],
    told: { content: "I see.", finish: "stop" },
  },
  {
    name: "a streamed call without arguments",
    source: aiSdk("anthropic-tool-no-args.chunks.txt"),
    events: [begin(565), ...textBlock(0, "I'll look."), ping, ...call(1, "toolu_01", ""), end("tool_use", tokens(565, 48).usage), stop],
    usage: [565, 0, 0, 48],
    told: { content: "I'll look.", calls: [["look", "{}"]], finish: "tool_calls" },
  },
  {
    name: "a streamed call in pieces, behind blocks of the provider's own search of tools",
    source: "pydantic-ai: test_tool_search/test_anthropic_native_tool_search_streaming.yaml",
    events: [
      begin(1_591),
      ...block(0, { ...search, name: "tool_search_tool_regex" }, { type: "input_json_delta", partial_json: '{"q":1}' }),
      ...block(1, { type: "tool_search_tool_result", tool_use_id: "srvtoolu_01", content: { type: "tool_search_tool_search_result" } }),
      ...call(2, "toolu_01", "", '{"city"', ':"Bergen"}'),
      ...[end("tool_use", tokens(1_591, 175).usage), stop],
    ],
    usage: [1_591, 0, 0, 175],
    told: { calls: [["look", '{"city":"Bergen"}']], finish: "tool_calls" },
  },
  {
    name: "a streamed search that the caller did not ask for, with citations",
    source: recorded("test_anthropic_web_search_tool_stream"),
    events: [
      ...[begin(2_680), ...block(0, search), ...block(1, found)],
      ...block(
        2,
        text("", { citations: [] }),
        { type: "citations_delta", citation: cited.citations[0] },
        { type: "text_delta", text: "The sea." },
      ),
      ...[end("end_turn", { ...tokens(31_772, 644).usage, server_tool_use: { web_search_requests: 2 } }), stop],
    ],
    usage: [31_772, 0, 0, 644],
    more: { toolCalls: { web_search: 2 } },
    told: { content: "The sea.", finish: "stop" },
  },
  {
    name: "a prompt whose end is counted anew",
    source: aiSdk("anthropic-message-delta-input-tokens.chunks.txt"),
    events: [
      ...[start({ usage: { input_tokens: 43, output_tokens: 1 } }), ...textBlock(0, "p", "ong")],
      ...[end("end_turn", { input_tokens: 61, output_tokens: 2 }), stop],
    ],
    usage: [61, 0, 0, 2],
    told: { content: "pong", finish: "stop" },
  },
  {
    name: "a start that is said twice",
    source: aiSdk("duplicate-message-start.chunks.txt"),
    events: [begin(17), begin(17), ...textBlock(0, "Hello."), end("end_turn", { output_tokens: 227 }), stop],
    usage: [17, 0, 0, 227],
    told: { content: "Hello.", finish: "stop" },
  },
  {
    name: "a streamed refusal",
    source: aiSdk("anthropic-refusal.chunks.txt"),
    events: [
      begin(18),
      ping,
      { ...end("refusal", tokens(18, 5).usage), delta: { stop_reason: "refusal", stop_details: { type: "refusal" } } },
      stop,
    ],
    usage: [18, 0, 0, 5],
    told: { finish: "content_filter" },
  },
  {
    name: "a streamed summary of the conversation, whose tokens come beside the sums",
    source: aiSdk("anthropic-compaction.1.chunks.txt"),
    events: [
      ...[begin(60_385), ...block(0, { type: "compaction", content: null }, { type: "compaction_delta", content: "A talk." })],
      ...textBlock(1, "Ink."),
      ...[
        end("end_turn", { ...tokens(612, 2_819).usage, iterations: [step("compaction", 60_385, 522), step("message", 612, 2_819)] }),
        stop,
      ],
    ],
    usage: [60_997, 0, 0, 3_341],
    told: { content: "Ink.", finish: "stop" },
  },
];
