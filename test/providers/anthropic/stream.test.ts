// Streams of Anthropic's hosts: their events (docs/behaviour/streams.md#message-events), when they begin, how they end, what is counted.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { events, expectFault, json } from "../openai/chat-fixture.ts";
import type { Answer } from "../upstream-fixture.ts";
import { answer, askStream, collect, end, fixture, publicModel, sse, start, stop, textBlock } from "./message-fixture.ts";

const types = (records: any[]) => records.map(({ type }) => type);
const dead: Answer = (_request, response) => {
  response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(start(), ...textBlock(0, "Hi")));
  setTimeout(() => response.destroy(), 20);
};

/** What a client puts together by index, as Anthropic's SDK does. */
function blocksOf(records: any[]): any[] {
  const blocks: any[] = [];
  const open = new Set<number>();
  for (const record of records) {
    if (record.type === "content_block_start") {
      expect([...open, record.index]).toEqual([blocks.length]);
      blocks.push({ ...record.content_block, json: "" });
      open.add(record.index);
    } else if (record.type === "content_block_delta") {
      expect(open.has(record.index)).toBe(true);
      const block = blocks[record.index];
      const { delta } = record;
      if (delta.type === "text_delta") block.text += delta.text;
      else if (delta.type === "thinking_delta") block.thinking += delta.thinking;
      else if (delta.type === "input_json_delta") block.json += delta.partial_json;
      else if (delta.type === "citations_delta") block.citations.push(delta.citation);
      else throw new Error(`undeclared delta ${delta.type}`);
    } else if (record.type === "content_block_stop") expect(open.delete(record.index)).toBe(true);
  }
  expect(open.size).toBe(0);
  return blocks;
}

describe("records", () => {
  test("text: the public model, an output of 0, the measured prompt; the end is kept for the flow", async () => {
    const stream = await askStream(fixture("text"));
    const records = await collect(stream);
    expect(records[0]).toEqual({
      type: "message_start",
      message: {
        ...{ id: "msg_01A", type: "message", role: "assistant", model: publicModel, content: [], stop_reason: null, stop_sequence: null },
        usage: { input_tokens: 9, cache_creation_input_tokens: 0, cache_read_input_tokens: 2, output_tokens: 0 },
      },
    });
    expect(types(records)).toEqual([
      ...["message_start", "content_block_start", "ping", "content_block_delta", "content_block_delta", "content_block_stop"],
    ]);
    expect(blocksOf(records)).toEqual([{ type: "text", text: 'The "sea" is\nwide.', json: "" }]);
    expect(stream.tally).toEqual({
      usage: { input: 9, cacheRead: 2, cacheWrite: 0, output: 4, reasoning: 0, serviceTier: "standard" },
      prompt: { input: 9, cacheRead: 2, cacheWrite: 0 },
      ...{ deltas: 2, characters: 18, end: { stop_reason: "end_turn", stop_sequence: null } },
      ...{ covered: { deltas: 2, characters: 18 }, finished: true, ended: 1, reasoned: false, servedTier: "standard" },
    });
  });

  test("thinking without its signature, tools, citations; a server's tool is dropped and indexes close up", async () => {
    const stream = await askStream(fixture("thinking-tools"));
    const records = await collect(stream);
    expect(blocksOf(records)).toEqual([
      { type: "thinking", thinking: "Two tools.", signature: "", json: "" },
      { type: "text", text: "Looking.", citations: [{ type: "char_location", cited_text: "Look", document_index: 0 }], json: "" },
      { type: "tool_use", id: "toolu_1", name: "look", input: {}, json: '{"q": 12345678901234567890}' },
      { type: "tool_use", id: "toolu_2", name: "list", input: {}, json: "" },
      { type: "tool_use", id: "toolu_3", name: "whole", input: {}, json: '{"a":[1]}' },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/signature_delta|EqQB|caller|claude-up|srvtoolu/);
    expect(stream.tally.usage).toEqual({ input: 31, cacheRead: 100, cacheWrite: 20, output: 77, reasoning: 40 });
    expect(stream.tally.end).toEqual({ stop_reason: "tool_use", stop_sequence: null });
  });

  test("interleaved blocks with gaps in their indexes: one after the other from 0, closed where the host left them open", async () => {
    const stream = await askStream(fixture("interleaved"));
    const records = await collect(stream);
    expect(records[0].message.usage.input_tokens).toBe(7); // the estimate: the host said 0
    expect(blocksOf(records).map(({ json: text }) => text)).toEqual(['{"a":1}', '{"b":2}']);
    expect(stream.tally.usage).toMatchObject({ input: 9, output: 12 });
  });

  test("blocks that wait for an open one are bounded", async () => {
    const text = { type: "text_delta", text: "x".repeat(1_000_000) };
    const flood = Array.from({ length: 5 }, () => ({ type: "content_block_delta", index: 1, delta: text }));
    const opened = [0, 1].map((index) => ({ type: "content_block_start", index, content_block: { type: "text", text: "" } }));
    await expectFault(askStream(sse(start(), ...opened, ...flood)).then(collect), "unreadable");
  });

  test("text that comes in the block's start is not lost, and neither is arguments' truncated JSON completed", async () => {
    const tool = { type: "content_block_start", index: 1, content_block: { type: "tool_use", id: "t", name: "look", input: {} } };
    const piece = { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: '{"q":"ha' } };
    const text = { type: "content_block_start", index: 0, content_block: { type: "text", text: "Early" } };
    const stream = await askStream(sse(start(), text, tool, piece, end("max_tokens"), stop));
    const [first, second] = blocksOf(await collect(stream));
    expect(first.text).toBe("Early");
    expect(second.json).toBe('{"q":"ha');
    expect(stream.tally.end!.stop_reason).toBe("max_tokens");
  });

  test("unknown events are ignored; redacted thinking stays", async () => {
    const redacted = { type: "content_block_start", index: 0, content_block: { type: "redacted_thinking", data: "abc" } };
    const body = sse(start(), { type: "novelty", x: 1 }, redacted, { type: "content_block_stop", index: 0 }, end(), stop);
    expect(blocksOf(await collect(await askStream(body)))).toEqual([{ type: "redacted_thinking", data: "abc", json: "" }]);
  });

  test.each(["text", "thinking-tools", "interleaved"])("%s: however the bytes are cut, the same records", async (name) => {
    const bytes = Buffer.from(fixture(name));
    const whole = await collect(await askStream(fixture(name)));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), fc.boolean(), async (cuts, crlf) => {
        const text = crlf ? Buffer.from(fixture(name).replaceAll("\n", "\r\n")) : bytes;
        const edges = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = edges.slice(1).map((to, at) => text.subarray(edges[at], to));
        const piecewise: Answer = (_request, response) => {
          response.writeHead(200, { "content-type": "text/event-stream" });
          const next = () => {
            const piece = pieces.shift();
            if (piece === undefined) return void response.end();
            response.write(piece, () => setImmediate(next));
          };
          next();
        };
        expect(await collect(await askStream(piecewise))).toEqual(whole);
      }),
      { numRuns: 15 },
    );
  });
});

