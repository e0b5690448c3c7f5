// Hosts that answer anything at all, in every dialect: what leaves fits the contract (`gateway.request` checks it), nothing is
// charged for what could not be used, nothing of theirs piles up here.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Gateway, startGateway, type TestReply } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { eventText, type HostileAnswer, type HostileHost, json, startHostileHost } from "./hostile-host.ts";
import { drawn } from "../support/size.ts";

let host: HostileHost;
let gateway: Gateway;
beforeAll(async () => {
  host = await startHostileHost();
  const provider = (protocol: string) => ({ id: protocol, protocol, base_url: `${host.url}/v1` });
  const model = (id: string, type: string, protocol: string) => ({
    id: `demo/${id}`,
    type,
    context_window: 100_000,
    ...(type === "language" ? { max_output_tokens: 100, supports_tools: true } : {}),
    pricing: { mode: "per-token", input: 1, ...(type === "language" ? { output: 1 } : type === "decisions" ? { output: 0 } : {}) },
    routes: [{ provider: protocol, model: `${id}-v2@host` }],
  });
  const models = [
    model("chat", "language", "openai"),
    model("claude", "language", "anthropic"),
    model("ranks", "reranking", "rerank"),
    { ...model("jev", "decisions", "openai"), id: "jev" },
  ];
  const providers = ["openai", "anthropic", "rerank"].map(provider);
  gateway = await startGateway({ catalog: JSON.stringify({ providers, models, tiers: highTiers() }) });
});
afterAll(async () => {
  const audited = await gateway.audit();
  await gateway.stop();
  await host.stop();
  expect(audited).toMatchObject({ mismatches: [], reservations_open: 0 });
});

const messages = [{ role: "user", content: "Hello" }];
const bodies: Record<string, object> = {
  "/v1/messages": { messages, max_tokens: 50 },
  "/v1/chat/completions": { messages, max_tokens: 50 },
  "/v1/responses": { input: "Hello", max_output_tokens: 50 },
  "/v1/rerank": { query: "rain", documents: ["sun"] },
  "/v1/decisions": { state: "It rains.", questions: { constructor: { type: "choice", criteria: { stay: null, constructor: null } } } },
};

async function ask(path: string, model: "chat" | "claude" | "ranks" | "jev", answer: HostileAnswer, more: object = {}) {
  host.answers.set(`${model}-v2@host`, answer);
  const account = await gateway.createAccount({ deposit: "5" });
  const id = model === "jev" ? model : `demo/${model}`;
  const reply = await gateway.request("POST", path, { key: account.key, body: { model: id, ...bodies[path], ...more } });
  return { reply, spent: (await gateway.balance(account)).spent };
}

const usage = { prompt_tokens: 5, completion_tokens: 1, input_tokens: 5, output_tokens: 1 };
const chatText = (choice: string) => json(`{"choices":[{"index":0,${choice}}],"usage":${JSON.stringify(usage)}}`);
const chatCall = (text: string) =>
  chatText(
    `"finish_reason":"tool_calls","message":{"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":${JSON.stringify(text)}}}]}`,
  );
const deep = "[".repeat(20_000) + "]".repeat(20_000);

describe("whole answers", () => {
  test.each<[string, "chat" | "claude" | "ranks", HostileAnswer]>([
    ["/v1/chat/completions", "chat", chatText(`"message":{"content":"Hi","extra":${deep}},"finish_reason":"stop"`)],
    ["/v1/messages", "claude", json(`{"content":[{"type":"tool_use","id":"t","name":"f","input":{"a":${deep}}}]}`)],
    ["/v1/chat/completions", "claude", json(`{"content":[{"type":"text","text":"Hi"}],"stop_details":{"a":${deep}}}`)],
    ["/v1/rerank", "ranks", json(`{"results":[{"index":0,"relevance_score":1,"extra":${deep}}]}`)],
  ])("%s over %s: nested beyond what could be written again, 502 upstream_invalid_response and free", async (path, model, answer) => {
    const { reply, spent } = await ask(path, model, answer);
    expect([reply.status, spent]).toEqual([502, 0]);
  });

  test.each(["1.0", "12345678901234567890", `{"a":${deep}}`])("a tool's arguments %.20s are no object: no call to be run", async (text) => {
    const { reply } = await ask("/v1/messages", "chat", chatCall(text));
    expect(reply.json).toMatchObject({ content: [], stop_reason: "max_tokens" });
  });

  test("arguments under names of JavaScript's own are names like others", async () => {
    const text = '{"__proto__":{"polluted":1},"constructor":2,"rawJSON":3}';
    const { reply } = await ask("/v1/messages", "chat", chatCall(text));
    expect(JSON.stringify(reply.json.content[0].input)).toBe(text);
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });

  test.each(["constructor", "__proto__", "toString"])("finish reason %s: a plain end", async (finish) => {
    const { reply } = await ask("/v1/chat/completions", "chat", chatText(`"message":{"content":"Hi"},"finish_reason":"${finish}"`));
    expect(reply.json.choices[0].finish_reason).toBe("stop");
  });

  test.each(["constructor", "__proto__", "toString"])("a rejection that blames %s names no field, or one that is a text", async (param) => {
    const answer = json({ error: { message: "no", type: "invalid_request_error", param } }, 400);
    expect((await ask("/v1/messages", "chat", answer)).reply.json.error.param).toBeNull();
    expect((await ask("/v1/responses", "chat", answer)).reply.json.error.param).toBe(param);
  });

  test.each(["invalid_request_error", "content_filter"])("a sentence of %s calls the model what the caller calls it", async (type) => {
    const answer = json({ error: { message: "claude-v2@host: no such thing", type } }, 400);
    const { reply } = await ask("/v1/messages", "claude", answer);
    expect(reply.json.error.message).toContain("demo/claude: no such thing");
    expect(reply.text).not.toContain("v2@host");
  });

  test.each([
    ["half a million alternatives", Array.from({ length: 500_000 }, (_, at) => ({ token: `t${at}`, logprob: -2 }))],
    [
      "a token of a million brackets",
      [
        { token: `${")".repeat(1_000_000)}x`, logprob: -2 },
        { token: "B", logprob: -3 },
      ],
    ],
  ])("a decision among %s", async (_, top_logprobs) => {
    const logprobs = { content: [{ token: "A", logprob: -0.1, top_logprobs }] };
    const { reply } = await ask("/v1/decisions", "jev", chatText(`"message":{"content":"A"},"logprobs":${JSON.stringify(logprobs)}`));
    expect(reply.json.answers.constructor).toMatchObject({ choice: "stay" });
  });
});

