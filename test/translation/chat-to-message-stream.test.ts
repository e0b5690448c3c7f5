// Chat chunks as Anthropic events: whatever the chunks and their order, blocks are complete and come one after another.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chatToMessageStream } from "../../src/providers/translation/chat-to-message-stream.ts";
import { openToolNames } from "../../src/providers/translation/tool-names.ts";
import { newTally } from "../../src/providers/transport/read-stream.ts";
import type { ChatStream } from "../../src/providers/verbs/chat.ts";
import type { MessageRecord, MessageTally } from "../../src/providers/verbs/messages.ts";
import { messageOf } from "../operations/messages/message-events.ts";

interface Collected {
  message: any;
  records: MessageRecord[];
  tally: MessageTally;
}

const asked = { model: "demo/m", names: openToolNames(), stopSequences: ["END"], showsThinking: true };

function chatStream(chunks: readonly object[]): ChatStream {
  return {
    kind: "stream",
    tally: { ...newTally(), id: "c", created: 1 },
    cancel: () => undefined,
    async forEach(onRecord) {
      for (const choice of chunks) await onRecord({ json: JSON.stringify({ choices: [{ index: 0, ...choice }] }) });
    },
  };
}

async function tell(chunks: readonly object[], change: Partial<typeof asked> = {}): Promise<Collected> {
  const stream = chatToMessageStream(chatStream(chunks), { ...asked, ...change }, Promise.resolve(7));
  const records: MessageRecord[] = [];
  await stream.forEach((record) => void records.push(record));
  return {
    message: { ...messageOf(records.map(({ event, json }) => ({ event, data: JSON.parse(json) }))), ...stream.tally.end },
    records,
    tally: stream.tally,
  };
}

const delta = (fields: object, finish_reason: string | null = null) => ({ delta: fields, finish_reason });
const says = (content: string) => delta({ content });
const thinks = (reasoning_content: string) => delta({ reasoning_content });
const starts = (index: number, id: string, name = "look") =>
  delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
const goesOn = (index: number, piece: string) => delta({ tool_calls: [{ index, function: { arguments: piece } }] });
const ends = (finish: string, more: object = {}) => ({ ...delta({}, finish), ...more });

describe("blocks", () => {
  test("begin with message_start, the estimate in it, and a ping", async () => {
    const { records } = await tell([says("Hi"), ends("stop")]);
    expect(JSON.parse(records[0]!.json).message).toMatchObject({
      model: "demo/m",
      content: [],
      usage: { input_tokens: 7, output_tokens: 0 },
    });
    expect(records[1]).toEqual({ event: "ping", json: '{"type":"ping"}' });
  });

  test("of thinking that resumes after text are new blocks", async () => {
    const { message } = await tell([thinks("a"), thinks("b"), says("c"), thinks("d"), says("e"), ends("stop")]);
    expect(message.content).toEqual([
      { type: "thinking", thinking: "ab", signature: "" },
      { type: "text", text: "c" },
      { type: "thinking", thinking: "d", signature: "" },
      { type: "text", text: "e" },
    ]);
  });

  test("of thinking are left out where the caller wants none shown", async () => {
    const { message } = await tell([thinks("a"), says("b"), ends("stop")], { showsThinking: false });
    expect(message.content).toEqual([{ type: "text", text: "b" }]);
  });

  test("of calls that follow each other stream as they come", async () => {
    const { records, message } = await tell([
      starts(0, "a"),
      goesOn(0, '{"x":1}'),
      starts(1, "b"),
      goesOn(1, '{"y":'),
      goesOn(1, "2}"),
      ends("tool_calls"),
    ]);
    expect(records.filter(({ event }) => event === "content_block_delta")).toHaveLength(3);
    expect(message).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { id: "a", input: { x: 1 } },
        { id: "b", input: { y: 2 } },
      ],
    });
  });

  test("of calls that interleave wait for each other", async () => {
    const { message } = await tell([
      starts(0, "a"),
      starts(1, "b"),
      goesOn(1, '{"y":'),
      goesOn(0, '{"x":'),
      says("text between"),
      goesOn(0, "1}"),
      goesOn(1, "2}"),
      ends("tool_calls"),
    ]);
    expect(message.content.map(({ type }: any) => type)).toEqual(["tool_use", "tool_use", "text"]);
    expect(message.content.slice(0, 2)).toMatchObject([
      { id: "a", input: { x: 1 } },
      { id: "b", input: { y: 2 } },
    ]);
  });

  test("are absent where nothing was produced", async () => {
    const { message } = await tell([delta({ role: "assistant", content: "" }), ends("stop")]);
    expect(message).toMatchObject({ content: [], stop_reason: "end_turn" });
  });

  test("that wait are bounded", async () => {
    const flood = Array.from({ length: 5 }, () => goesOn(1, "x".repeat(1_000_000)));
    await expect(tell([starts(0, "a"), goesOn(0, "{"), starts(1, "b"), ...flood])).rejects.toThrow("too much waits");
  });
});

