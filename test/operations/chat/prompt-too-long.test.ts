// Prompts longer than a model's context window are refused before any hold, on every token-billed endpoint. An upstream that reports more input
// than the window is charged at the window, so that no size of input takes a balance or a budget below zero.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "./chat-gateway.ts";

const contextWindow = 1000;
const small = { context_window: contextWindow, max_output_tokens: 20 };
/** USD per million tokens: a token is a millionth. */
const pricing = { mode: "per-token", input: 1, output: 1 };
const whole = (id: string, type: string, provider: string, model: string) => ({
  id,
  type,
  context_window: contextWindow,
  pricing: { mode: "per-token", input: 1 },
  routes: [{ provider, model }],
});
const logLines: string[] = [];
const world = chatWorld(
  [
    language("demo/chat", ["chat"], { ...small, pricing }),
    language("demo/claude", [{ provider: "claude", model: "claude-1" }], { ...small, pricing }),
    language("demo/inflated", ["chat+sim-prompt-tokens-20000+sim-completion-tokens-3"], { ...small, pricing }),
    language("demo/cached", ["chat+sim-prompt-tokens-20000+sim-cached-19500+sim-completion-tokens-3"], {
      ...small,
      pricing: { ...pricing, cached: 0.1 },
    }),
    language("demo/to-small", ["chat+sim-fail-503"], { pricing, max_output_tokens: 20, fallbacks: ["demo/chat", "demo/large"] }),
    language("demo/large", ["chat-large"], { pricing, max_output_tokens: 20 }),
    language("demo/to-inflated", ["chat+sim-fail-503"], { ...small, pricing, fallbacks: ["demo/window-of-lies"] }),
    language("demo/window-of-lies", ["chat+sim-prompt-tokens-50000+sim-completion-tokens-3"], { pricing, max_output_tokens: 20 }),
    language("demo/base", [{ provider: "north", model: "base", completions: true }], { ...small, pricing }),
    whole("demo/embed", "embedding", "north", "embed"),
    whole("demo/rank", "reranking", "ranker", "rank"),
    { ...whole("jev", "decisions", "north", "decide"), pricing: { mode: "per-token", input: 1, output: 0 } },
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => ({ id, protocol: "openai", base_url: "simulator:/v1" })),
      { id: "claude", protocol: "anthropic", base_url: "simulator:/anthropic/v1" },
      { id: "ranker", protocol: "rerank", base_url: "simulator:/rerank" },
    ],
    tiers: highTiers(),
  },
  { logLines },
);

/** A token a word, by any tokenizer. */
const words = (count: number) => "word ".repeat(count).trimEnd();
const user = (text: string) => [{ role: "user", content: text }];
const decision = (state: string) => ({ state, questions: { q: { type: "choice", criteria: { stay: null, go: null } } } });

async function limitKey({ accountId }: TestAccount, limit: bigint): Promise<void> {
  await world.gateway.context.db.pool.query("update key_budget set limit_amount = $2 where account_id = $1", [accountId, limit]);
}

const endpoints: [path: string, param: string, body: (text: string) => object][] = [
  ["/v1/chat/completions", "messages", (text) => ({ model: "demo/chat", messages: user(text), max_tokens: 5 })],
  ["/v1/chat/completions", "messages", (text) => ({ model: "demo/chat", messages: user(text), max_tokens: 5, stream: true })],
  ["/v1/chat/completions", "messages", (text) => ({ model: "demo/claude", messages: user(text), max_tokens: 5 })],
  ["/v1/messages", "messages", (text) => ({ model: "demo/claude", messages: user(text), max_tokens: 5 })],
  ["/v1/messages", "messages", (text) => ({ model: "demo/chat", messages: user("Hi"), system: text, max_tokens: 5, stream: true })],
  ["/v1/responses", "input", (text) => ({ model: "demo/chat", input: text, max_output_tokens: 16 })],
  ["/v1/completions", "prompt", (text) => ({ model: "demo/chat", prompt: text, max_tokens: 5 })],
  ["/v1/completions", "prompt", (text) => ({ model: "demo/base", prompt: text, max_tokens: 5 })],
  ["/v1/completions", "prompt", (text) => ({ model: "demo/base", prompt: [text, text], max_tokens: 5 })],
  ["/v1/embeddings", "input", (text) => ({ model: "demo/embed", input: text })],
  ["/v1/embeddings", "input", (text) => ({ model: "demo/embed", input: [text, text] })],
  ["/v1/rerank", "documents", (text) => ({ model: "demo/rank", query: "rain", documents: [text] })],
  ["/v1/decisions", "state", decision],
  ["/v1/systemone", "state", decision],
];

