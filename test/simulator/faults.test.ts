// Every fault that a model id can ask for, the record of calls, and what happens when clients disconnect.
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { startSimulator } from "../../src/simulator/simulator.ts";
import { until } from "../support/eventually.ts";
import { chat, post, readRaw, readStream, useSimulator, userMessage } from "./simulator-fixture.ts";

const simulator = useSimulator();
const ask = (model: string, more = {}) => post(simulator.current, "/v1/chat/completions", { model, messages: userMessage("hi"), ...more });

describe("refusals", () => {
  const expected: [string, number, string | null][] = [
    ["sim-fail-503", 503, null],
    ["m+sim-fail-418", 418, null],
    ["sim-401", 401, "invalid_api_key"],
    ["sim-404", 404, "model_not_found"],
    ["sim-429", 429, "rate_limit_exceeded"],
    ["sim-quota", 429, "insufficient_quota"],
    ["sim-refuse", 400, "content_filter"],
    ["sim-refuse-403", 403, "content_policy_violation"],
    ["sim-reject", 400, "unsupported_value"],
    ["sim-reject-422", 422, "unsupported_value"],
    ["sim-context", 400, "context_length_exceeded"],
    ["sim-200-error", 200, "internal_error"],
    ["sim-nonsense", 400, "unknown_directive"],
    ["m+sim-chats", 400, "unknown_directive"],
    ["sim-fail-20", 400, "unknown_directive"],
    ["sim-tokens-99999999", 400, "unknown_directive"],
  ];
  for (const [model, status, code] of expected) {
    test(`${model}: ${status} ${code ?? "without a code"}`, async () => {
      const reply = await ask(model);
      expect(reply.status).toBe(status);
      expect(((await reply.json()) as { error: unknown }).error).toMatchObject({ code, message: expect.any(String) });
    });
  }

  test("names of the simulator's own and names of others are no directives", async () => {
    for (const model of ["sim-chat", "sim-chat-large", "sim-embed-2-small", "vendor/sim-x", "gpt+x"])
      expect((await ask(model)).status).toBe(200);
  });

  test("the README names every directive that the refusal of an unknown one lists", async () => {
    const { error }: any = await (await ask("sim-nonsense")).json();
    const forms: string[] = error.message.split("Directives: ")[1].split(", ");
    const readme = readFileSync(new URL("../../src/simulator/README.md", import.meta.url), "utf8");
    expect(forms.length).toBeGreaterThan(50);
    expect(forms.filter((form) => !readme.includes(`\`${form}\``))).toEqual([]);
  });

  test("retry-after comes with 429, and where a directive asks for it", async () => {
    expect((await ask("sim-429")).headers.get("retry-after")).toBe("1");
    expect((await ask("sim-fail-503+sim-retry-after-7")).headers.get("retry-after")).toBe("7");
  });

  test("bodies that aren't JSON: html, empty, half; streams too", async () => {
    const html = await ask("sim-html+sim-fail-502");
    expect([html.status, html.headers.get("content-type")]).toEqual([502, "text/html"]);
    expect(await (await ask("sim-empty")).text()).toBe("");
    const half = await (await ask("sim-bad-json")).text();
    expect(half).toContain("chat.completion");
    expect(() => JSON.parse(half)).toThrow();
    expect((await readStream(simulator.current, "sim-empty")).text).toBe("");
    expect((await readStream(simulator.current, "sim-bad-json")).chunks[0]).toBeNull();
  });

  test("requests that make no sense: 400, 404, 413 in the protocol's envelope", async () => {
    expect((await post(simulator.current, "/v1/chat/completions", "{")).status).toBe(400);
    expect(await (await ask("", {})).json()).toMatchObject({ error: { param: "model" } });
    expect(await (await ask("m", { messages: [] })).json()).toMatchObject({ error: { param: "messages" } });
    expect(await (await ask("m", { messages: [null] })).json()).toMatchObject({ error: { param: "messages[0].role" } });
    expect(await (await post(simulator.current, "/v1/nothing", {})).json()).toMatchObject({ error: { code: "unknown_url" } });
    expect((await post(simulator.current, "/v1/embeddings", { model: "m", input: "" })).status).toBe(400);
    expect((await post(simulator.current, "/v1/chat/completions", " ".repeat(64 * 1024 * 1024 + 1))).status).toBe(413);
  });
});

