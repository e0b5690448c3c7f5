// POST /v1/messages as Claude Code 2.1.330 sends it, recorded from the client and shortened: nothing in it may cause a 400, and nothing may
// reach an upstream that doesn't know it.
import { expect, test } from "vitest";
import { chatWorld, language } from "../chat/chat-gateway.ts";
import { eventsOf, messageOf } from "./message-events.ts";

const world = chatWorld([
  language("demo/agent", ["reason-1"], { supports_tools: true, supports_reasoning: true, supports_structured_outputs: true }),
]);

const headers = {
  "anthropic-version": "2023-06-01",
  "anthropic-beta": "claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24",
  "anthropic-dangerous-direct-browser-access": "true",
  "x-app": "cli",
  "x-claude-code-session-id": "97a2d462-cb26-4f22-833c-e673db953625",
};
const ephemeral = { type: "ephemeral" };
const bash = {
  name: "Bash",
  description: "Runs a command.",
  input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};
const turn = {
  model: "demo/agent",
  messages: [
    {
      role: "user",
      content: [
        { type: "text", text: "<system-reminder>\nAttribution for git commits.\n</system-reminder>" },
        { type: "text", text: "Please use Bash", cache_control: ephemeral },
      ],
    },
    { role: "system", content: [{ type: "text", text: "# Environment\nPrimary working directory: /tmp" }] },
  ],
  system: [
    { type: "text", text: "x-anthropic-billing-header: cc_version=2.1.330.af6; cc_entrypoint=sdk-cli;" },
    { type: "text", text: "You are a Claude agent.", cache_control: ephemeral },
    { type: "text", text: "\nYou are an agent working with the user." },
  ],
  tools: [
    { ...bash, eager_input_streaming: true, strict: false },
    { ...bash, name: "mcp__server__tool", defer_loading: true, cache_control: ephemeral },
  ],
  metadata: { user_id: JSON.stringify({ device_id: "c".repeat(64), account_uuid: "", session_id: "97a2d462" }) },
  max_tokens: 800,
  thinking: { type: "adaptive", display: "updates" },
  context_management: { edits: [{ type: "clear_thinking_20251015", keep: "all" }] },
  output_config: { effort: "high" },
  stream: true,
};

async function ask(body: object) {
  const account = await world.account();
  const bearer = { ...headers, authorization: `Bearer ${account.key}` };
  const reply = await world.gateway.request("POST", "/v1/messages?beta=true", { body, headers: bearer });
  expect(reply.status, reply.text).toBe(200);
  return reply;
}

test("a turn: thinking, then a tool call", async () => {
  const message = messageOf(eventsOf(await ask(turn)));
  expect(message.content.map(({ type }: { type: string }) => type)).toEqual(["thinking", "tool_use"]);
  expect(message).toMatchObject({
    stop_reason: "tool_use",
    content: [{ signature: "" }, { name: "Bash", input: { command: expect.any(String) } }],
  });
  const sent = world.sent()[0]!;
  expect(Object.keys(sent).sort()).toEqual(
    ["max_tokens", "messages", "model", "reasoning_effort", "stream", "stream_options", "tools", "user"].sort(),
  );
  expect(sent).toMatchObject({
    reasoning_effort: "high",
    messages: [
      { role: "system", content: "You are a Claude agent.\n\n\nYou are an agent working with the user." },
      { role: "user" },
      { role: "system" },
    ],
  });
  expect(JSON.stringify(sent)).not.toMatch(/cache_control|defer_loading|eager|billing-header/);
});

test("the next turn: the model's thinking, its call, a result that is an error, a system message as text", async () => {
  const { content } = messageOf(eventsOf(await ask(turn)));
  const results = [{ type: "tool_result", content: "Exit code 127", is_error: true, tool_use_id: content[1].id, cache_control: ephemeral }];
  const messages = [
    turn.messages[0],
    { role: "system", content: "# Environment" },
    { role: "assistant", content },
    { role: "user", content: results },
  ];
  const message = messageOf(eventsOf(await ask({ ...turn, messages })));
  expect(message.stop_reason).toBe("end_turn");
  expect((world.sent().at(-1)!.messages as object[]).slice(-2)).toMatchObject([
    { role: "assistant", content: null, tool_calls: [{ id: content[1].id }] },
    { role: "tool", tool_call_id: content[1].id, content: "Error: Exit code 127" },
  ]);
});

test("the tools that its own search has found", async () => {
  const search = { type: "tool_use", id: "call_1", name: "ToolSearch", input: { query: "tool" } };
  const found = [{ type: "tool_reference", tool_name: "mcp__server__tool" }];
  const messages = [
    turn.messages[0],
    { role: "assistant", content: [search] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "call_1", content: found }] },
  ];
  messageOf(eventsOf(await ask({ ...turn, messages })));
  expect((world.sent()[0]!.messages as object[]).at(-1)).toEqual({
    role: "tool",
    tool_call_id: "call_1",
    content: "Found the tool mcp__server__tool; it can be called.",
  });
});

test("the probe with one token, and a title in JSON", async () => {
  const probe = { model: "demo/agent", max_tokens: 1, messages: [{ role: "user", content: "quota" }], metadata: turn.metadata };
  expect((await ask(probe)).json.usage.output_tokens).toBeLessThanOrEqual(1);
  const schema = { type: "object", properties: { title: { type: "string" } }, required: ["title"], additionalProperties: false };
  const title = {
    ...probe,
    max_tokens: 500,
    temperature: 1,
    thinking: { type: "disabled" },
    output_config: { format: { type: "json_schema", schema } },
  };
  expect(JSON.parse((await ask(title)).json.content.at(-1).text)).toEqual({ title: expect.any(String) });
});

test("HEAD / at the start is answered at once", async () => {
  expect((await fetch(world.gateway.url, { method: "HEAD" })).status).toBe(200);
});

test("the list of models has what it reads, whatever the query", async () => {
  const { status, json } = await world.gateway.request("GET", "/v1/models?limit=1000", {});
  expect(status).toBe(200);
  expect(json).toMatchObject({ has_more: false, data: [{ id: "demo/agent", display_name: expect.any(String) }] });
});
