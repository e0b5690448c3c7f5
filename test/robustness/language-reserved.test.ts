// What a request may cost at most is held before its upstream is asked, in every dialect: many at once spend no more than there
// is, and nothing that a model reads stays uncounted because of where it stands (docs/behaviour/billing.md#reservation).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { until } from "../support/eventually.ts";
import { type Gateway, startGateway, type TestReply } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { eventText, type HostileAnswer, type HostileHost, json, startHostileHost } from "./hostile-host.ts";

const contextWindow = 500_000;
/** USD per million tokens, so that a token is a millionth. */
const price = 1;

let host: HostileHost;
let gateway: Gateway;
beforeAll(async () => {
  host = await startHostileHost();
  const provider = (protocol: string) => ({ id: protocol, protocol, base_url: `${host.url}/v1` });
  const model = (id: string, type: string, protocol: string) => ({
    id,
    type,
    context_window: contextWindow,
    ...(type === "language" ? { max_output_tokens: 100, supports_tools: true, input_modalities: ["text", "image", "file", "audio"] } : {}),
    pricing: { mode: "per-token", input: price, ...(type === "language" ? { output: price } : {}) },
    routes: [{ provider: protocol, model: id }],
  });
  const models = [
    model("chat", "language", "openai"),
    model("claude", "language", "anthropic"),
    model("vectors", "embedding", "openai"),
    model("ranks", "reranking", "rerank"),
    { ...model("jev", "decisions", "openai"), pricing: { mode: "per-token", input: price, output: 0 } },
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

const odds = { content: [{ token: "A", logprob: -0.1, top_logprobs: ["A", "B"].map((token) => ({ token, logprob: -0.1 })) }] };
const chatAnswer = {
  choices: [{ index: 0, message: { content: "A" }, logprobs: odds, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 1 },
};
const answers: Record<string, object> = {
  chat: chatAnswer,
  jev: chatAnswer,
  claude: { content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn", usage: { input_tokens: 5, output_tokens: 1 } },
  vectors: { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 5 } },
  ranks: { results: [{ index: 0, relevance_score: 1 }], usage: { total_tokens: 5 } },
};

async function reservedFor(reply: TestReply): Promise<bigint> {
  const { rows } = await gateway.context.db.pool.query<{ reserved: bigint }>("select reserved from usage_log where request_id = $1", [
    reply.headers["x-request-id"],
  ]);
  return BigInt(rows[0]!.reserved);
}

const messages = [{ role: "user", content: "Hello" }];
const decision = { state: "It rains.", questions: { q: { type: "choice", criteria: { stay: null, go: null } } } };

test.each<[string, string, object]>([
  ["/v1/messages", "claude", { messages, max_tokens: 1 }],
  ["/v1/messages", "chat", { messages, max_tokens: 1 }],
  ["/v1/chat/completions", "claude", { messages, max_tokens: 1 }],
  ["/v1/completions", "chat", { prompt: "Hello", max_tokens: 1 }],
  ["/v1/responses", "claude", { input: "Hello", max_output_tokens: 1 }],
  ["/v1/embeddings", "vectors", { input: "Hello" }],
  ["/v1/rerank", "ranks", { query: "rain", documents: ["sun"] }],
  ["/v1/decisions", "jev", decision],
  ["/v1/systemone", "jev", decision],
])("%s, %s: of twelve calls at once those run that can be paid, exactly", async (path, model, body) => {
  const ask = async (key: string) => gateway.request("POST", path, { key, body: { model, ...body } });
  host.answers.set(model, json(answers[model]));
  const hold = await reservedFor(await ask((await gateway.createAccount({ deposit: "5" })).key));
  const affordable = 3;
  const account = await gateway.createAccount({ deposit: (Number(hold * BigInt(affordable)) / 1e8).toFixed(8) });
  const waiting: (() => void)[] = [];
  const late: HostileAnswer = (...exchange) => void waiting.push(() => json(answers[model])(...exchange));
  host.answers.set(model, late);
  const statuses: number[] = [];
  const asked = Array.from({ length: 12 }, async () => statuses.push((await ask(account.key)).status));
  await until(() => waiting.length + statuses.length === 12, "every call is refused or at its upstream");
  expect([waiting.length, new Set(statuses)]).toEqual([affordable, new Set([402])]);
  for (const answer of waiting) answer();
  await Promise.all(asked);
  expect(statuses.filter((status) => status === 200)).toHaveLength(affordable);
  expect((await gateway.balance(account)).balance).toBeGreaterThanOrEqual(0);
});

/** A prompt of many tokens whose answer is the name of a tool: who leaves once it is said has had what was asked for. */
test.each([
  ["/v1/messages", "claude"],
  ["/v1/messages", "chat"],
  ["/v1/chat/completions", "claude"],
  ["/v1/chat/completions", "chat"],
])("%s, %s: a client that disconnects after a tool's name pays for it", async (path, model) => {
  const start = { type: "message_start", message: { usage: { input_tokens: 900 } } };
  const tool = { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "yes", input: {} } };
  const call = { index: 0, id: "t", type: "function", function: { name: "yes", arguments: "" } };
  const chunk = { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }] };
  host.answers.set(model, (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const record of model === "claude" ? [start, tool] : [chunk]) response.write(eventText(record));
  });
  const account = await gateway.createAccount({ deposit: "5" });
  const leaving = new AbortController();
  const reply = await fetch(gateway.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, messages, max_tokens: 50, stream: true }),
    signal: leaving.signal,
  });
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; !text.includes('"yes"');) text += (await reader.read()).value!;
  leaving.abort();
  await until(async () => (await gateway.balance(account)).reserved === 0, "the call is settled");
  expect((await gateway.balance(account)).spent).toBeGreaterThan(0);
});

