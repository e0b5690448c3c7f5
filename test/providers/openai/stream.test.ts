// Chat streams: records by docs/behaviour/streams.md#chunks, when they begin and how they end. hosts/hosts.test.ts covers what single
// hosts do.
import { describe, expect, test } from "vitest";
import { UpstreamError } from "../../../src/providers/errors/upstream-error.ts";
import type { Answer } from "../upstream-fixture.ts";
import { askStream, assembled, chunk, collect, events, expectFault, fixture, json, sse } from "./chat-fixture.ts";
import { expectRules } from "./rules.ts";

describe("records", () => {
  test("gemini: the thought signature stays on the call's first delta", async () => {
    const records = await collect(await askStream(fixture("gemini/calls-without-index.sse")));
    expect(records[0].choices[0].delta.tool_calls[0].extra_content).toEqual({ google: { thought_signature: "c2ln" } });
  });

  test("openai: service_tier and system_fingerprint stay on every record", async () => {
    const records = await collect(await askStream(fixture("openai/stream.sse")));
    for (const record of records) expect(record).toMatchObject({ service_tier: "default", system_fingerprint: "fp_1" });
  });

  test("several choices, interleaved: each has its role and its end", async () => {
    const one = (index: number, delta: unknown, finish_reason: string | null = null) => ({
      id: "u",
      created: 1,
      choices: [{ index, delta, finish_reason }],
    });
    const stream = await askStream(
      sse(
        one(0, { content: "a" }),
        one(1, { content: "x" }),
        one(0, { content: "b" }),
        one(1, { content: "y" }),
        one(0, {}, "stop"),
        one(1, {}, "length"),
        "[DONE]",
      ),
    );
    const records = await collect(stream);
    expectRules(records);
    expect(assembled(records, 0)).toMatchObject({ content: "ab", finish: "stop" });
    expect(assembled(records, 1)).toMatchObject({ content: "xy", finish: "length" });
    expect(stream.tally).toMatchObject({ deltas: 4, characters: 4 });
  });

  test("several choices, one after the other: the answer is finished when all are", async () => {
    const one = (index: number, delta: unknown, finish_reason: string | null = null) => ({ choices: [{ index, delta, finish_reason }] });
    const stream = await askStream(
      sse(one(0, { content: "a" }), one(0, {}, "stop"), one(1, { content: "x" }), one(1, {}, "stop"), "[DONE]"),
    );
    const finished: boolean[] = [];
    await stream.forEach(() => void finished.push(stream.tally.finished));
    expect(finished).toEqual([false, true, false, true]);
  });
});

test("arguments that wait for their call's name are bounded", async () => {
  const piece = { tool_calls: [{ index: 0, function: { arguments: "x".repeat(1_000_000) } }] };
  await expectFault(askStream(sse(...Array.from({ length: 5 }, () => chunk(piece)))).then(collect), "unreadable");
});

describe("a host that answers whole", () => {
  test.each(["openai/whole", "vllm/reasoning-and-call", "mistral/thinking-parts", "gemini/empty-call-ids"])(
    "%s: all its characters are counted",
    async (name) => {
      const stream = await askStream(json(200, fixture(`${name}.json`)));
      const heard = assembled(await collect(stream));
      expect(stream.tally.characters).toBe(
        heard.content.length +
          heard.reasoning.length +
          heard.calls.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0),
      );
    },
  );
});

describe("when it begins", () => {
  // The role counts as useful: a caller sees at once that the model works, and an error after it interrupts the stream.
  test("a role alone is a beginning, while its host still thinks", async () => {
    const thinking: Answer = (_request, response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(chunk({ role: "assistant", content: "" })));
    const stream = await askStream(thinking, { times: { startAfterMs: 600_000 } });
    stream.cancel();
  });

  test.each([
    ["an error record", sse(chunk({ role: "assistant", content: "" }), { error: { message: "busy", code: 429 } })],
    ["the end of the body", sse(chunk({ role: "assistant", content: "" }))],
  ])("a role, then %s: begun, then interrupted", async (_name, text) => {
    await expectFault(collect(await askStream(text)), "unavailable");
  });

  test("a chunk without choices is no beginning: an error after it still fails the call", async () => {
    const filters = chunk(null, null, { choices: [], prompt_filter_results: [] }); // Azure
    await expectFault(askStream(sse(filters, { error: { message: "busy", code: 429 } })), "rate_limited");
  });

  test("a socket that breaks, an empty stream, a bare [DONE], a page, before anything useful: the call fails", async () => {
    await expectFault(askStream((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": thinking\n\n");
      setTimeout(() => response.destroy(), 20);
    }), "unavailable"); // prettier-ignore
    await expectFault(askStream(""), "unreadable");
    await expectFault(askStream(": only a comment\n\n"), "unreadable");
    await expectFault(askStream(sse("[DONE]")), "unreadable");
    await expectFault(askStream("<html>not a stream</html>"), "unreadable");
    await expectFault(askStream("data: <html>\n\n"), "unreadable");
    await expectFault(askStream(`data: ${"x".repeat(4_300_000)}`), "unreadable");
  });

  test("an accepted call that stays silent begins after the wait, and its records come later", async () => {
    let go: () => void = () => undefined;
    const answer: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      go = () => response.end(sse(chunk({ content: "Hi" }), chunk({}, "stop"), "[DONE]"));
    };
    const stream = await askStream(answer, { times: { startAfterMs: 50 } });
    expect(stream.tally.id).toMatch(/^chatcmpl-/);
    go();
    const records = await collect(stream);
    expectRules(records);
    expect(records[0].id).toBe(stream.tally.id);
    expect(assembled(records).content).toBe("Hi");
  });

  test("an answer that is only an end, or an end by [DONE] after a role, is an answer", async () => {
    expect(assembled(await collect(await askStream(sse(chunk({}, "length"), "[DONE]"))))).toMatchObject({ content: "", finish: "length" });
    expect(assembled(await collect(await askStream(sse(chunk({ role: "assistant" }), "[DONE]"))))).toMatchObject({ finish: "stop" });
  });
});