describe("400 a prompt longer than the context window", () => {
  test.each(endpoints)("%s: refused before any hold, with %s named; nothing is asked or charged", async (path, param, body) => {
    const account = await world.account({ deposit: "0.0026" });
    await limitKey(account, 200_000n);
    const reply = await world.gateway.request("POST", path, { key: account.key, body: body(words(5000)) });
    const { error } = reply.json;
    expect([reply.status, error.type]).toEqual([400, path === "/v1/rerank" ? "invalid_request" : "invalid_request_error"]);
    if (path !== "/v1/rerank")
      expect([error.code, error.param]).toEqual([param === "state" ? "invalid_parameter" : "request_rejected", param]);
    expect(error.message).toMatch(/prompt is too long: about (5|10)\d{3} tokens.*maximum context length of \S+ is [12]000 tokens/);
    expect(world.sent()).toEqual([]);
    expect(await world.logOf(reply)).toBeUndefined();
    await world.expectUntouched(account, 0.0026);
  });

  test.each(endpoints)("%s: what fits is served, though its bytes are four times the window", async (path, _, body) => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", path, { key: account.key, body: body(words(800)) });
    expect(reply.status).toBe(200);
    expect(world.sent().length).toBeGreaterThan(0);
  });

  test("what another tokenizer counts a fifth above the window may fit by the model's own: its upstream decides, charged as the window at most", async () => {
    const most = (contextWindow + 20) * 100;
    const account = await world.account({ deposit: (most / 1e8).toFixed(8) });
    const reply = await world.chat(account, { model: "demo/chat", messages: user("雨".repeat(1200)), max_tokens: 20 });
    expect(reply.status).toBe(200);
    expect(world.sent()).toHaveLength(1);
    expect((await world.gateway.balance(account)).balance).toBeGreaterThanOrEqual(0);
  });

  test.each([
    [1000, 200],
    [1001, 400],
  ])("%s tokens that the caller counted: %s", async (count, status) => {
    const account = await world.account();
    const body = { model: "demo/embed", input: Array.from({ length: count }, (_, token) => token) };
    expect((await world.gateway.request("POST", "/v1/embeddings", { key: account.key, body })).status).toBe(status);
  });

  test("many calls at once of a key with a limit: none is served, and key and balance are whole", async () => {
    const account = await world.account({ deposit: "0.02" });
    await limitKey(account, 300_000n);
    const body = { model: "demo/chat", messages: user(words(20_000)), max_tokens: 1 };
    const replies = await Promise.all(Array.from({ length: 10 }, () => world.chat(account, body)));
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 400));
    await world.expectUntouched(account, 0.02);
  });

  const sealed = "iVBORw0KGgo".repeat(2000);
  const dataUrl = `data:image/png;base64,${sealed}`;
  const signed = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
  const thought = { type: "redacted_thinking", data: sealed };
  test.each<[string, string, object[]]>([
    ["a part of a kind of its provider's", "chat", [{ role: "user", content: [{ type: "audio_url", audio_url: { url: dataUrl } }] }]],
    ["frames of a video", "chat", [{ role: "user", content: [{ type: "frames", frames: [dataUrl, dataUrl] }] }]],
    ["a part that bears its bytes bare", "chat", [{ role: "user", content: [{ type: "image", image: dataUrl }] }]],
    [
      "images that a model made",
      "chat",
      [{ role: "assistant", content: "Look", images: [{ type: "image_url", image_url: { url: dataUrl } }] }],
    ],
    [
      "thinking that its model sealed",
      "chat",
      [{ role: "assistant", content: "4", reasoning_details: [{ type: "reasoning.encrypted", data: sealed }] }],
    ],
    [
      "a call with its thought's signature",
      "chat",
      [
        { role: "assistant", tool_calls: [{ ...signed, extra_content: { google: { thought_signature: sealed } } }] },
        { role: "tool", tool_call_id: "call_1", content: "sun" },
      ],
    ],
    ["redacted thinking", "claude", [{ role: "assistant", content: [thought, { type: "text", text: "4" }] }]],
  ])("base64 is not counted as words, and fits: %s", async (_, model, messages) => {
    const account = await world.account();
    const path = model === "claude" ? "/v1/messages" : "/v1/chat/completions";
    const body = { model: `demo/${model}`, messages: [...user("Hi"), ...messages, ...user("Go on")], max_tokens: 5 };
    const reply = await world.gateway.request("POST", path, { key: account.key, body });
    expect([reply.status, reply.json.error]).toEqual([200, undefined]);
  });

  test("base64 as a message's own text is counted as words", async () => {
    const account = await world.account();
    for (const content of [dataUrl, [{ type: "text", text: dataUrl }]])
      expect((await world.chat(account, { model: "demo/chat", messages: [{ role: "user", content }], max_tokens: 5 })).status).toBe(400);
  });

  test("a state that fits each question's window, but not twice: refused by the window of one question", async () => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", "/v1/decisions", { key: account.key, body: decision(words(1500)) });
    expect([reply.status, reply.json.error.param]).toEqual([400, "state"]);
  });

  test("a fallback with a smaller window is passed over", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/to-small", messages: user(words(5000)), max_tokens: 5 });
    expect([reply.status, reply.headers["x-svc-served-model"]]).toEqual([200, "demo/large"]);
    expect(world.sent().map(({ model }) => model)).toEqual(["chat+sim-fail-503", "chat-large"]);
  });
});

