// Streamed answers byte by byte, from every kind of upstream: the promises that clients lean on without saying so
// (docs/behaviour/streams.md). The form itself is asserted in raw-streams.ts for each answer read here.
import { describe, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { costIn, quiet, userMessage, useClients } from "./clients.ts";
import { readRaw } from "./raw-streams.ts";

const clients = useClients();
const messages = userMessage('Tell me about the sea, in "quotes", \\ and 🌊 – grüß Gott.');
const include_usage = { stream_options: { include_usage: true } };

async function read(model: string, body: object = {}) {
  const customer = await clients.customer();
  const raw = await readRaw(clients.gateway.url, customer.account.key, { model, messages, ...body });
  return { ...raw, customer, last: raw.chunks.at(-1) };
}

const whole = [
  ["plain/chat", "stop"],
  ["plain/long", "stop"],
  ["plain/commented", "stop"],
  ["plain/no-done", "stop"],
  ["plain/no-usage", "stop"],
  ["plain/usage-every-chunk", "stop"],
  ["plain/usage-in-finish", "stop"],
  ["plain/error-first", "stop"], // an error as the first record: the second route answers, and nothing of the first is seen
  ["plain/hangs-then-second", "stop"],
  ["plain/other-model", "stop"],
  ["plain/eos", "stop"],
  ["plain/finish-empty", "stop"],
  ["plain/filtered", "content_filter"],
  ["think/plain", "stop"],
  ["think/other-field", "stop"],
] as const;

describe.each(whole)("%s", (model) => {
  test("usage not asked: no chunk without choices and none with usage; the last chunk ends the answer", async () => {
    const { chunks, last, customer } = await read(model);
    expect(chunks.filter(({ choices }) => choices.length === 0)).toEqual([]);
    expect(chunks.filter((chunk) => "usage" in chunk && chunk.usage !== null)).toEqual([]);
    expect(last.choices[0].finish_reason).not.toBeNull();
    expect(await customer.spent()).toBeGreaterThan(0);
  });

  test("the text is the same as the whole answer's", async () => {
    const { chunks, customer } = await read(model);
    const whole = await customer.openai().chat.completions.create({ model, messages });
    expect(chunks.map(({ choices }) => choices[0].delta.content ?? "").join("")).toBe(whole.choices[0]!.message.content);
  });

  test("usage asked: exactly one chunk has it, the last, with no choices; its cost is what the balance fell by", async () => {
    const { chunks, last, customer } = await read(model, include_usage);
    expect(chunks.filter(({ usage }) => usage != null)).toEqual([last]);
    expect(last.choices).toEqual([]);
    expect(last.usage.total_tokens).toBe(last.usage.prompt_tokens + last.usage.completion_tokens);
    expect(await customer.spent()).toBe(costIn(last.usage));
  });
});

describe("finish reasons", () => {
  test.each(whole)("%s ends with %s", async (model, reason) => {
    const { last } = await read(model);
    expect(last.choices[0].finish_reason).toBe(reason);
  });

  test("max_tokens reached: length", async () => {
    const { last } = await read("plain/long", { max_tokens: 3 });
    expect(last.choices[0].finish_reason).toBe("length");
  });
});

describe("tools", () => {
  const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
  const tools = ["get_weather", "get_time"].map((name) => ({ type: "function", function: { name, parameters } }));

  test.each(["plain/chat", "tools/null-fields", "tools/no-index", "tools/whole-calls"])(
    "%s: calls have indexes 0 and 1, ids and the end tool_calls",
    async (model) => {
      const { chunks, last } = await read(model, { messages: userMessage("Call get_weather and get_time"), tools });
      const calls = chunks.flatMap(({ choices }) => choices[0].delta.tool_calls ?? []);
      expect(calls.filter(({ id }) => id !== undefined).map(({ index, type, function: called }) => [index, type, called])).toEqual([
        [0, "function", { name: "get_weather", arguments: "" }],
        [1, "function", { name: "get_time", arguments: "" }],
      ]);
      expect(last.choices[0].finish_reason).toBe("tool_calls");
    },
  );
});

test("several choices: each begins with its role and has one end of its own", async () => {
  const { chunks } = await read("plain/chat", { n: 3 });
  const ends = chunks.filter(({ choices }) => choices[0].finish_reason !== null).map(({ choices }) => choices[0].index as number);
  expect(ends.sort()).toEqual([0, 1, 2]);
});

describe.each(["broken/error-record", "broken/cut", "broken/early-end"])("%s", (model) => {
  test("the last chunk has finish_reason error and a top-level error with the header's request id; then [DONE], and no usage", async () => {
    const { chunks, last, headers, customer } = await read(model, include_usage);
    expect(last).toMatchObject({
      choices: [{ index: 0, delta: {}, finish_reason: "error" }],
      error: { type: "upstream_error", code: "stream_interrupted", param: null, retryable: true, request_id: headers["x-request-id"] },
    });
    expect(last.error.doc_url).toBe(`${clients.gateway.url}/docs/errors#stream_interrupted`);
    expect(chunks.filter(({ usage }) => usage != null)).toEqual([]);
    expect(await customer.spent()).toBe(0);
  });
});

test.each(["fail/rejects-400", "fail/refuses", "plain/nothing", "fail/unreadable", "fail/down", "fail/gone"])(
  "%s: a refused stream is JSON with a status, never an event stream",
  async (model) => {
    const { key } = (await clients.customer()).account;
    const reply = await clients.gateway.request("POST", "/v1/chat/completions", { key, body: { model, messages, stream: true } });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.headers["content-type"]).toBe("application/json");
    expect(reply.json.error.request_id).toBe(reply.headers["x-request-id"]);
    expect(reply.text).not.toContain("data:");
  },
);

test("an upstream's own id, model and fingerprint: id and fingerprint stay, the model is the one that was asked for", async () => {
  const { chunks } = await read("plain/chat");
  expect(chunks[0]).toMatchObject({ id: expect.stringMatching(/^chatcmpl-/), model: "plain/chat", system_fingerprint: "fp_simulator" });
});

test("the charge is settled before [DONE] is sent: whoever has read it reads the new balance", async () => {
  const { customer, last } = await read("plain/chat", include_usage);
  expect(await clients.gateway.balance(customer.account)).toMatchObject({ reserved: 0, spent: costIn(last.usage) });
});

test("a socket that dies in the middle of a stream is settled, and the upstream is left", async () => {
  const customer = await clients.customer();
  clients.gateway.simulator.reset();
  const controller = new AbortController();
  const response = await fetch(`${clients.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${customer.account.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "plain/unhurried", messages, stream: true }),
    signal: controller.signal,
  });
  const reader = response.body!.getReader();
  for (let seen = ""; !/"content":"[^"]/.test(seen);) seen += Buffer.from((await reader.read()).value!).toString();
  controller.abort();
  await until(() => clients.gateway.simulator.counters().aborted === 1);
  await quiet(clients.gateway);
  expect(await customer.spent()).toBeGreaterThan(0);
});