describe("how it ends", () => {
  const begun = [chunk({ role: "assistant", content: "The" }), chunk({ content: " sea" })];

  test.each([
    ["without a finish reason and without [DONE]", sse(...begun)],
    ["with usage but no end", sse(...begun, chunk(null, null, { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }))],
    ["with an error record", sse(...begun, { error: { message: "overloaded, key sk-demo-secret-0001" } }, "[DONE]")],
    ["with an error beside its end", sse(...begun, chunk({ content: "" }, "error", { error: { code: 502, message: "died" } }), "[DONE]")],
    ["with Groq's error", sse(...begun, { x_groq: { error: "over capacity" } })],
    ["with an error after the end", sse(...begun, chunk({}, "stop"), { error: { message: "late" } }, "[DONE]")],
    ["with an event named error", `${sse(...begun)}event: error\ndata: {"message":"died"}\n\n`],
    ["with a finish reason that means failure", sse(...begun, chunk({}, "insufficient_system_resource"), "[DONE]")],
    [
      "with one of two choices unfinished",
      sse(...begun, { ...chunk({}), choices: [{ index: 1, delta: { content: "x" }, finish_reason: null }] }, chunk({}, "stop")),
    ],
  ])("%s: the records so far, then unavailable", async (_name, text) => {
    const stream = await askStream(text);
    const records: string[] = [];
    const error = await expectFault(
      stream.forEach(({ json: record }) => void records.push(record)),
      "unavailable",
    );
    expect(records.length).toBeGreaterThanOrEqual(2);
    expect(error.message).not.toContain("secret");
  });

  test("a record that is no JSON: unreadable", async () => {
    await expectFault(collect(await askStream(`${sse(...begun)}data: {"choices":[{"index":0,"delta":{"content":"cut\n\n`)), "unreadable");
  });

  test("a socket that breaks: unavailable; after every choice has ended: whole", async () => {
    const breaking =
      (text: string): Answer =>
      (_request, response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(text);
        setTimeout(() => response.destroy(), 20);
      };
    await expectFault(collect(await askStream(breaking(sse(...begun)))), "unavailable");
    expect(assembled(await collect(await askStream(breaking(sse(...begun, chunk({}, "stop"))))))).toMatchObject({
      content: "The sea",
      finish: "stop",
    });
  });

  test("[DONE] is the end, though the host keeps the socket; what follows it is not read", async () => {
    const stream = await askStream(
      (_request, response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(...begun, chunk({}, "stop"), "[DONE]", "nonsense")),
    );
    expect(assembled(await collect(stream)).finish).toBe("stop");
  });

  test("repeated finish reasons are sent once", async () => {
    const records = await collect(await askStream(sse(...begun, chunk({}, "stop"), chunk({ content: "" }, "stop"), "[DONE]")));
    expect(records.filter((record) => record.choices[0].finish_reason !== null)).toHaveLength(1);
  });

  test("words after a choice's end are dropped, so that its last chunk has the reason; usage and other choices still come", async () => {
    const other = (delta: unknown, finish: string | null = null) => ({
      ...chunk({}),
      choices: [{ index: 1, delta, finish_reason: finish }],
    });
    const late = [
      chunk({ content: " late" }),
      chunk({ tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] }, "tool_calls"),
    ];
    const usage = chunk(null, null, { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } });
    const stream = await askStream(
      sse(...begun, other({ content: "a" }), chunk({}, "stop"), ...late, other({ content: "b" }), other({}, "length"), usage, "[DONE]"),
    );
    const records = await collect(stream);
    expectRules(records);
    expect(assembled(records)).toMatchObject({ content: "The sea", calls: [], finish: "stop" });
    expect(assembled(records, 1)).toMatchObject({ content: "ab", finish: "length" });
    expect(stream.tally).toMatchObject({ usage: { input: 3, output: 2 }, characters: 9 });
  });

  test.each([["at once"], ["in a while"]])("a listener that finds the last record broken breaks the stream: %s", async (when) => {
    const stream = await askStream(sse(chunk({ content: "a" }), chunk({ content: "b" }), chunk({}, "stop"), "[DONE]"));
    const broken = new UpstreamError("unreadable", "a tool call goes on after its end", { status: 200 });
    const reading = stream.forEach(({ json: text }) => {
      if (!text.includes('"stop"')) return;
      if (when === "at once") throw broken;
      return Promise.reject(broken);
    });
    await expectFault(reading, "unreadable");
  });

  test("a listener that throws gets its own error back", async () => {
    const stream = await askStream(events(sse(...begun, chunk({}, "stop"), "[DONE]")));
    await expect(stream.forEach(() => Promise.reject(new Error("mine")))).rejects.toThrow("mine");
  });
});
