// POST /v1/chat/completions with every kind of bad body: the code, the field that it names, and that nothing is charged.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, hello, language } from "./chat-gateway.ts";

const able = { supports_tools: true, supports_structured_outputs: true, supports_vision: true };
const world = chatWorld([language("demo/chat", ["chat"], able), language("demo/plain", ["chat"])]);

let account: TestAccount;
beforeAll(async () => void (account = await world.account()));
/** Checked once for all of them: refusals cost nothing and hold nothing. */
afterAll(async () => {
  await world.expectUntouched(account);
  const { rows } = await world.gateway.context.db.pool.query("select 1 from usage_log where account_id = $1", [account.accountId]);
  expect(rows).toEqual([]);
});

async function refused(body: unknown, status: number, code: string, param: string | null): Promise<TestReply> {
  const reply = await world.gateway.request("POST", "/v1/chat/completions", {
    key: account.key,
    body,
    headers: { "content-type": "application/json" },
  });
  expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([status, code, param]);
  expect(reply.json.error).toMatchObject({ type: "invalid_request_error", retryable: false, request_id: reply.headers["x-request-id"] });
  expect(reply.json.error.doc_url).toBe(`${world.gateway.url}/docs/errors#${code}`);
  expect(reply.headers["x-should-retry"]).toBe("false");
  expect(world.sent()).toEqual([]);
  return reply;
}

const chat = { model: "demo/chat", messages: hello };
const user = (content: unknown) => [{ role: "user", content }];

describe("400 invalid_json", () => {
  test.each([
    ["nothing", ""],
    ["half a document", '{"model":"demo/chat",'],
    ["a document and more", "{} {}"],
    ["an array", "[]"],
    ["a string", '"hello"'],
    ["null", "null"],
    ["JavaScript", "{model:'demo/chat'}"],
    ["NaN", '{"temperature":NaN}'],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["a thousand brackets deep", `{"a":${"[".repeat(1000)}${"]".repeat(1000)}}`],
  ])("%s", async (_, body) => {
    await refused(body, 400, "invalid_json", null);
  });

  test("a content type that isn't JSON", async () => {
    const reply = await world.gateway.request("POST", "/v1/chat/completions", {
      key: account.key,
      body: JSON.stringify(chat),
      headers: { "content-type": "text/plain" },
    });
    expect([reply.status, reply.json.error.code]).toEqual([400, "invalid_json"]);
  });
});

describe("400 missing_parameter", () => {
  test.each([
    ["model", { messages: hello }],
    ["messages", { model: "demo/chat" }],
    ["messages[0].role", { ...chat, messages: [{ content: "Hello" }] }],
    ["messages[1].role", { ...chat, messages: [...hello, {}] }],
    ["messages[0].content", { ...chat, messages: [{ role: "user" }] }],
    ["messages[1].content", { ...chat, messages: [...hello, { role: "tool", tool_call_id: "call_1" }] }],
    ["messages[1].tool_call_id", { ...chat, messages: [...hello, { role: "tool", content: "sunny" }] }],
    ["messages[1].tool_call_id", { ...chat, messages: [...hello, { role: "tool", tool_call_id: null, content: "sunny" }] }],
    ["messages[1].name", { ...chat, messages: [...hello, { role: "function", content: "sunny" }] }],
    ["messages[1].name", { ...chat, messages: [...hello, { role: "function", name: null, content: "sunny" }] }],
    ["messages[0].content[1].type", { ...chat, messages: user([{ type: "text", text: "a" }, { text: "b" }]) }],
    ["messages[0].content[0].image_url.url", { ...chat, messages: user([{ type: "image_url", image_url: {} }]) }],
    ["tools[0].type", { ...chat, tools: [{ function: { name: "a" } }] }],
    ["tools[0].function.name", { ...chat, tools: [{ type: "function", function: {} }] }],
    ["response_format.type", { ...chat, response_format: {} }],
    ["response_format.json_schema", { ...chat, response_format: { type: "json_schema" } }],
    ["response_format.json_schema.name", { ...chat, response_format: { type: "json_schema", json_schema: { schema: {} } } }],
    [
      "messages[0].tool_calls[0].function.name",
      { ...chat, messages: [{ role: "assistant", tool_calls: [{ function: { arguments: "{}" } }] }] },
    ],
  ])("%s", async (param, body) => {
    const { json } = await refused(body, 400, "missing_parameter", param);
    expect(json.error.message).toContain(param);
  });
});

