// What POST /v1/responses refuses: each code that the contract declares for it, with the original request's fields.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { respond, weather } from "./responses-gateway.ts";

const world = chatWorld([
  language("demo/chat", ["chat"], { supports_tools: true }),
  language("demo/plain", ["chat"]),
  language("demo/rejecting", ["chat+sim-reject"]),
  language("demo/too-long", ["chat+sim-context"]),
  language("demo/rejecting-413", ["chat+sim-reject-413"]),
  language("demo/rejecting-422", ["chat+sim-reject-422"]),
  language("demo/refusing", ["chat+sim-refuse"]),
  language("demo/unreadable", ["chat+sim-bad-json"]),
  language("demo/down", ["chat+sim-fail-503"]),
  language("demo/gone", ["chat+sim-404"]),
  {
    id: "demo/vectors",
    type: "embedding",
    context_window: 8192,
    pricing: { mode: "per-token", input: 0.02 },
    routes: [{ provider: "north", model: "embed" }],
  },
]);

const message = (part: object) => ({
  input: [
    { role: "user", content: "Hi" },
    { role: "user", content: [part] },
  ],
});

async function expectRefused(
  body: object,
  status: number,
  code: string,
  param: string | null,
  options?: { deposit?: string },
): Promise<string> {
  const account = await world.account(options ?? { deposit: "20" });
  const { json, ...reply } = await respond(world, account, { model: "demo/chat", ...body });
  expect([reply.status, json.error.code, json.error.param]).toEqual([status, code, param]);
  expect((await world.gateway.balance(account)).spent).toBe(0);
  return json.error.message;
}

describe("400 stateless_only", () => {
  test.each([
    ["previous_response_id", { previous_response_id: "resp_1" }, "previous_response_id"],
    ["conversation", { conversation: { id: "conv_1" } }, "conversation"],
    ["background", { background: true }, "background"],
    ["prompt", { prompt: { id: "pmpt_1" } }, "prompt"],
    ["an item's id", { input: [{ type: "item_reference", id: "fc_1" }] }, "input[0]"],
    ["a file's id", message({ type: "input_file", file_id: "file_1" }), "input[1].content[0].file_id"],
    ["an image's id", message({ type: "input_image", file_id: "file_1" }), "input[1].content[0].file_id"],
  ])("%s: the message says what to do instead, and no model is asked", async (_, body, param) => {
    const text = await expectRefused(body, 400, "stateless_only", param);
    expect(text).toMatch(new RegExp(`^${RegExp.escape(param)} needs .*: (send|wait)`));
    expect(world.sent()).toEqual([]);
  });

  test("background: false and null ask for nothing", async () => {
    const body = { model: "demo/chat", background: false, previous_response_id: null, conversation: null, prompt: null };
    expect((await respond(world, await world.account(), body)).status).toBe(200);
  });
});

describe("400 invalid_parameter and missing_parameter", () => {
  test.each([
    ["no items", { input: [] }, "input"],
    ["nothing but what is dropped", { input: [{ type: "reasoning", summary: [] }] }, "input"],
    ["an unknown role", { input: [{ role: "critic", content: "x" }] }, "input[0].role"],
    ["truncation", { truncation: "auto" }, "truncation"],
    ["a penalty", { presence_penalty: -3 }, "presence_penalty"],
    ["a file's address", message({ type: "input_file", file_url: "https://example.com/a.pdf" }), "input[1].content[0].file_url"],
    ["a file without bytes", message({ type: "input_file" }), "input[1].content[0].file_data"],
    ["an image without address", message({ type: "input_image" }), "input[1].content[0].image_url"],
    ["a hosted tool", { tools: [weather, { type: "file_search", vector_store_ids: ["vs"] }] }, "tools[1].type"],
    ["one in a namespace", { tools: [{ type: "namespace", name: "a", tools: [{ type: "mcp" }] }] }, "tools[0].tools[0].type"],
    ["one among items", { input: [{ type: "additional_tools", tools: [{ type: "shell" }] }] }, "input[0].tools[0].type"],
    ["two tools of one name", { tools: [weather, weather] }, "tools[1].name"],
    ["a choice that forces a hosted tool", { tools: [weather], tool_choice: { type: "web_search" } }, "tool_choice.type"],
    ["a choice of an unknown tool", { tools: [weather], tool_choice: { type: "function", name: "x" } }, "tool_choice"],
    ["a choice in no known words", { tools: [weather], tool_choice: "any" }, "tool_choice"],
    ["a choice that nothing is left for", { tools: [{ type: "web_search" }], tool_choice: "required" }, "tool_choice"],
    ["tools for a model without", { model: "demo/plain", tools: [weather] }, "tools"],
    ["a schema for a model without", { text: { format: { type: "json_object" } } }, "text.format"],
    ["a number that is none", { temperature: "hot" }, "temperature"],
  ])("%s", async (_, body, param) => {
    await expectRefused(body, 400, "invalid_parameter", param);
    expect(world.sent()).toEqual([]);
  });

  test.each([
    ["a message's content", { input: [{ role: "user" }] }, "input[0].content"],
    ["a message's role", { input: [{ content: "x" }] }, "input[0].role"],
    ["a call's name", { input: [{ type: "function_call", call_id: "c", arguments: "{}" }] }, "input[0].name"],
    ["a result's call", { input: [{ type: "function_call_output", output: "x" }] }, "input[0].call_id"],
    ["a tool's name", { tools: [{ type: "function" }] }, "tools[0].name"],
    ["the input", { input: undefined }, "input"],
  ])("%s is missing", async (_, body, param) => void (await expectRefused(body, 400, "missing_parameter", param)));
});