describe("held", () => {
  const long = "rain ".repeat(20_000);
  const base64 = Buffer.from(long).toString("base64");
  const user = (content: unknown, more: object = {}) => ({ messages: [{ role: "user", content, ...more }], max_tokens: 1 });
  const source = { type: "base64", media_type: "application/pdf", data: base64 };

  test.each<[string, string, string, object]>([
    ["a message that calls itself an image", "/v1/chat/completions", "chat", user(long, { type: "image_url" })],
    [
      "text beside an image's address",
      "/v1/chat/completions",
      "chat",
      user([{ type: "image_url", image_url: { url: "https://a.example/b" }, text: long }]),
    ],
    [
      "a call that calls itself a file",
      "/v1/chat/completions",
      "chat",
      {
        messages: [
          { role: "assistant", tool_calls: [{ type: "file", function: { name: "f", arguments: JSON.stringify(long) } }] },
          ...messages,
        ],
      },
    ],
    [
      "a file of text in base64",
      "/v1/chat/completions",
      "claude",
      user([{ type: "file", file: { file_data: `data:text/plain;base64,${base64}` } }]),
    ],
    ["a recording", "/v1/chat/completions", "chat", user([{ type: "input_audio", input_audio: { data: base64, format: "mp3" } }])],
    ["a document in base64", "/v1/messages", "claude", user([{ type: "document", source }])],
    [
      "a document in a tool's result",
      "/v1/messages",
      "claude",
      user([{ type: "tool_result", tool_use_id: "a", content: [{ type: "document", source }] }]),
    ],
    [
      "what a tool has beside its schema",
      "/v1/messages",
      "claude",
      {
        ...user("Hello"),
        tools: [{ name: "f", input_schema: { type: "object" }, input_examples: [{ text: long }] }],
      },
    ],
    [
      "a file of a response",
      "/v1/responses",
      "claude",
      {
        input: [{ role: "user", content: [{ type: "input_file", filename: "a.txt", file_data: `data:text/plain;base64,${base64}` }] }],
      },
    ],
  ])("%s (%s)", async (_, path, model, body) => {
    host.answers.set(model, json(answers[model]));
    const { key } = await gateway.createAccount({ deposit: "5" });
    const reply = await gateway.request("POST", path, { key, body: { model, ...body } });
    expect(reply.status).toBe(200);
    expect(await reservedFor(reply)).toBeGreaterThanOrEqual(BigInt(long.length) * 100n); // 1e-6 USD is 100 units
  });

  test("a document at an address: all that a model can read", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    const content = [{ type: "document", source: { type: "url", url: "https://a.example/b.pdf" } }];
    host.answers.set("claude", json(answers["claude"]));
    const reply = await gateway.request("POST", "/v1/messages", { key, body: { model: "claude", ...user(content) } });
    expect(await reservedFor(reply)).toBe(BigInt(contextWindow + 1) * 100n);
  });

  test("an image is a fixed number, however large it is", async () => {
    const { key } = await gateway.createAccount({ deposit: "5" });
    host.answers.set("chat", json(answers["chat"]));
    const content = [{ type: "image_url", image_url: { url: `data:image/png;base64,${base64}` } }];
    const reply = await gateway.request("POST", "/v1/chat/completions", { key, body: { model: "chat", ...user(content) } });
    expect(reply.status).toBe(200);
    expect(await reservedFor(reply)).toBeLessThan(50_000n * 100n);
  });
});
