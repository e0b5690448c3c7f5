// POST /v1/messages with stream: true on models whose upstream speaks the OpenAI dialect: the events, the charge, interrupted streams, and
// callers who disconnect.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { leave } from "../chat/disconnect.ts";
import { askMessage, eventsOf, hello, messageOf } from "./message-events.ts";

const tools = { supports_tools: true };
const world = chatWorld(
  [
    language("demo/chat", ["chat"], tools),
    language("demo/reason", ["reason-1"], { ...tools, supports_reasoning: true }),
    language("demo/cached", ["chat+sim-prompt-tokens-1000+sim-cached-600"]),
    language("demo/uncounted", ["chat+sim-no-usage+sim-tokens-40"]),
    language("demo/cut", ["chat+sim-cut-after-5"]),
    language("demo/ended", ["chat+sim-end-after-5"]),
    language("demo/error", ["chat+sim-error-after-5"]),
    language("demo/no-done", ["chat+sim-no-done"]),
    language("demo/crooked", ["chat+sim-crlf+sim-comments+sim-split-7"]),
    language("demo/null-tools", ["chat+sim-null-tool-fields"], tools),
    language("demo/whole-tools", ["chat+sim-no-tool-index"], tools),
    language("demo/filtered", ["chat+sim-finish-filtered"]),
    language("demo/paced", ["chat+sim-pace-20ms+sim-tokens-500"]),
    language("demo/measured", ["chat+sim-usage-every-chunk+sim-pace-20ms+sim-tokens-500"]),
    language("demo/hanging", ["chat+sim-hang"]),
    language("demo/fallback", ["chat+sim-fail-503", "chat"]),
    language("demo/down", ["chat+sim-fail-503"]),
    language("demo/rejecting", ["chat+sim-reject-422"]),
  ],
  { aliases: { best: "demo/chat" } },
);

const stream = { stream: true };
const toolNamed = (name: string) => ({
  name,
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
});

describe("200, the events", () => {
  test("come as server-sent events that no proxy holds back, with the headers of a whole answer", async () => {
    const reply = await askMessage(world, await world.account(), { model: "best", ...stream });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-transform",
      "x-accel-buffering": "no",
      "x-svc-model": "demo/chat",
      "x-svc-alias": "best",
      "request-id": reply.headers["x-request-id"],
    });
  });

  test("begin with message_start and a ping and end with message_delta and message_stop, without [DONE]", async () => {
    const reply = await askMessage(world, await world.account(), { model: "demo/chat", ...stream });
    const names = eventsOf(reply).map(({ event }) => event);
    expect(names.slice(0, 3)).toEqual(["message_start", "ping", "content_block_start"]);
    expect(names.slice(-3)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    expect(reply.text).not.toContain("[DONE]");
  });

  test.each([["demo/chat"], ["demo/reason"], ["demo/cached"], ["demo/no-done"], ["demo/crooked"], ["demo/filtered"]])(
    "of %s say what the whole answer says, and cost the same",
    async (model) => {
      const account = await world.account();
      const whole = await askMessage(world, account, { model });
      const message = messageOf(eventsOf(await askMessage(world, account, { model, ...stream })));
      expect({ ...message, id: "" }).toEqual({ ...whole.json, id: "" });
      expect((await world.gateway.balance(account)).spent).toBeCloseTo(2 * whole.json.usage.cost, 8);
    },
  );

  test("open with an estimate of the prompt and close with the measured total", async () => {
    const content = "A lighthouse stands on the shore and shines for the ships. ".repeat(20);
    const reply = await askMessage(world, await world.account(), { model: "demo/chat", ...stream, messages: [{ role: "user", content }] });
    const events = eventsOf(reply);
    const { input_tokens } = messageOf(events).usage;
    expect(events[0]!.data.message.usage.input_tokens / input_tokens).toBeGreaterThan(0.5);
    expect(events[0]!.data.message.usage.input_tokens / input_tokens).toBeLessThan(2);
  });

  test("of thinking come before the text, whose index shifts by one", async () => {
    const events = eventsOf(await askMessage(world, await world.account(), { model: "demo/reason", ...stream }));
    const starts = events.filter(({ event }) => event === "content_block_start").map(({ data }) => data);
    expect(starts).toEqual([
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    ]);
    expect(JSON.stringify(events)).not.toContain("signature_delta");
  });

  test.each([["demo/chat"], ["demo/null-tools"], ["demo/whole-tools"]])(
    "of parallel tool calls of %s are blocks in turn",
    async (model) => {
      const request = {
        model,
        tools: [toolNamed("get_weather"), toolNamed("get_tide")],
        messages: [{ role: "user", content: "Ask get_weather and get_tide." }],
      };
      const account = await world.account();
      const whole = await askMessage(world, account, request);
      const message = messageOf(eventsOf(await askMessage(world, account, { ...request, ...stream })));
      expect(message.stop_reason).toBe("tool_use");
      expect(message.content.map(({ type, name, input }: any) => [type, name, input])).toEqual(
        whole.json.content.map(({ type, name, input }: any) => [type, name, input]),
      );
      expect(message.content).toHaveLength(2);
    },
  );

  test("of a tool call that the cap cut in two end with max_tokens, never as if it were whole", async () => {
    const request = { model: "demo/chat", tools: [toolNamed("get_weather")], tool_choice: { type: "any" }, max_tokens: 5 };
    const account = await world.account();
    const events = eventsOf(await askMessage(world, account, { ...request, ...stream }));
    expect(events.at(-2)!.data.delta.stop_reason).toBe("max_tokens");
    const whole = await askMessage(world, account, request);
    expect(whole.json).toMatchObject({ content: [], stop_reason: "max_tokens" });
  });

  test("of an upstream that counts nothing are counted, charged and marked as an estimate", async () => {
    const account = await world.account();
    const reply = await askMessage(world, account, { model: "demo/uncounted", ...stream });
    const { usage } = messageOf(eventsOf(reply));
    expect(usage.output_tokens).toBe(40);
    expect((await world.gateway.balance(account)).spent).toBe(usage.cost);
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, status: "success", operation: "createMessage" });
  });

  test("of another route say so in the headers", async () => {
    const reply = await askMessage(world, await world.account(), { model: "demo/fallback", ...stream });
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
  });
});