/** As many records as a reader takes; it leaves when nothing more is wanted. */
const endless =
  (head: readonly unknown[], next: (index: number) => unknown): HostileAnswer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const record of head) response.write(eventText(record));
    let index = 0;
    const write = () => {
      if (response.destroyed) return;
      const records = Array.from({ length: 500 }, () => eventText(next(index++)));
      if (response.write(records.join(""))) setImmediate(write);
      else response.once("drain", write);
    };
    write();
  };
const start = { type: "message_start", message: { usage: { input_tokens: 5 } } };
const tool = (index: number) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id: `t${index}`, name: "f", input: {} },
});
const piece = { type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json: "x".repeat(50) } };
const chunk = (call: object) => ({ choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] });
const broken = (reply: TestReply) => reply.text.includes('"stream_interrupted"') || reply.status === 502;

describe("streams without end are broken off, and free", () => {
  test.each<[string, "chat" | "claude", HostileAnswer]>(
    drawn(
      [
        ["blocks that are never closed", "claude", endless([start], (index) => tool(index))],
        ["pieces of a second block while the first is open", "claude", endless([start, tool(0), tool(1)], () => piece)],
        [
          "blocks that nobody is shown",
          "claude",
          endless([start, tool(0)], (at) => ({ ...tool(at + 1), content_block: { type: "server_tool_use" } })),
        ],
        [
          "calls by the thousand",
          "chat",
          endless([], (index) => chunk({ index, id: `c${index}`, function: { name: "f", arguments: "" } })),
        ],
        ["data without text", "chat", endless([], () => "data\n".repeat(1_000))],
      ],
      4,
    ),
  )("%s", async (_, model, answer) => {
    for (const path of ["/v1/messages", "/v1/chat/completions", "/v1/responses"]) {
      const { reply, spent } = await ask(path, model, answer, { stream: true });
      expect([broken(reply), spent]).toEqual([true, 0]);
    }
  });

  test("arguments of a call that has no name yet", async () => {
    const nameless = endless([], () => chunk({ index: 0, function: { arguments: "x".repeat(500) } }));
    const { reply, spent } = await ask("/v1/messages", "chat", nameless, { stream: true });
    expect([broken(reply), spent]).toEqual([true, 0]);
  });

  test("a response that changes between thinking and text", async () => {
    const both = { choices: [{ index: 0, delta: { reasoning_content: "a", content: "b" }, finish_reason: null }] };
    const { reply, spent } = await ask(
      "/v1/responses",
      "chat",
      endless([], () => both),
      { stream: true },
    );
    expect([broken(reply), spent]).toEqual([true, 0]);
  });
});

test("a streamed response without end, of which the caller has 32 MiB of text: broken off, and paid up to its hold", async () => {
  const talk = endless([], () => ({ choices: [{ index: 0, delta: { content: "x".repeat(20_000) }, finish_reason: null }] }));
  const { reply, spent } = await ask("/v1/responses", "chat", talk, { stream: true });
  const { key } = await gateway.createAccount({ deposit: "5" });
  const body = { operation: "createResponse", body: { model: "demo/chat", ...bodies["/v1/responses"] } };
  const { reserve_usd } = (await gateway.request("POST", "/v1/quote", { key, body })).json;
  expect([broken(reply), spent]).toEqual([true, reserve_usd]);
});
