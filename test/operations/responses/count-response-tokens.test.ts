// POST /v1/responses/input_tokens: a real tokenizer's count, free, without asking any upstream.
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { respond, weather } from "./responses-gateway.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/able", ["able"], { supports_tools: true }),
    {
      ...{ id: "demo/vectors", type: "embedding", context_window: 8192 },
      pricing: { mode: "per-token", input: 0.02 },
      routes: [{ provider: "north", model: "e" }],
    },
  ],
  { aliases: { best: "demo/chat" } },
);

function count({ key }: TestAccount, body: object): Promise<TestReply> {
  return world.gateway.request("POST", "/v1/responses/input_tokens", { key, body: { input: "Hello", ...body } });
}
const image = { type: "input_image", image_url: "data:image/png;base64,iVBORw0KGgo=" };
const codeOf = ({ status, json }: TestReply) => [status, json.error?.code];

describe("200", () => {
  test("counts what the request would send; nothing is charged, and no upstream is asked", async () => {
    const account = await world.account();
    const reply = await count(account, { model: "best" });
    expect([reply.status, reply.json]).toEqual([200, { object: "response.input_tokens", input_tokens: 6 }]);
    await world.expectUntouched(account);
    expect(world.sent()).toEqual([]);
  });

  test("instructions and tools add to it", async () => {
    const account = await world.account();
    const bodies = [{}, { instructions: "Be short and kind." }, { instructions: "Be short and kind.", tools: [weather] }];
    const counts = [];
    for (const body of bodies) counts.push((await count(account, { model: "demo/able", ...body })).json.input_tokens as number);
    expect(counts).toEqual([...new Set(counts)].toSorted((one, other) => one - other));
  });

  test("OpenAI's own client reads it", async () => {
    const { key } = await world.account();
    const client = new OpenAI({ baseURL: `${world.gateway.url}/v1`, apiKey: key });
    expect(await client.responses.inputTokens.count({ model: "best", input: "Hello" })).toMatchObject({ input_tokens: 6 });
  });
});

describe("refused as the request itself would be", () => {
  test.each([
    ["404 model_not_found", { model: "demo/none" }],
    ["400 wrong_endpoint", { model: "demo/vectors" }],
    ["400 unsupported_content", { model: "demo/chat", input: [{ role: "user", content: [image] }] }],
    ["400 stateless_only", { model: "demo/chat", previous_response_id: "resp_1" }],
    ["400 missing_parameter", { model: undefined }],
    ["400 invalid_parameter", { model: "demo/chat", input: [] }],
  ])("%s", async (expected, body) => {
    const account = await world.account();
    const reply = await count(account, body);
    expect(codeOf(reply).join(" ")).toBe(expected);
    if (!("model" in body && body.model === undefined)) expect(codeOf(await respond(world, account, body))).toEqual(codeOf(reply));
  });

  test("403 model_not_allowed: a key of other models", async () => {
    const { token } = await world.gateway.createSession(await world.account());
    const body = { name: "one", allowed_models: ["demo/able"] };
    const made = await world.gateway.request("POST", "/v1/auth/keys", { key: token, body });
    const reply = await world.gateway.request("POST", "/v1/responses/input_tokens", {
      key: made.json.api_key,
      body: { model: "demo/chat", input: "Hello" },
    });
    expect(codeOf(reply)).toEqual([403, "model_not_allowed"]);
  });
});