describe("the end", () => {
  test("without message_stop, but with a stop reason: ended", async () => {
    const stream = await askStream(sse(start(), ...textBlock(0, "Hi"), end()));
    await collect(stream);
    expect(stream.tally.end).toMatchObject({ stop_reason: "end_turn" });
  });

  test("message_stop alone: ended, with a stop reason that fits the blocks", async () => {
    const stream = await askStream(sse(start(), ...textBlock(0, "Hi"), stop));
    await collect(stream);
    expect(stream.tally).toMatchObject({ end: { stop_reason: "end_turn" }, usage: null });
  });

  test("neither: interrupted, however cleanly the socket closed", async () => {
    const stream = await askStream(sse(start(), ...textBlock(0, "Hi")));
    await expectFault(collect(stream), "unavailable");
    expect(stream.tally).toMatchObject({ usage: null, prompt: { input: 9 }, characters: 2, deltas: 1 });
  });

  test("a dead socket: interrupted", async () => {
    await expectFault(collect(await askStream(dead)), "unavailable");
  });

  test("a refusal keeps its details; an unknown stop reason counts as end_turn", async () => {
    const details = { type: "refusal", category: "bio", explanation: "No." };
    const refused = { type: "message_delta", delta: { stop_reason: "refusal", stop_details: details }, usage: { output_tokens: 1 } };
    const stream = await askStream(sse(start(), refused, stop));
    expect(await collect(stream)).toHaveLength(1);
    expect(stream.tally.end).toEqual({ stop_reason: "refusal", stop_sequence: null, stop_details: details });
    const odd = await askStream(sse(start(), ...textBlock(0, "Hi"), end("novelty"), stop));
    await collect(odd);
    expect(odd.tally.end!.stop_reason).toBe("end_turn");
  });

  test("totals overwrite; the start's prompt counts where the end is silent; no usage is null", async () => {
    const twice = await askStream(
      sse(start(), ...textBlock(0, "Hi"), end("end_turn", { output_tokens: 2 }), end("end_turn", { output_tokens: 5 }), stop),
    );
    await collect(twice);
    expect(twice.tally.usage).toMatchObject({ input: 9, output: 5 });
    const zeros = await askStream(sse(start(), ...textBlock(0, "Hi"), end("end_turn", { input_tokens: 0, output_tokens: 5 }), stop));
    await collect(zeros);
    expect(zeros.tally.usage).toMatchObject({ input: 9, output: 5 });
    const none = await askStream(sse(start({ usage: undefined }), ...textBlock(0, "Hi"), end("end_turn", null), stop));
    await collect(none);
    expect(none.tally.usage).toBeNull();
  });
});