describe("streams that break", () => {
  test("cut: N records arrive, then the socket is gone", async () => {
    const { chunks, broke, done } = await readStream(simulator.current, "m+sim-cut-after-5");
    expect([chunks.length, broke, done]).toEqual([5, true, false]);
    expect(simulator.current.calls()[0]).toMatchObject({ outcome: "broken", records: 5 });
    expect((await readStream(simulator.current, "m+sim-cut-after-0")).chunks).toHaveLength(0);
  });

  test("end: N records and a clean end without finish or [DONE]", async () => {
    const { chunks, broke, done } = await readStream(simulator.current, "m+sim-end-after-4");
    expect([chunks.length, broke, done]).toEqual([4, false, false]);
    expect(chunks.every((chunk: any) => chunk.choices[0].finish_reason === null)).toBe(true);
  });

  test("error: N records, then a record with an error; 200-error begins with it", async () => {
    const { chunks } = await readStream(simulator.current, "m+sim-error-after-2");
    expect(chunks).toHaveLength(3);
    expect((await readStream(simulator.current, "m+sim-error-after-2")).done).toBe(true);
    expect(chunks[2]).toMatchObject({ error: { code: "internal_error" } });
    expect((await readStream(simulator.current, "sim-200-error")).chunks).toMatchObject([{ error: {} }]);
  });

  test("an answer larger than memory is refused, never begun", async () => {
    expect(await (await ask("m+sim-tokens-1000000+sim-big-1000")).json()).toMatchObject({ error: { param: "model" } });
    expect(await (await ask("m+sim-tokens-1000000", { n: 3, stream: true })).json()).toMatchObject({ error: { param: "n" } });
  });

  test("a whole answer: half of its promised bytes and a dead socket, or half of them as if that were all", async () => {
    const whole = await readRaw(simulator.current, { model: "m+sim-comments", messages: userMessage("hi") });
    const cut = await readRaw(simulator.current, { model: "m+sim-cut-after-1", messages: userMessage("hi") });
    expect([cut.broke, Number(cut.headers["content-length"]) - 1 <= cut.text.length * 2]).toEqual([true, true]);
    expect(cut.text.length).toBeLessThan(whole.text.length);
    const ended = await readRaw(simulator.current, { model: "m+sim-end-after-1", messages: userMessage("hi") });
    expect([ended.broke, ended.text.length]).toEqual([false, Number(ended.headers["content-length"])]);
    expect(() => JSON.parse(ended.text)).toThrow();
  });

  test("reset: no byte of an answer", async () => {
    await expect(ask("sim-reset")).rejects.toThrow();
    expect(simulator.current.counters()).toMatchObject({ received: 1, broken: 1 });
  });

  test("framing: CRLF, comments, no [DONE], three bytes at a time: the same chunks", async () => {
    const plain = await readStream(simulator.current, "m");
    const choices = (chunks: any[]) => chunks.map((chunk) => chunk.choices);
    for (const directive of ["sim-crlf", "sim-comments", "sim-no-done", "sim-split-3"]) {
      const odd = await readStream(simulator.current, `m+${directive}`);
      expect(choices(odd.chunks)).toEqual(choices(plain.chunks));
      expect(odd.done).toBe(directive !== "sim-no-done");
    }
    expect((await readStream(simulator.current, "m+sim-crlf")).text).toContain("\r\n\r\n");
    expect((await readStream(simulator.current, "m+sim-comments")).text).toContain(": keep-alive\n\n");
  });
});