describe("200, an interrupted stream", () => {
  test.each([["demo/cut"], ["demo/ended"], ["demo/error"]])(
    "%s: its last event is an error, no message_stop follows, and nothing is charged",
    async (model) => {
      const account = await world.account();
      const reply = await askMessage(world, account, { model, ...stream });
      expect(reply.status).toBe(200);
      const events = eventsOf(reply);
      const requestId = reply.headers["x-request-id"];
      expect(events.at(-1)!.data).toEqual({
        type: "error",
        error: {
          type: "api_error",
          code: "stream_interrupted",
          message: expect.any(String),
          param: null,
          retryable: true,
          request_id: requestId,
          doc_url: `${world.gateway.url}/docs/errors#stream_interrupted`,
          details: { error_code: "stream_interrupted" },
        },
        request_id: requestId,
      });
      expect(events.map(({ event }) => event)).not.toContain("message_delta");
      await world.expectUntouched(account);
      expect(await world.logOf(reply)).toMatchObject({ status: "failed", error_code: "stream_interrupted", cost: 0n });
    },
  );
});

describe("errors before the first event", () => {
  test.each([
    ["demo/down", 503, "provider_unavailable", "overloaded_error"],
    ["demo/rejecting", 422, "request_rejected", "invalid_request_error"],
    ["demo/none", 404, "model_not_found", "not_found_error"],
  ])("%s is a plain %i %s, no event stream", async (model, status, code, type) => {
    const account = await world.account();
    const reply = await askMessage(world, account, { model, ...stream });
    expect(reply.status).toBe(status);
    expect(reply.headers["content-type"]).toMatch(/^application\/json/);
    expect(reply.json).toMatchObject({ type: "error", error: { type, code }, request_id: reply.headers["request-id"] });
    await world.expectUntouched(account);
  });
});

describe("a caller who disconnects", () => {
  const leaving = (model: string, enough: (text: string) => boolean) => leave(world, "/v1/messages", { model, messages: hello }, enough);

  test("before the answer began pays for the prompt", async () => {
    const { row, balance } = await leaving("demo/hanging", () => true);
    expect(row).toMatchObject({ status: "aborted", estimated: true });
    expect(Number(row.output_tokens)).toBe(0);
    expect(row.cost).toBeGreaterThan(0n);
    expect(balance).toMatchObject({ reserved: 0, spent: Number(row.cost) / 1e8 });
  });

  test.each([
    ["demo/measured", false],
    ["demo/paced", true],
  ])("%s midway pays for what was delivered, estimated: %s", async (model, estimated) => {
    const { row, balance } = await leaving(model, (text) => text.split("text_delta").length > 3);
    expect(row).toMatchObject({ status: "aborted", http_status: 499, estimated });
    expect(Number(row.output_tokens)).toBeGreaterThan(0);
    expect(Number(row.output_tokens)).toBeLessThan(400);
    expect(balance).toMatchObject({ reserved: 0, spent: Number(row.cost) / 1e8 });
  });
});
