// Requests of the worst shapes a caller can send in one body: every translation is linear, so none holds up the others.
// A translation that grows with the square of these takes minutes; the test's own time is what it would fail by.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { type HostileHost, json, startHostileHost } from "./hostile-host.ts";

let host: HostileHost;
let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  host = await startHostileHost();
  const provider = (id: string) => ({ id, protocol: id, base_url: `${host.url}/v1` });
  const language = (protocol: string) => ({
    id: `demo/${protocol}`,
    type: "language",
    context_window: 10_000_000,
    max_output_tokens: 100,
    supports_tools: true,
    pricing: { mode: "per-token", input: 1, output: 2 },
    routes: [{ provider: protocol, model: protocol }],
  });
  const protocols = ["openai", "anthropic"];
  gateway = await startGateway({
    catalog: JSON.stringify({ providers: protocols.map(provider), models: protocols.map(language), tiers: highTiers() }),
  });
  const usage = { prompt_tokens: 5, completion_tokens: 1, input_tokens: 5, output_tokens: 1 };
  host.answers.set("openai", json({ choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }], usage }));
  host.answers.set("anthropic", json({ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage }));
  account = await gateway.createAccount({ deposit: "20" });
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

const ask = (path: string, body: object) => gateway.request("POST", path, { key: account.key, body });

const many = 60_000;
const repeat = <T>(make: (index: number) => T): T[] => Array.from({ length: many }, (_, index) => make(index));
const user = { role: "user", content: "Hello" };
const call = (id: string) => ({ id, type: "function", function: { name: "look", arguments: "{}" } });
/** Ids that all become the same text where an upstream takes letters alone. */
const strangeId = (index: number) => String.fromCharCode(0x4e00 + (index % 20_000), 0x4e00 + Math.floor(index / 20_000));

test.each<[string, { messages: object[] }]>([
  ["a call's id used again in every turn", { messages: [user, ...repeat(() => ({ role: "assistant", tool_calls: [call("again")] }))] }],
  ["ids that become one", { messages: [user, { role: "assistant", tool_calls: repeat((index) => call(strangeId(index))) }] }],
  [
    "calls and results of one turn",
    {
      messages: [
        user,
        { role: "assistant", tool_calls: repeat((index) => call(`c${index}`)) },
        ...repeat((index) => ({ role: "tool", tool_call_id: `c${index}`, content: "sea" })),
      ],
    },
  ],
  [
    "results whose id is empty",
    {
      messages: [
        user,
        { role: "assistant", tool_calls: repeat((index) => call(`c${index}`)) },
        ...repeat(() => ({ role: "tool", tool_call_id: "", content: "sea" })),
      ],
    },
  ],
])("chat over Anthropic hosts: %s", async (_, { messages }) => {
  const body = { model: "demo/anthropic", messages: [...messages, user] };
  const reply = await ask("/v1/chat/completions", body);
  expect(reply.status, reply.text.slice(0, 500)).toBe(200);
});

test("messages over OpenAI hosts: results spread over as many user messages", async () => {
  const result = (index: number) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: `c${index}`, content: "sea" }] });
  const toolUse = (index: number) => ({ type: "tool_use", id: `c${index}`, name: "look", input: {} });
  const messages = [{ role: "user", content: "Hi" }, { role: "assistant", content: repeat(toolUse) }, ...repeat(result)];
  const body = { model: "demo/openai", max_tokens: 5, messages };
  const reply = await ask("/v1/messages", body);
  expect(reply.status, reply.text.slice(0, 500)).toBe(200);
  expect(host.asked.at(-1)!.body["messages"]).toHaveLength(2 + many);
});

test("a content part of a strange kind is named, not repeated at length", async () => {
  const type = "x".repeat(1_000_000);
  const messages = [{ role: "user", content: [{ type }] }];
  for (const path of ["/v1/chat/completions", "/v1/messages"]) {
    const reply = await ask(path, { model: "demo/anthropic", max_tokens: 5, messages });
    expect(reply.status).toBe(400);
    expect(reply.text.length).toBeLessThan(2_000);
  }
});