describe("flaky", () => {
  test("the first N calls of a model id fail, reset() begins anew, other ids are untouched", async () => {
    const statuses = async (model: string) => [(await ask(model)).status, (await ask(model)).status, (await ask(model)).status];
    expect(await statuses("m+sim-flaky-2")).toEqual([503, 503, 200]);
    expect(await statuses("m+sim-flaky-1+sim-429")).toEqual([429, 200, 200]);
    simulator.current.reset();
    expect(await statuses("m+sim-flaky-2")).toEqual([503, 503, 200]);
  });
});

describe("clients that disconnect", () => {
  for (const model of ["sim-hang", "m+sim-slow-60000ms", "m+sim-stall-after-2", "m+sim-tokens-1000+sim-pace-20ms"]) {
    test(`${model}: the abort is counted and the socket closed`, async () => {
      const leave = new AbortController();
      const reading = ask(model, { stream: true }).then((reply) => reply.text());
      const abandoned = post(
        simulator.current,
        "/v1/chat/completions",
        { model, messages: userMessage("hi"), stream: true },
        leave.signal,
      ).then((reply) => reply.text());
      void reading.catch(() => undefined);
      await until(() => simulator.current.counters().received === 2);
      leave.abort();
      await expect(abandoned).rejects.toThrow();
      await until(() => simulator.current.counters().aborted === 1);
      expect(simulator.current.counters()).toMatchObject({ received: 2, answered: 0 });
      expect(simulator.current.calls().filter(({ outcome }) => outcome === "open")).toHaveLength(1);
    });
  }

  test("a reader that doesn't read stops the writer, and is let go when it leaves", async () => {
    const body = JSON.stringify({ model: "m+sim-tokens-2000+sim-big-100000", messages: userMessage("hi"), stream: true });
    const call = request(`${simulator.current.url}/v1/chat/completions`, { method: "POST", agent: false });
    call.on("error", () => undefined).end(body);
    const reply = await new Promise<NodeJS.ReadableStream>((resolve) => call.on("response", resolve));
    reply.on("error", () => undefined).pause();
    const records = () => simulator.current.calls()[0]!.records;
    let before = -1;
    while (before !== records()) {
      before = records();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // The kernel's buffers take some megabytes; the answer has two hundred.
    expect(records()).toBeLessThan(1000);
    call.destroy();
    await until(() => simulator.current.counters().aborted === 1);
  });

  test("close() ends hanging calls", async () => {
    const other = await startSimulator();
    const hanging = post(other, "/v1/chat/completions", { model: "sim-hang", messages: userMessage("hi") });
    void hanging.catch(() => undefined);
    await until(() => other.counters().received === 1);
    await other.close();
    await expect(hanging).rejects.toThrow();
    expect(other.counters().openSockets).toBe(0);
  });
});

describe("the record", () => {
  test("over the wire: headers, bodies and counters, bounded, and DELETE forgets them", async () => {
    for (let count = 0; count < 620; count += 1) await (await ask("m")).arrayBuffer();
    const read = async (method: string): Promise<any> => (await fetch(`${simulator.current.url}/__sim/calls`, { method })).json();
    const { counters, calls } = await read("GET");
    expect(counters).toMatchObject({ received: 620, answered: 620, aborted: 0 });
    expect(calls).toHaveLength(500);
    expect(calls[0]).toMatchObject({ method: "POST", path: "/v1/chat/completions", model: "m", status: 200, outcome: "answered" });
    expect(calls[0].json.messages).toEqual(userMessage("hi"));
    expect(calls[0].headers["content-type"]).toBe("application/json");
    expect((await read("DELETE")).calls).toEqual([]);
  });

  test("the same request gives the same bytes, from memory or anew", async () => {
    const first = await chat(simulator.current, "m");
    const again = await chat(simulator.current, "m");
    const other = await startSimulator();
    expect(again).toEqual(first);
    expect(await chat(other, "m")).toEqual(first);
    await other.close();
  });
});