describe("the end", () => {
  test.each([
    ["stop", {}, { stop_reason: "end_turn", stop_sequence: null }],
    ["stop", { stop_reason: "END" }, { stop_reason: "stop_sequence", stop_sequence: "END" }],
    ["stop", { stop_reason: "</s>" }, { stop_reason: "end_turn", stop_sequence: null }],
    ["stop", { stop_reason: 128009 }, { stop_reason: "end_turn", stop_sequence: null }],
    ["length", {}, { stop_reason: "max_tokens", stop_sequence: null }],
    ["content_filter", {}, { stop_reason: "refusal", stop_sequence: null }],
  ])("%s %o is %o", async (finish, more, expected) => {
    expect((await tell([says("Hi"), ends(finish, more)])).tally.end).toEqual(expected);
  });

  test("a refusal's words are text", async () => {
    const { message } = await tell([delta({ refusal: "I will not." }), ends("stop")]);
    expect(message).toMatchObject({ content: [{ type: "text", text: "I will not." }], stop_reason: "refusal" });
  });

  test.each([
    ["half", '{"a":"b'],
    ["no object", '["a"]'],
    ["too much", '{"a":1}}'],
  ])("arguments that are %s: max_tokens, whatever the upstream's finish reason", async (_, piece) => {
    const stream = chatToMessageStream(chatStream([starts(0, "a"), goesOn(0, piece), ends("tool_calls")]), asked, Promise.resolve(1));
    await stream.forEach(() => undefined);
    expect(stream.tally.end?.stop_reason).toBe("max_tokens");
  });

  test("calls without arguments are whole", async () => {
    const { message } = await tell([starts(0, "a"), starts(1, "b"), ends("tool_calls")]);
    expect(message).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { id: "a", input: {} },
        { id: "b", input: {} },
      ],
    });
  });

  test("a listener that is slow is waited for", async () => {
    let inside = 0;
    const stream = chatToMessageStream(chatStream([says("a"), says("b"), ends("stop")]), asked, Promise.resolve(1));
    await stream.forEach(async () => {
      inside += 1;
      expect(inside).toBe(1);
      await Promise.resolve();
      inside -= 1;
    });
  });
});

/** Pieces of one text, cut anywhere. */
const cut = (whole: fc.Arbitrary<string>) =>
  fc.tuple(whole, fc.array(fc.nat({ max: 40 }), { maxLength: 6 })).map(([value, at]) => {
    const places = [...new Set(at.filter((place) => place < value.length))].sort((one, other) => one - other);
    return [0, ...places].map((from, index) => value.slice(from, places[index] ?? value.length));
  });

const input = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 });
const batcher = fc.oneof(
  cut(fc.string({ minLength: 1 })).map((pieces) => ({ kind: "text" as const, pieces })),
  cut(fc.string({ minLength: 1 })).map((pieces) => ({ kind: "thinking" as const, pieces })),
  cut(input.map((value) => JSON.stringify(value))).map((pieces) => ({ kind: "tool" as const, pieces })),
);

test("any calls, texts and thoughts, cut and mixed in any way, become whole blocks that hold every byte", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(batcher, { maxLength: 5 }), fc.array(fc.nat()), async (batchers, order) => {
      const chunks: object[] = [];
      const left = batchers.map(({ kind, pieces }, index) => ({ kind, index, pieces: [...pieces], begun: false }));
      for (let turn = 0; left.some(({ pieces }) => pieces.length > 0); turn += 1) {
        const open = left.filter(({ pieces }) => pieces.length > 0);
        const next = open[(order[turn] ?? turn) % open.length]!;
        if (next.kind === "tool" && !next.begun) {
          next.begun = true;
          chunks.push(starts(next.index, `call_${next.index}`));
          continue;
        }
        const piece = next.pieces.shift()!;
        chunks.push(next.kind === "tool" ? goesOn(next.index, piece) : next.kind === "text" ? says(piece) : thinks(piece));
      }
      const said = (kind: string) => chunks.map((chunk: any) => chunk.delta[kind] ?? "").join("");
      const { message } = await tell([...chunks, ends(batchers.some(({ kind }) => kind === "tool") ? "tool_calls" : "stop")]);
      const joined = (type: string, field: string) =>
        message.content
          .filter((block: any) => block.type === type)
          .map((block: any) => block[field])
          .join("");
      expect(joined("text", "text")).toBe(said("content"));
      expect(joined("thinking", "thinking")).toBe(said("reasoning_content"));
      for (const [index, { kind, pieces }] of batchers.entries()) {
        if (kind !== "tool") continue;
        const block = message.content.find(({ id }: any) => id === `call_${index}`);
        expect(JSON.stringify(block.input)).toBe(JSON.stringify(JSON.parse(pieces.join(""))));
      }
      expect(message.stop_reason).toBe(batchers.some(({ kind }) => kind === "tool") ? "tool_use" : "end_turn");
    }),
    { numRuns: 300 },
  );
});