describe("failures before anything was said: another route may be tried", () => {
  const error = (type: string, message = "No.") => ({ type: "error", error: { type, message }, request_id: "req_up" });
  test.each([
    ["overloaded_error", "unavailable"],
    ["api_error", "unavailable"],
    ["rate_limit_error", "rate_limited"],
    ["authentication_error", "our_fault"],
    ["permission_error", "our_fault"],
    ["invalid_request_error", "rejected"],
    ["not_found_error", "gone"],
  ] as const)("error event %s: %s, also after message_start and a ping", async (type, fault) => {
    await expectFault(askStream(sse(error(type))), fault);
    await expectFault(askStream(sse(start(), { type: "ping" }, error(type))), fault);
  });

  test.each([
    ["nothing", ""],
    ["no message_start", sse(...textBlock(0, "Hi"))],
    ["no JSON", "event: message_start\ndata: {\n\n"],
    ["a piece of no block", sse(start(), { type: "content_block_delta", index: 3, delta: { type: "text_delta", text: "x" } })],
    [
      "blocks that can't be shown alone",
      sse(start(), { type: "content_block_start", index: 0, content_block: { type: "video" } }, end(), stop),
    ],
  ])("%s: unreadable", async (_, body) => {
    await expectFault(askStream(body), "unreadable");
  });

  test("after the first block an error breaks the stream", async () => {
    const stream = await askStream(sse(start(), ...textBlock(0, "Hi"), error("overloaded_error", "Overloaded")));
    const broken = await expectFault(collect(stream), "unavailable");
    expect(broken).toMatchObject({ reason: "Overloaded", status: 529 });
  });
});

describe("beginning and leaving", () => {
  const slow =
    (rest: string): Answer =>
    (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(start(), { type: "ping" }));
      setTimeout(() => response.end(rest), 150);
    };

  test("a host that thinks before its first block has begun after a while, and nothing is lost or out of order", async () => {
    const stream = await askStream(slow(sse(...textBlock(0, "Hi"), end(), stop)), { times: { startAfterMs: 20 } });
    expect(stream.tally.characters).toBe(0);
    expect(types(await collect(stream))).toEqual([
      ...["message_start", "ping", "content_block_start", "content_block_delta", "content_block_stop"],
    ]);
  });

  test("an abort in mid-stream rejects with its reason; what the prompt was is known", async () => {
    const leaving = new AbortController();
    const endless: Answer = (_request, response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(start(), ...textBlock(0, "Hi").slice(0, 2)));
    const stream = await askStream(endless, { signal: leaving.signal });
    const reading = stream.forEach(({ event }) => {
      if (event === "content_block_delta") leaving.abort(new Error("left"));
    });
    await expect(reading).rejects.toThrow("left");
    expect(stream.tally).toMatchObject({ usage: null, prompt: { input: 9, cacheRead: 0, cacheWrite: 0 }, characters: 2 });
  });

  test("a JSON answer to a streaming call is replayed as a stream", async () => {
    const content = [
      { type: "thinking", thinking: "Hmm", signature: "abc" },
      { type: "text", text: "Hi", citations: null },
      { type: "tool_use", id: "t", name: "look", input: { q: 1 } },
    ];
    const stream = await askStream(json(200, JSON.stringify(answer(content, { stop_reason: "tool_use" }))));
    const records = await collect(stream);
    expect(blocksOf(records)).toMatchObject([{ thinking: "Hmm", signature: "" }, { text: "Hi" }, { input: {}, json: '{"q":1}' }]);
    expect(records[0].message).toMatchObject({ model: publicModel, usage: { input_tokens: 9, output_tokens: 0 } });
    expect(stream.tally).toMatchObject({ usage: { input: 9, output: 4 }, end: { stop_reason: "tool_use" }, characters: 16 });
  });

  test("an error under 200 for a streaming call the error decides the fault", async () => {
    await expectFault(askStream(json(200, '{"type":"error","error":{"type":"overloaded_error","message":"x"}}')), "unavailable");
    await expectFault(
      askStream(events('event: error\ndata: {"type":"error","error":{"type":"api_error","message":"x"}}\n\n')),
      "unavailable",
    );
  });
});
