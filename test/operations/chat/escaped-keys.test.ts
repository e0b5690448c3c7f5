// Keys that are written with escapes, as Python writes every key beyond ASCII: what they say is what counts, whatever keys other callers and
// hosts have sent before. V8 misreads them once it has read a key with a backslash at their place (docs/v8-json-escaped-keys.md).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostileHost, json, startHostileHost } from "../../robustness/hostile-host.ts";
import { bigBytes } from "../../../src/server/big-json.ts";
import { type Gateway, startGateway, type TestAccount, type TestReply } from "../../support/gateway.ts";
import { provider } from "./chat-gateway.ts";

let host: HostileHost;
let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => {
  host = await startHostileHost();
  const model = (id: string) => ({
    ...{ id: `demo/${id}`, type: "language", context_window: 1_000_000, max_output_tokens: 100, supports_tools: true },
    ...{ pricing: { mode: "per-token", input: 1, output: 2 }, routes: [{ provider: id, model: id }] },
  });
  const hosted = ["openai", "anthropic"].map((protocol) => ({ id: protocol, protocol, base_url: `${host.url}/v1` }));
  const providers = [...hosted, provider("simulated")];
  gateway = await startGateway({ catalog: JSON.stringify({ providers, models: ["openai", "anthropic", "simulated"].map(model) }) });
  account = await gateway.createAccount({ deposit: "20" });
});
afterAll(async () => {
  await gateway.stop();
  await host.stop();
});

/** As text: what is sent must be just these bytes. */
async function chat(body: string): Promise<TestReply> {
  const reply = await gateway.request("POST", "/v1/chat/completions", {
    key: account.key,
    body,
    headers: { "content-type": "application/json" },
  });
  expect(reply.status).toBe(200);
  return reply;
}

/** The key that V8 mistakes this one for: its text, cut to the key's length. As JSON it has nothing to escape but the backslash. */
const mistakenFor = (escaped: string) => JSON.stringify(escaped.slice(0, (JSON.parse(`"${escaped}"`) as string).length)).slice(1, -1);

describe("200", () => {
  test.each([
    ["of any size", "Hello"],
    ["so big that a thread reads it", "a".repeat(bigBytes)],
  ])("a field of a body %s counts: two answers were asked for, two come and are paid", async (_, content) => {
    const start = `{"model":"demo/simulated","messages":[{"role":"user","content":"${content}"}]`;
    await chat(`${start},"${mistakenFor("\\u006e")}":1}`);
    const reply = await chat(`${start},"\\u006e":2}`);
    expect(reply.json.choices).toHaveLength(2);
    const both = reply.json.choices.map(({ message }: { message: { content: string } }) => message.content);
    expect(new Set(both).size).toBe(2);
  });

  const usage = { input_tokens: 5, output_tokens: 1 };
  const keys = ["\\u006e", "\\u540d", "\\u540d\\u524d", "a\\n", '\\"', "\\/"];

  test("a tool's arguments reach a host of Anthropic's protocol under their names", async () => {
    host.answers.set("anthropic", json({ content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage }));
    const ask = (given: string) => {
      const call = { id: "call_1", type: "function", function: { name: "look", arguments: given } };
      const assistant = { role: "assistant", tool_calls: [call] };
      const messages = [{ role: "user", content: "Look" }, assistant, { role: "tool", tool_call_id: "call_1", content: "sea" }];
      return chat(JSON.stringify({ model: "demo/anthropic", messages }));
    };
    for (const [at, key] of keys.entries()) {
      await ask(`{"place${at}":"x","${mistakenFor(key)}":1}`);
      await ask(`{"place${at}":"x","${key}":5}`);
      const { input } = host.asked.at(-1)!.body["messages"][1].content[0];
      expect(Object.keys(input)).toEqual([`place${at}`, JSON.parse(`"${key}"`)]);
    }
  });

  test("a tool's input that a host answers reaches the caller under its names", async () => {
    const say = async (input: string) => {
      const call = `{"type":"tool_use","id":"t","name":"look","input":${input}}`;
      host.answers.set("anthropic", json(`{"content":[${call}],"stop_reason":"tool_use","usage":${JSON.stringify(usage)}}`));
      const reply = await chat('{"model":"demo/anthropic","messages":[{"role":"user","content":"Look"}]}');
      return reply.json.choices[0].message.tool_calls[0].function.arguments as string;
    };
    for (const [at, key] of keys.entries()) {
      await say(`{"spot${at}":"x","${mistakenFor(key)}":1}`);
      const name = JSON.stringify(JSON.parse(`"${key}"`));
      expect(await say(`{"spot${at}":"x","${key}":5}`)).toBe(`{"spot${at}":"x",${name}:5}`);
    }
  });

  test("the usage that a stream ends with is what is charged", async () => {
    const stream = async (key: string) => {
      const records = [
        '{"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}',
        '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
        `{"choices":[],"${key}":{"prompt_tokens":1000,"completion_tokens":50,"total_tokens":1050}}`,
      ];
      host.answers.set("openai", (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.end([...records, "[DONE]"].map((record) => `data: ${record}\n\n`).join(""));
      });
      const reply = await chat('{"model":"demo/openai","stream":true,"messages":[{"role":"user","content":"Hi"}]}');
      const { rows } = await gateway.context.db.pool.query("select cost, estimated from usage_log where request_id = $1", [
        reply.headers["x-request-id"],
      ]);
      return rows[0] as { cost: bigint; estimated: boolean };
    };
    expect(await stream(mistakenFor("us\\u0061ge"))).toMatchObject({ estimated: true });
    expect(await stream("us\\u0061ge")).toEqual({ cost: 110_000n, estimated: false }); // 1,000 of 1 USD and 50 of 2 USD a million
  });
});