describe("400 invalid_parameter", () => {
  test.each<[string, object]>([
    ["model", { ...chat, model: "" }],
    ["model", { ...chat, model: 7 }],
    ["model", { ...chat, model: null }],
    ["messages", { ...chat, messages: [] }],
    ["messages", { ...chat, messages: "Hello" }],
    ["messages", { ...chat, messages: null }],
    ["messages", { ...chat, messages: { role: "user", content: "Hello" } }],
    ["messages[0]", { ...chat, messages: ["Hello"] }],
    ["messages[0]", { ...chat, messages: [null] }],
    ["messages[0].role", { ...chat, messages: [{ role: "robot", content: "Hello" }] }],
    ["messages[0].role", { ...chat, messages: [{ role: 1, content: "Hello" }] }],
    ["messages[2].role", { ...chat, messages: [...hello, ...hello, { role: "User", content: "Hello" }] }],
    ["messages[0].content", { ...chat, messages: user(7) }],
    ["messages[0].content", { ...chat, messages: user(null) }],
    ["messages[1].content", { ...chat, messages: [...hello, { role: "system", content: null }] }],
    ["messages[0].content", { ...chat, messages: user({ text: "a" }) }],
    ["messages[0].content[0]", { ...chat, messages: user(["a"]) }],
    ["messages[0].content[0].text", { ...chat, messages: user([{ type: "text", text: 7 }]) }],
    ["messages[0].content[0].image_url", { ...chat, messages: user([{ type: "image_url", image_url: "https://example.com/a.png" }]) }],
    ["temperature", { ...chat, temperature: -0.1 }],
    ["temperature", { ...chat, temperature: 2.01 }],
    ["temperature", { ...chat, temperature: "1" }],
    ["top_p", { ...chat, top_p: 1.1 }],
    ["top_p", { ...chat, top_p: -1 }],
    ["max_tokens", { ...chat, max_tokens: 0 }],
    ["max_tokens", { ...chat, max_tokens: -5 }],
    ["max_tokens", { ...chat, max_tokens: 1.5 }],
    ["max_tokens", { ...chat, max_tokens: "100" }],
    ["max_tokens", { ...chat, max_tokens: 1e12 }],
    ["max_completion_tokens", { ...chat, max_completion_tokens: 0 }],
    ["n", { ...chat, n: 0 }],
    ["n", { ...chat, n: 129 }],
    ["n", { ...chat, n: 1.5 }],
    ["stream", { ...chat, stream: "true" }],
    ["stream", { ...chat, stream: 1 }],
    ["stream_options", { ...chat, stream: true, stream_options: true }],
    ["stream_options.include_usage", { ...chat, stream: true, stream_options: { include_usage: "yes" } }],
    ["stop", { ...chat, stop: 7 }],
    ["stop[1]", { ...chat, stop: ["a", 7] }],
    ["tools", { ...chat, tools: {} }],
    ["tools[0]", { ...chat, tools: ["look"] }],
    ["tools[0].function", { ...chat, tools: [{ type: "function", function: "look" }] }],
    ["tools[0].function.name", { ...chat, tools: [{ type: "function", function: { name: "" } }] }],
    ["tools[0].function.parameters", { ...chat, tools: [{ type: "function", function: { name: "a", parameters: [] } }] }],
    ["tool_choice", { ...chat, tool_choice: 7 }],
    ["response_format", { ...chat, response_format: "json_object" }],
    ["response_format.type", { ...chat, response_format: { type: "xml" } }],
    ["reasoning_effort", { ...chat, reasoning_effort: "extreme" }],
    ["reasoning_effort", { ...chat, reasoning_effort: 3 }],
    ["reasoning", { ...chat, reasoning: "high" }],
    ["reasoning.effort", { ...chat, reasoning: { effort: "extreme" } }],
    ["reasoning.max_tokens", { ...chat, reasoning: { max_tokens: 0 } }],
  ])("%s of %j", async (param, body) => {
    const { json } = await refused(body, 400, "invalid_parameter", param);
    expect(json.error.message).toMatch(new RegExp(`^${param.replace(/[.[\]]/g, "\\$&")} is not valid: `));
  });

  test("the message says what is allowed", async () => {
    const { json } = await refused({ ...chat, messages: [{ role: "robot", content: "" }] }, 400, "invalid_parameter", "messages[0].role");
    for (const role of ["system", "user", "assistant", "tool"]) expect(json.error.message).toContain(`"${role}"`);
  });

  const tools = [{ type: "function", function: { name: "look" } }];
  test.each([
    ["tools", "tools", { tools }],
    ["functions, the older form of tools,", "functions", { functions: [{ name: "look" }] }],
    ["a JSON object", "response_format", { response_format: { type: "json_object" } }],
    ["a JSON schema", "response_format", { response_format: { type: "json_schema", json_schema: { name: "a", schema: {} } } }],
  ])("%s on a model that does not declare them: %s", async (_, param, body) => {
    const { json } = await refused({ model: "demo/plain", messages: hello, ...body }, 400, "invalid_parameter", param);
    expect(json.error.message).toContain("demo/plain");
  });
});

describe("400 unsupported_content", () => {
  const text = { type: "text", text: "What is it?" };
  test.each([
    ["an image on a model without vision", "demo/plain", { type: "image_url", image_url: { url: "https://example.com/a.png" } }, "image"],
    ["sound", "demo/chat", { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } }, "audio"],
    ["a file", "demo/chat", { type: "file", file: { filename: "a.pdf", file_data: "AAAA" } }, "file"],
    ["a film", "demo/chat", { type: "video_url", video_url: { url: "https://example.com/a.mp4" } }, "video"],
  ])("%s: the part is named", async (_, model, part, kind) => {
    const messages = [...hello, { role: "user", content: [text, part] }];
    const { json } = await refused({ model, messages }, 400, "unsupported_content", "messages[1].content[1]");
    expect(json.error.message).toContain(model);
    expect(json.error.message).toContain(kind);
  });
});

describe("200, what is not bad", () => {
  test.each([
    [
      "null for what is optional",
      {
        temperature: null,
        max_tokens: null,
        stream: null,
        tools: null,
        response_format: null,
        stop: null,
        reasoning: null,
        n: null,
        stream_options: null,
        reasoning_effort: null,
      },
    ],
    ["text as the form of the answer, on any model", { model: "demo/plain", response_format: { type: "text" } }],
    [
      "an assistant's turn of calls alone",
      { messages: [...hello, { role: "assistant", tool_calls: [] }, { role: "assistant", content: null }] },
    ],
    ["no functions, on any model", { model: "demo/plain", tools: [], functions: [] }],
    ["functions of null, on any model", { model: "demo/plain", functions: null }],
    ["functions on a model that takes tools", { functions: [{ name: "look" }] }],
    ["bounds themselves", { temperature: 2, top_p: 0, max_tokens: 1, n: 1 }],
  ])("%s", async (_, body) => {
    const reply = await world.chat(await world.account(), { model: "demo/chat", ...body });
    expect(reply.status).toBe(200);
  });
});
