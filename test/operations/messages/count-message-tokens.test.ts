// POST /v1/messages/count_tokens: a real tokenizer's count, free, without asking any upstream.
import { describe, expect, test } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { hello } from "./message-events.ts";
import { assistantMessage, unreadable } from "./message-contents.ts";

const able = { supports_tools: true, supports_vision: true, supports_structured_outputs: true };
const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/able", ["able"], able),
    {
      id: "demo/vectors",
      type: "embedding",
      context_window: 8192,
      pricing: { mode: "per-token", input: 0.02 },
      routes: [{ provider: "north", model: "e" }],
    },
  ],
  { aliases: { best: "demo/chat" } },
);

function count(account: TestAccount, body: object): Promise<TestReply> {
  const headers = { "x-api-key": account.key };
  return world.gateway.request("POST", "/v1/messages/count_tokens?beta=true", { body: { messages: hello, ...body }, headers });
}

describe("200", () => {
  test("counts what the request would send; nothing is charged, and no upstream is asked", async () => {
    const account = await world.account();
    const reply = await count(account, { model: "best" });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({ input_tokens: 6 }); // "user", "Hello" and the frame of one message
    expect(reply.headers["request-id"]).toBe(reply.headers["x-request-id"]);
    await world.expectUntouched(account);
    expect(world.sent()).toEqual([]);
  });

  test("takes an account that never added credits", async () => {
    expect((await count(await world.account({}), { model: "demo/chat" })).status).toBe(200);
  });

  test("every part of a request adds to it: system, tools, calls, results, thinking, the form of the answer", async () => {
    const account = await world.account();
    const bodies = [
      { messages: hello },
      { messages: hello, system: "Be short and kind to everybody." },
      {
        messages: hello,
        system: "Be short and kind to everybody.",
        tools: [{ name: "look", description: "Looks out of the window.", input_schema: { type: "object" } }],
      },
    ];
    const counts = [];
    for (const body of bodies) counts.push((await count(account, { model: "demo/able", ...body })).json.input_tokens);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(new Set(counts).size).toBe(counts.length);
    const blocks = [
      { type: "thinking", thinking: "I had better look out of the window." },
      { type: "tool_use", id: "call_1", name: "look", input: { where: "north" } },
    ];
    const turn = async (content: object[]) =>
      (await count(account, { model: "demo/able", messages: [...hello, { role: "assistant", content }, ...hello] })).json
        .input_tokens as number;
    expect(await turn(blocks)).toBeGreaterThan(await turn(blocks.slice(1)));
    expect(await turn(blocks.slice(1))).toBeGreaterThan(await turn([]));
  });

  test("images count a fixed number, whatever their bytes", async () => {
    const account = await world.account();
    const image = (data: string) => assistantMessage({ type: "image", source: { type: "base64", media_type: "image/png", data } });
    const small = await count(account, { model: "demo/able", ...image("iVBORw0KGgo=") });
    const large = await count(account, { model: "demo/able", ...image("iVBORw0KGgo=".repeat(10_000)) });
    expect(small.json).toEqual(large.json);
    expect(small.json.input_tokens).toBeGreaterThan(200);
  });

  test("is near what an upstream measures for prose", async () => {
    const content = "A lighthouse stands on the shore and shines for the ships that pass it by night. ".repeat(40);
    const { json } = await count(await world.account(), { model: "demo/chat", messages: [{ role: "user", content }] });
    expect(json.input_tokens).toBeGreaterThan(40 * 15);
    expect(json.input_tokens).toBeLessThan(40 * 20);
  });
});

describe("errors, in Anthropic's envelope", () => {
  test.each<[object, number, string, string]>([
    [{ model: "demo/none" }, 404, "model_not_found", "model"],
    [{ model: "demo/vectors" }, 400, "wrong_endpoint", "model"],
    [{ model: 5 }, 400, "invalid_parameter", "model"],
    [{ model: "demo/able", tools: [{ name: "look" }] }, 400, "missing_parameter", "tools[0].input_schema"],
    [{ model: "demo/chat", tools: [{ name: "look", input_schema: {} }] }, 400, "invalid_parameter", "tools"],
    ...unreadable.map(
      ([, body, param]) => [{ model: "demo/chat", ...body }, 400, "unsupported_content", param] as [object, number, string, string],
    ),
  ])("%o: %i %s", async (body, status, code, param) => {
    const { json, headers, status: shown } = await count(await world.account(), body);
    expect([shown, json.type, json.error.code, json.error.param]).toEqual([status, "error", code, param]);
    expect(headers["request-id"]).toBe(json.request_id);
  });
});

test("403 model_not_allowed: a key that is bound to other models, by id and by alias", async () => {
  const account = await world.account();
  await world.gateway.context.db.pool.query("update api_key set allowed_models = '{demo/able}' where account_id = $1", [account.accountId]);
  for (const model of ["demo/chat", "best"]) {
    const { status, json } = await count(account, { model });
    expect([status, json.error.code, json.error.param]).toEqual([403, "model_not_allowed", "model"]);
  }
  expect((await count(account, { model: "demo/able" })).status).toBe(200);
});
