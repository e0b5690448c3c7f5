// What POST /v1/messages refuses: every code that the contract declares, in Anthropic's envelope, without a charge.
import { describe, expect, test } from "vitest";
import type { TestReply } from "../../support/gateway.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { assistantMessage, unreadable } from "./message-contents.ts";
import { askMessage, hello } from "./message-events.ts";

const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true };
const world = chatWorld([
  language("demo/chat", ["chat"]),
  language("demo/able", ["able"], able),
  language("demo/down", ["chat+sim-fail-503"]),
  language("demo/gone", ["gone+sim-404"]),
  language("demo/unreadable", ["chat+sim-html"]),
  language("demo/refused", ["refused+sim-refuse"]),
  ...[400, 413, 422].map((status) => language(`reject/${status}`, [`chat+sim-reject-${status}`])),
  language("demo/dear", ["dear"], { pricing: { mode: "per-token", input: 1000, output: 1000 } }),
  {
    id: "demo/vectors",
    type: "embedding",
    context_window: 8192,
    pricing: { mode: "per-token", input: 0.02 },
    routes: [{ provider: "north", model: "e" }],
  },
]);

/** Sends the request, expects the error in its envelope, and that nothing was charged. */
async function refused(body: object, status: number, type: string, code: string, param: string | null = null): Promise<TestReply> {
  const account = await world.account();
  const reply = await askMessage(world, account, body);
  expect(reply.status, reply.text).toBe(status);
  const requestId = reply.headers["x-request-id"];
  expect(reply.json).toMatchObject({ type: "error", error: { type, code, param, request_id: requestId }, request_id: requestId });
  expect(reply.headers["request-id"]).toBe(requestId);
  expect(reply.headers["x-should-retry"]).toBe(String(reply.json.error.retryable));
  await world.expectUntouched(account);
  return reply;
}

describe("upstreams that do not serve", () => {
  test.each([
    ["demo/down", 503, "overloaded_error", "provider_unavailable"],
    ["demo/gone", 503, "api_error", "model_unavailable"],
    ["demo/unreadable", 502, "api_error", "upstream_invalid_response"],
    ["demo/refused", 403, "permission_error", "route_refused"],
  ])("%s: %i %s, code %s", async (model, status, type, code) => {
    await refused({ model }, status, type, code);
  });

  test.each([
    [400, "invalid_request_error"],
    [413, "request_too_large"],
    [422, "invalid_request_error"],
  ])("%i request_rejected, in the upstream's own words, which agents match", async (status, type) => {
    const { json } = await refused({ model: `reject/${status}`, temperature: 0.3 }, status, type, "request_rejected", "temperature");
    expect(json.error.message).toContain("Unsupported value: 'temperature' does not support this value with this model.");
  });
});

describe("404 model_not_found and 400 wrong_endpoint", () => {
  test("an unknown model: near matches are named", async () => {
    const { json } = await refused({ model: "demo/chap" }, 404, "not_found_error", "model_not_found", "model");
    expect(json.did_you_mean).toBe("demo/chat");
  });
  test("a model that is served elsewhere", async () => {
    const { json } = await refused({ model: "demo/vectors" }, 400, "invalid_request_error", "wrong_endpoint", "model");
    expect(json.error.message).toContain("/v1/embeddings");
  });
});

describe("400 unsupported_content", () => {
  test.each(unreadable)("%s", async (kind, body, param) => {
    const { json } = await refused({ model: "demo/chat", ...body }, 400, "invalid_request_error", "unsupported_content", param);
    expect(json.error.message).toBe(`demo/chat cannot read ${kind} content.`);
  });

  test("a document that is only an address, where no upstream fetches it", async () => {
    const document = { type: "document", source: { type: "url", url: "https://example.com/a.pdf" } };
    await refused(
      { model: "demo/able", ...assistantMessage(document) },
      400,
      "invalid_request_error",
      "unsupported_content",
      "messages[0].content[0]",
    );
  });

  test("text in any wrapping is no such content", async () => {
    const blocks = [
      { type: "document", source: { type: "text", media_type: "text/plain", data: "One." }, title: "A" },
      { type: "document", source: { type: "content", content: [{ type: "text", text: "Two." }] } },
      { type: "search_result", source: "https://example.com", title: "B", content: [{ type: "text", text: "Three." }] },
    ];
    const reply = await askMessage(world, await world.account(), { model: "demo/chat", ...assistantMessage(...blocks) });
    expect(reply.status).toBe(200);
    const texts = (world.sent()[0]!.messages as { content: { text: string }[] }[])[0]!.content.map(({ text }) => text);
    expect(texts).toEqual(["A\n\nOne.", "Two.", "B\nhttps://example.com\nThree."]);
  });
});

