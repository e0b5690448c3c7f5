// What a command printed may hold a NUL (a binary, `find -print0`), and agents send it: Claude Code and Codex as it is, in every later
// turn too. It reaches the model; where a text is stored it stays refused.
import { describe, expect, test } from "vitest";
import { chatWorld, language } from "./chat-gateway.ts";

const world = chatWorld([language("demo/agent", ["chat"], { supports_tools: true })]);
const printed = "a\0b\u001b[31m";

const call = { id: "call_1", type: "function", function: { name: "Bash", arguments: '{"command":"cat a.bin"}' } };
const used = { type: "tool_use", id: "call_1", name: "Bash", input: { command: "cat a.bin" } };
const hello = { role: "user", content: "Hello" };

describe("a NUL reaches the model", () => {
  test.each([
    [
      "/v1/messages",
      { max_tokens: 50, messages: [hello, { role: "assistant", content: [used] }, { role: "user", content: [resultOf(printed)] }] },
    ],
    ["/v1/messages", { max_tokens: 50, system: printed, messages: [hello] }],
    [
      "/v1/chat/completions",
      { messages: [hello, { role: "assistant", tool_calls: [call] }, { role: "tool", tool_call_id: "call_1", content: printed }] },
    ],
    ["/v1/completions", { prompt: printed }],
    ["/v1/responses", { input: [hello, { type: "function_call", call_id: "call_1", name: "Bash", arguments: "{}" }, outputOf(printed)] }],
    ["/v1/responses", { input: "Hello", instructions: printed }],
  ])("%s", async (path, body) => {
    const { key } = await world.account();
    const { status, text } = await world.gateway.request("POST", path, { key, body: { model: "demo/agent", ...body } });
    expect(status, text).toBe(200);
    expect(JSON.stringify(world.sent().at(-1))).toContain(JSON.stringify(printed));
  });

  test("/v1/messages/count_tokens counts it", async () => {
    const { key } = await world.account();
    const body = { model: "demo/agent", messages: [{ role: "user", content: printed }] };
    expect((await world.gateway.request("POST", "/v1/messages/count_tokens", { key, body })).status).toBe(200);
  });
});

describe("400 invalid_parameter", () => {
  test.each([
    ["a field that is no prompt", { user: "a\0" }, "user"],
    ["the model's name", { model: "demo/agent\0" }, "model"],
  ])("%s", async (_, more, param) => {
    const { key } = await world.account();
    const body = { model: "demo/agent", messages: [hello], ...more };
    const { status, json } = await world.gateway.request("POST", "/v1/chat/completions", { key, body });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});

test("a block of an unknown kind is 400 unsupported_content, also where its name holds a NUL", async () => {
  const { key } = await world.account();
  const body = { model: "demo/agent", max_tokens: 50, messages: [{ role: "user", content: [{ type: "a\0b" }] }] };
  const { status, json } = await world.gateway.request("POST", "/v1/messages", { key, body });
  expect([status, json.error.code]).toEqual([400, "unsupported_content"]);
});

function resultOf(content: string) {
  return { type: "tool_result", tool_use_id: "call_1", content };
}

function outputOf(output: string) {
  return { type: "function_call_output", call_id: "call_1", output };
}
