// POST /v1/chat/completions with stream: true: the records, the charge, and interrupted streams.
import { describe, expect, test } from "vitest";
import { chatWorld, costUsd, hello, language, prices, recordsOf, textOf } from "./chat-gateway.ts";
import { leave } from "./disconnect.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"], { supports_tools: true }),
    language("demo/reason", ["reason-1"], { supports_reasoning: true }),
    language("demo/uncounted", ["chat+sim-no-usage+sim-tokens-40"]),
    language("demo/cut", ["chat+sim-cut-after-5"]),
    language("demo/ended", ["chat+sim-end-after-5"]),
    language("demo/error", ["chat+sim-error-after-5"]),
    language("demo/no-done", ["chat+sim-no-done"]),
    language("demo/usage-everywhere", ["chat+sim-usage-every-chunk"]),
    language("demo/usage-in-finish", ["chat+sim-usage-in-finish"]),
    language("demo/crooked", ["chat+sim-crlf+sim-comments+sim-split-7"]),
    language("demo/null-tools", ["chat+sim-null-tool-fields"], { supports_tools: true }),
    language("demo/whole-tools", ["chat+sim-no-tool-index"], { supports_tools: true }),
    language("demo/filtered", ["chat+sim-finish-filtered"]),
    language("demo/eos", ["chat+sim-finish-eos"]),
    language("demo/paced", ["chat+sim-pace-20ms+sim-tokens-500"]),
    language("demo/measured", ["chat+sim-usage-every-chunk+sim-pace-20ms+sim-tokens-500"]),
    language("demo/stalled", ["chat+sim-stall-after-4"]),
    language("demo/hanging", ["chat+sim-hang"]),
    language("demo/down", ["chat+sim-fail-503"]),
    language("demo/rejecting", ["chat+sim-reject-422"]),
  ],
  { aliases: { best: "demo/chat" } },
);

const stream = { stream: true };
const counted = { stream: true, stream_options: { include_usage: true } };