test("400 thread_unsupported_request: nothing is kept between requests, and nothing is charged", async () => {
  const thread = { type: "continue", id: "thread_1" };
  const { json } = await refused({ model: "demo/chat", thread }, 400, "invalid_request_error", "thread_unsupported_request", "thread");
  expect(json.error.details).toEqual({ error_code: "thread_unsupported_request" });
});

describe("400 missing_parameter and invalid_parameter", () => {
  const tool = { name: "look", input_schema: { type: "object" } };
  test.each([
    ["missing_parameter", { messages: undefined }, "messages"],
    ["missing_parameter", { tools: [{ name: "look" }] }, "tools[0].input_schema"],
    ["invalid_parameter", { messages: [] }, "messages"],
    ["invalid_parameter", { messages: [{ role: "tool", content: "x" }] }, "messages[0].role"],
    ["invalid_parameter", { max_tokens: 0 }, "max_tokens"],
    ["invalid_parameter", { thinking: { type: "enabled", budget_tokens: 0 } }, "thinking.budget_tokens"],
    ["invalid_parameter", { tools: [tool] }, "tools"],
    ["invalid_parameter", { output_config: { format: { type: "json_schema", schema: {} } } }, "output_config.format"],
  ])("%s: %o", async (code, body, param) => {
    await refused({ model: "demo/chat", ...body }, 400, "invalid_request_error", code, param);
  });

  test("a body that is no JSON", async () => {
    const account = await world.account();
    const headers = { "content-type": "application/json" };
    const { status, json } = await world.gateway.request("POST", "/v1/messages", { key: account.key, body: "{", headers });
    expect([status, json.type, json.error.code]).toEqual([400, "error", "invalid_json"]);
  });

  test("a conversation that ends with the assistant, which these models do not continue", async () => {
    const messages = [...hello, { role: "assistant", content: "{" }];
    await refused({ model: "demo/chat", messages }, 400, "invalid_request_error", "request_rejected", "messages[1]");
    expect(world.sent()).toEqual([]);
  });
});

describe("401, 402, 403", () => {
  test.each([
    [{}, "missing_api_key"],
    [{ "x-api-key": "svc_0000" }, "invalid_api_key"],
  ])("%o: %s", async (headers, code) => {
    const { status, json } = await world.gateway.request("POST", "/v1/messages", {
      body: { model: "demo/chat", messages: hello },
      headers,
    });
    expect([status, json.type, json.error.type, json.error.code]).toEqual([401, "error", "authentication_error", code]);
  });

  test("insufficient_credits: billing_error, with what is needed and what is there", async () => {
    const { status, json } = await askMessage(world, await world.account({ deposit: "0.001" }), { model: "demo/dear" });
    expect([status, json.error.type, json.error.code]).toEqual([402, "billing_error", "insufficient_credits"]);
    expect(json).toMatchObject({ have_usd: 0.001, need_usd: expect.any(Number), topup_url: expect.any(String) });
  });

  test("key_limit_reached: the key's own budget does not pay for one token", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 100 where account_id = $1", [account.accountId]);
    const { status, json } = await askMessage(world, account, { model: "demo/dear" });
    expect([status, json.error.type, json.error.code]).toEqual([402, "billing_error", "key_limit_reached"]);
  });

  test("model_requires_paid: an account that never added credits", async () => {
    const { status, json } = await askMessage(world, await world.account({ signupCredit: true }), { model: "demo/dear" });
    expect([status, json.error.type, json.error.code]).toEqual([402, "billing_error", "model_requires_paid"]);
  });
});