describe("200 from an upstream that measured more than the window holds", () => {
  const overruns = () => logLines.filter((line) => line.includes("usage above its reservation")).length;

  test.each([
    ["more input than the window", "demo/inflated", contextWindow * 100 + 300],
    ["more input, most of it cached: the dearer input goes first", "demo/cached", contextWindow * 10 + 300],
  ])("%s: charged at the bound and logged, the usage shown as measured", async (_, model, cost) => {
    const account = await world.account();
    const before = overruns();
    const reply = await world.chat(account, { model, messages: user(words(600)), max_tokens: 20 });
    expect(reply.json.usage.cost).toBe(cost / 1e8);
    expect(reply.json.usage.prompt_tokens + reply.json.usage.completion_tokens).toBeGreaterThan(contextWindow);
    expect(BigInt((await world.logOf(reply))!.cost)).toBe(BigInt(cost));
    expect(overruns()).toBe(before + 1);
  });

  test.each([false, true])(
    "a balance and a key that hold just what the call may cost at most never go below zero, stream: %s",
    async (stream) => {
      const most = (contextWindow + 20) * 100;
      const account = await world.account({ deposit: (most / 1e8).toFixed(8) });
      await limitKey(account, BigInt(most));
      const body = { model: "demo/inflated", messages: user(words(600)), max_tokens: 20, stream };
      expect((await world.chat(account, body)).status).toBe(200);
      const { balance, reserved } = await world.gateway.balance(account);
      expect([Math.round(balance * 1e8), reserved]).toEqual([1700, 0]); // of the 20 output tokens 3 were used
      expect((await world.chat(account, body)).status).toBe(402);
    },
  );

  test("another model's answer: no more than the window of the one that was asked for", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/to-inflated", messages: user(words(600)), max_tokens: 20 });
    expect([reply.headers["x-svc-served-model"], reply.json.usage.cost]).toEqual([
      "demo/window-of-lies",
      (contextWindow * 100 + 300) / 1e8,
    ]);
  });
});