describe("200, the records", () => {
  test("are server-sent events that no proxy holds back, with the headers of a whole answer", async () => {
    const reply = await world.chat(await world.account(), { model: "best", ...stream });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-svc-model": "demo/chat",
      "x-svc-alias": "best",
    });
    expect(reply.headers).not.toHaveProperty("content-encoding");
  });

  test("share id, created and model, open with the role, end each choice, and [DONE] is last", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/chat", ...stream });
    const records = recordsOf(reply);
    expect(records.pop()).toBe("[DONE]");
    expect(new Set(records.map(({ id, object, created, model }) => JSON.stringify([id, object, created, model]))).size).toBe(1);
    expect(records[0]).toMatchObject({ object: "chat.completion.chunk", model: "demo/chat" });
    expect(records[0].choices[0].delta.role).toBe("assistant");
    expect(records.every((record) => Array.isArray(record.choices) && !("error" in record))).toBe(true);
    expect(records.at(-1).choices[0].finish_reason).toBe("stop");
    expect(records.slice(0, -1).every((record) => record.choices[0].finish_reason === null)).toBe(true);
    expect(reply.text.endsWith("data: [DONE]\n\n")).toBe(true);
  });

  test("say what the whole answer says, and cost the same", async () => {
    const account = await world.account();
    const whole = await world.chat(account, { model: "demo/chat" });
    const streamed = await world.chat(account, { model: "demo/chat", ...counted });
    expect(textOf(streamed)).toBe(whole.json.choices[0].message.content);
    expect(recordsOf(streamed).at(-2).usage).toEqual(whole.json.usage);
  });

  test("usage comes in a last record with empty choices when it was asked for", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/chat", ...counted });
    const records = recordsOf(reply);
    const { choices, usage } = records.at(-2);
    expect(choices).toEqual([]);
    expect(usage.cost).toBe(costUsd(usage, prices));
    expect(records.slice(0, -2).every((record) => record.usage == null)).toBe(true);
    expect((await world.gateway.balance(account)).spent).toBe(usage.cost);
  });

  test.each([["demo/chat"], ["demo/usage-everywhere"], ["demo/usage-in-finish"]])(
    "of %s show no usage when it was not asked for, and it is charged",
    async (model) => {
      const account = await world.account();
      const reply = await world.chat(account, { model, ...stream });
      expect(reply.text).not.toContain('"usage"');
      expect(recordsOf(reply).every((record) => record === "[DONE]" || record.choices.length > 0)).toBe(true);
      expect((await world.gateway.balance(account)).spent).toBeGreaterThan(0);
      expect(await world.logOf(reply)).toMatchObject({ stream: true, status: "success", estimated: false });
    },
  );

  test.each([["demo/usage-everywhere"], ["demo/usage-in-finish"]])("of %s show usage once", async (model) => {
    const reply = await world.chat(await world.account(), { model, ...counted });
    expect(reply.text.match(/"usage":\{/g)).toHaveLength(1);
  });

  test("of several answers carry each one's index, and each ends", async () => {
    const records = recordsOf(await world.chat(await world.account(), { model: "demo/chat", n: 2, ...stream })).slice(0, -1);
    const ends = records.flatMap((record) => record.choices).filter((choice) => choice.finish_reason !== null);
    expect(ends.map((choice) => choice.index).sort()).toEqual([0, 1]);
  });

  test("of thinking come before the text, under reasoning_content", async () => {
    const records = recordsOf(await world.chat(await world.account(), { model: "demo/reason", ...counted })).slice(0, -2);
    const kinds = records.map(({ choices: [choice] }) =>
      "reasoning_content" in choice.delta ? "thought" : choice.delta.content ? "text" : "other",
    );
    expect(kinds.indexOf("thought")).toBeGreaterThanOrEqual(0);
    expect(kinds.lastIndexOf("thought")).toBeLessThan(kinds.indexOf("text"));
  });

  test.each([["demo/chat"], ["demo/null-tools"], ["demo/whole-tools"]])(
    "of a tool call of %s open it with id, type and name and go on with arguments alone",
    async (model) => {
      const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
      const tools = [{ type: "function", function: { name: "get_weather", parameters } }];
      const records = recordsOf(await world.chat(await world.account(), { model, tools, tool_choice: "required", ...stream })).slice(0, -1);
      const [first, ...later] = records.flatMap((record) => record.choices[0].delta.tool_calls ?? []);
      expect(first).toMatchObject({ index: 0, id: expect.any(String), type: "function", function: { name: "get_weather", arguments: "" } });
      for (const delta of later) expect(Object.keys(delta).sort()).toEqual(["function", "index"]);
      expect(JSON.parse(later.map((delta) => delta.function.arguments).join(""))).toEqual({ city: expect.any(String) });
      expect(records.at(-1).choices[0].finish_reason).toBe("tool_calls");
    },
  );

  test("survive CRLF, comments and splits at every seventh byte unchanged", async () => {
    const account = await world.account();
    const [plain, crooked] = [
      await world.chat(account, { model: "demo/chat", ...stream }),
      await world.chat(account, { model: "demo/crooked", ...stream }),
    ];
    expect(textOf(crooked)).toBe(textOf(plain));
    expect(crooked.text).not.toContain("\r");
  });

  test("end with [DONE] though the upstream left it out", async () => {
    const reply = await world.chat(await world.account(), { model: "demo/no-done", ...stream });
    expect(recordsOf(reply).at(-1)).toBe("[DONE]");
    expect(await world.logOf(reply)).toMatchObject({ status: "success" });
  });

  test.each([
    ["demo/filtered", "content_filter"],
    ["demo/eos", "stop"],
  ])("of %s end with %s", async (model, reason) => {
    expect(recordsOf(await world.chat(await world.account(), { model, ...stream })).at(-2).choices[0].finish_reason).toBe(reason);
  });

  test("of an upstream that counts nothing are counted, charged and marked as an estimate", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/uncounted", ...counted });
    const { usage } = recordsOf(reply).at(-2);
    expect(usage.completion_tokens).toBe(40);
    expect((await world.gateway.balance(account)).spent).toBe(costUsd(usage, prices));
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, status: "success" });
  });
});

