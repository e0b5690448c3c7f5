// A message as a chat answer, whole and streamed: both say the same (docs/behaviour/translation.md#message-stream-to-chat).
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { events, expectFault, json } from "../providers/openai/chat-fixture.ts";
import { startHost } from "../providers/upstream-fixture.ts";
import {
  answer,
  askChat,
  end,
  fixture,
  publicModel,
  sse,
  start,
  stop,
  textBlock,
  type MessageAsk,
} from "../providers/anthropic/message-fixture.ts";
import { assembled } from "../providers/openai/chat-fixture.ts";

async function wholeOf(content: object[], more: object = {}) {
  const whole = await askChat(await startHost(json(200, JSON.stringify(answer(content, more)))));
  if (whole.kind !== "whole") throw new Error("a whole answer was expected");
  return { ...whole, choice: whole.completion.choices[0]! };
}

async function streamOf(body: string, options: MessageAsk = {}) {
  const stream = await askChat(await startHost(events(body)), { ...options, stream: true });
  if (stream.kind !== "stream") throw new Error("a stream was expected");
  const records: any[] = [];
  await stream.forEach(({ json: text }) => void records.push(JSON.parse(text)));
  return { records, tally: stream.tally };
}

function expectRules(records: any[]): void {
  const [head] = records;
  expect(head.choices[0].delta).toEqual({ role: "assistant", content: "" });
  const started = new Set<number>();
  records.forEach((record, at) => {
    expect(record).toMatchObject({ id: head.id, object: "chat.completion.chunk", created: head.created, model: publicModel });
    expect(record.choices).toHaveLength(1);
    const { index, delta, finish_reason } = record.choices[0];
    expect(index).toBe(0);
    if (at > 0) expect(delta).not.toHaveProperty("role");
    expect(finish_reason === null).toBe(at < records.length - 1);
    for (const call of delta.tool_calls ?? []) {
      if (started.has(call.index)) expect(call).toEqual({ index: call.index, function: { arguments: expect.any(String) } });
      else
        expect(call).toMatchObject({ index: started.size, id: expect.stringMatching(/./), type: "function", function: { arguments: "" } });
      started.add(call.index);
    }
  });
}

describe("whole", () => {
  test("text, thinking and calls, arguments as JSON text", async () => {
    const content = [
      { type: "thinking", thinking: "Hmm", signature: "x" },
      { type: "text", text: "A" },
      { type: "text", text: "B" },
      { type: "tool_use", id: "toolu_1", name: "look", input: { q: 1 } },
    ];
    const { choice, completion, usage } = await wholeOf(content, { stop_reason: "tool_use" });
    expect(completion).toMatchObject({ id: expect.stringMatching(/^chatcmpl-/), object: "chat.completion", model: publicModel });
    expect(choice).toEqual({
      index: 0,
      message: {
        ...{ role: "assistant", content: "AB", refusal: null, reasoning_content: "Hmm" },
        tool_calls: [{ id: "toolu_1", type: "function", function: { name: "look", arguments: '{"q":1}' } }],
      },
      ...{ logprobs: null, finish_reason: "tool_calls" },
    });
    expect(usage).toMatchObject({ input: 9, output: 4 });
  });

  test.each([
    ["end_turn", "stop"],
    ["pause_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "content_filter"],
  ])("%s is %s, streamed as well", async (reason, finish) => {
    expect((await wholeOf([{ type: "text", text: "A" }], { stop_reason: reason })).choice.finish_reason).toBe(finish);
    expect((await streamOf(sse(start(), ...textBlock(0, "A"), end(reason), stop))).records.at(-1).choices[0].finish_reason).toBe(finish);
  });

  test("a refusal's text is in refusal, else its explanation", async () => {
    const { message } = (await wholeOf([{ type: "text", text: "I can't." }], { stop_reason: "refusal" })).choice;
    expect(message).toMatchObject({ content: null, refusal: "I can't." });
    const explained = await wholeOf([], { stop_reason: "refusal", stop_details: { type: "refusal", explanation: "No." } });
    expect(explained.choice.message).toMatchObject({ content: null, refusal: "No." });
  });

  test("nothing said is null", async () => {
    expect((await wholeOf([])).choice).toMatchObject({ message: { content: null }, finish_reason: "stop" });
  });
});

describe("streamed", () => {
  test("thinking, text, calls: tool indexes count tools alone; a call without pieces gets its arguments", async () => {
    const { records, tally } = await streamOf(fixture("thinking-tools"));
    expectRules(records);
    expect(assembled(records)).toEqual({
      ...{ content: "Looking.", reasoning: "Two tools.", finish: "tool_calls" },
      calls: [
        { id: "toolu_1", name: "look", arguments: '{"q": 12345678901234567890}' },
        { id: "toolu_2", name: "list", arguments: "{}" },
        { id: "toolu_3", name: "whole", arguments: '{"a":[1]}' },
      ],
    });
    expect(tally).toMatchObject({ id: records[0].id, created: records[0].created, usage: { cacheRead: 100, cacheWrite: 20, output: 77 } });
  });

  test("interleaved calls keep their own arguments", async () => {
    const { records } = await streamOf(fixture("interleaved"));
    expectRules(records);
    expect(assembled(records).calls.map((call) => call.arguments)).toEqual(['{"a":1}', '{"b":2}']);
  });

  test("a broken stream ends without a finish reason", async () => {
    await expectFault(streamOf(sse(start(), ...textBlock(0, "A"))), "unavailable");
  });

  const text = fc.string({ minLength: 1, maxLength: 8, unit: "binary" });
  const block = fc.oneof(
    fc.record({ type: fc.constant("text"), text }),
    fc.record({ type: fc.constant("thinking"), thinking: text, signature: fc.constant("x") }),
    fc.record({
      type: fc.constant("tool_use"),
      id: fc.stringMatching(/^toolu_\w{4}$/),
      name: fc.stringMatching(/^[a-z]{1,8}$/),
      input: fc.dictionary(fc.stringMatching(/^[a-z]{1,4}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    }),
  );

  test("says the same as the whole answer, whatever the blocks and pieces", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(block, { maxLength: 5 }), fc.integer({ min: 1, max: 5 }), async (content, width) => {
        const { choice } = await wholeOf(content);
        const { records } = await streamOf(sse(start(), ...content.flatMap((one, index) => eventsOf(one, index, width)), end(), stop));
        expectRules(records);
        const { content: text, reasoning, calls, finish } = assembled(records);
        expect(text).toBe(choice.message.content ?? "");
        expect(reasoning).toBe(choice.message.reasoning_content ?? "");
        expect(finish).toBe(choice.finish_reason);
        expect(calls).toEqual((choice.message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })));
      }),
      { numRuns: 40 },
    );
  });
});

/** A block as Anthropic streams it, in pieces of so many characters. */
function eventsOf(block: any, index: number, width: number): any[] {
  const [key, type, said] =
    block.type === "tool_use"
      ? ["partial_json", "input_json_delta", JSON.stringify(block.input)]
      : [block.type, `${block.type}_delta`, block[block.type]];
  const empty = block.type === "tool_use" ? { input: {} } : { [block.type]: "" };
  const characters = [...said];
  const pieces = Array.from({ length: Math.ceil(characters.length / width) }, (_, at) =>
    characters.slice(at * width, (at + 1) * width).join(""),
  );
  return [
    { type: "content_block_start", index, content_block: { ...block, ...empty } },
    ...pieces.map((piece) => ({ type: "content_block_delta", index, delta: { type, [key]: piece } })),
    { type: "content_block_stop", index },
  ];
}