describe("400 unsupported_content", () => {
  test.each([
    [
      "an image for a model that cannot see",
      message({ type: "input_image", image_url: "data:image/png;base64,AA" }),
      "input[1].content[0]",
      "image",
    ],
    ["a file for a model that takes none", message({ type: "input_file", file_data: "data:a/b;base64,AA" }), "input[1].content[0]", "file"],
    ["a part of an unknown kind", message({ type: "input_smell" }), "input[1].content[0]", "input_smell"],
    ["an item of an unknown kind", { input: [{ type: "computer_call" }] }, "input[0]", "computer_call"],
    ["a part whose kind is empty", message({ type: "" }), "input[1].content[0]", "demo/chat cannot read untyped content."],
    ["an item whose kind is empty", { input: [{ type: "" }] }, "input[0]", "demo/chat cannot read untyped content."],
  ])("%s", async (_, body, param, kind) => {
    expect(await expectRefused(body, 400, "unsupported_content", param)).toContain(kind);
    expect(world.sent()).toEqual([]);
  });
});

describe("what chat refuses as well", () => {
  test.each([
    [400, "wrong_endpoint", { model: "demo/vectors" }],
    [404, "model_not_found", { model: "demo/none" }],
    [400, "request_rejected", { model: "demo/rejecting" }],
    [413, "request_rejected", { model: "demo/rejecting-413" }],
    [422, "request_rejected", { model: "demo/rejecting-422" }],
    [403, "route_refused", { model: "demo/refusing" }],
    [502, "upstream_invalid_response", { model: "demo/unreadable" }],
    [503, "provider_unavailable", { model: "demo/down" }],
    [503, "model_unavailable", { model: "demo/gone" }],
  ])("%i %s, whole and streamed alike", async (status, code, body) => {
    for (const stream of [false, true]) {
      const { json, ...reply } = await respond(world, await world.account(), { ...body, stream });
      expect([reply.status, json.error.code]).toEqual([status, code]);
    }
  });

  test.each([
    ["demo/rejecting", "temperature"],
    ["demo/too-long", "input"],
  ])("%s: the field that the model rejects is named as in the request: %s", async (model, param) => {
    await expectRefused({ model, input: "x" }, 400, "request_rejected", param);
  });

  test("402 insufficient_credits, model_requires_paid, key_limit_reached", async () => {
    await expectRefused({}, 402, "insufficient_credits", null, { deposit: "0.00000001" });
    await expectRefused({}, 402, "model_requires_paid", "model", {});
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 0 where account_id = $1", [account.accountId]);
    const { json, status } = await respond(world, account, { model: "demo/chat" });
    expect([status, json.error.code]).toEqual([402, "key_limit_reached"]);
  });
});

test("404: nothing can be read or deleted by the id of a response, and the message says so", async () => {
  const { key } = await world.account();
  for (const [method, path] of [
    ["GET", "/v1/responses/resp_1"],
    ["DELETE", "/v1/responses/resp_1"],
    ["POST", "/v1/responses/resp_1/cancel"],
    ["GET", "/v1/responses/resp_1/input_items"],
  ] as const) {
    const { status, json } = await world.gateway.request(method, path, { key });
    expect([status, json.error.type]).toEqual([404, "not_found_error"]);
    expect(json.error.message).toContain("POST /v1/responses");
  }
});