describe("200, an interrupted stream", () => {
  test.each([["demo/cut"], ["demo/ended"], ["demo/error"]])(
    "%s: its last record says stream_interrupted, and nothing is charged",
    async (model) => {
      const account = await world.account();
      const reply = await world.chat(account, { model, ...counted });
      expect(reply.status).toBe(200);
      const records = recordsOf(reply);
      expect(records.at(-1)).toBe("[DONE]");
      expect(records.at(-2)).toMatchObject({
        object: "chat.completion.chunk",
        model,
        id: records[0].id,
        choices: [{ index: 0, delta: {}, finish_reason: "error" }],
        error: {
          type: "upstream_error",
          code: "stream_interrupted",
          param: null,
          retryable: true,
          request_id: reply.headers["x-request-id"],
        },
      });
      expect(records.at(-2).error.doc_url).toBe(`${world.gateway.url}/docs/errors#stream_interrupted`);
      expect(records.filter((record) => record.usage)).toEqual([]);
      await world.expectUntouched(account);
      expect(await world.logOf(reply)).toMatchObject({
        status: "failed",
        error_code: "stream_interrupted",
        cost: 0n,
        attempts: [{ outcome: "interrupted" }],
      });
    },
  );
});

describe("errors before the first record", () => {
  test.each([
    ["demo/down", 503, "provider_unavailable"],
    ["demo/rejecting", 422, "request_rejected"],
    ["demo/none", 404, "model_not_found"],
  ])("%s is a plain %i %s, no event stream", async (model, status, code) => {
    const account = await world.account();
    const reply = await world.chat(account, { model, ...stream });
    expect(reply.status).toBe(status);
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    expect(reply.json.error.code).toBe(code);
    await world.expectUntouched(account);
  });
});

describe("a caller who disconnects", () => {
  const leaving = (model: string, enough: (text: string) => boolean) =>
    leave(world, "/v1/chat/completions", { model, messages: hello }, enough);

  test("before the answer began pays for the prompt, and the upstream call is cancelled", async () => {
    const { row, balance } = await leaving("demo/hanging", () => true);
    expect(row).toMatchObject({ status: "aborted", estimated: true, attempts: [{ outcome: "aborted" }] });
    expect(Number(row.output_tokens)).toBe(0);
    expect(row.cost).toBeGreaterThan(0n);
    expect(balance).toMatchObject({ reserved: 0, spent: Number(row.cost) / 1e8 });
  });

  test("midway pays what the upstream had measured until then, where it said so", async () => {
    const { row, balance } = await leaving("demo/measured", (text) => text.split("data: ").length > 3);
    expect(row).toMatchObject({ status: "aborted", estimated: false });
    expect(Number(row.output_tokens)).toBeGreaterThan(0);
    expect(Number(row.output_tokens)).toBeLessThan(400);
    expect(balance).toMatchObject({ reserved: 0, spent: Number(row.cost) / 1e8 });
  });

  test.each([["demo/paced"], ["demo/stalled"]])(
    "%s midway pays for what was delivered, counted, and the upstream call is cancelled",
    async (model) => {
      const { row, balance } = await leaving(model, (text) => text.split("data: ").length > 3);
      expect(row).toMatchObject({ status: "aborted", http_status: 499, estimated: true });
      expect(Number(row.output_tokens)).toBeGreaterThan(0);
      expect(Number(row.output_tokens)).toBeLessThan(400);
      expect(row.cost).toBeGreaterThan(0n);
      expect(balance).toMatchObject({ reserved: 0, spent: Number(row.cost) / 1e8 });
    },
  );
});
