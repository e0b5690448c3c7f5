// POST /v1/chat/completions and the balance: caps lowered to what it can pay, and 402s that say why and what helps.
import { describe, expect, test } from "vitest";
import { promptSize } from "../../../src/language/prompt-size.ts";
import { eventually } from "../../support/eventually.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, hello, language, prices } from "./chat-gateway.ts";

const world = chatWorld(
  [
    language("demo/chat", ["chat"]),
    language("demo/reason", ["reason-1"], { supports_reasoning: true }),
    language("demo/search", ["chat"], { pricing: { mode: "per-token", ...prices, per_request: 0.01 } }),
    language("demo/hanging", ["chat+sim-hang"]),
    language("demo/free", ["chat"], { pricing: { mode: "per-token", input: 0.1, output: 0.4 } }),
    language("demo/almost-free", ["chat"], { pricing: { mode: "per-token", input: 0.1, output: 0.400001 } }),
    language("demo/small-window", ["chat"], { context_window: 100, max_output_tokens: 50 }),
  ],
  { aliases: { best: "demo/chat" } },
);

/** Prices of `prices` in 1e-8 USD, times 10,000: 1e-12 USD. */
const perInput = 500_000;
const perOutput = 1_500_000;
const promptTokens = promptSize({ messages: hello }).tokensMax;
/** What a call with so many output tokens may cost at most, in 1e-8 USD. */
const bound = (outputTokens: number) => Math.ceil((promptTokens * perInput + outputTokens * perOutput) / 10_000);
const usd = (amount: number) => (amount / 1e8).toFixed(8);

describe("200, a cap that the balance can't pay", () => {
  test.each([
    ["the caller's max_tokens", { max_tokens: 900 }, "max_tokens"],
    ["the caller's max_completion_tokens", { max_completion_tokens: 900 }, "max_completion_tokens"],
    ["the model's own, where the caller named none", {}, "max_tokens"],
  ])("%s is lowered, upstream and in the headers", async (_, body, name) => {
    const account = await world.account({ deposit: usd(bound(40)) });
    const reply = await world.chat(account, { model: "demo/chat", ...body });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-max-tokens-clamped": "40", "x-svc-credits-have": String(bound(40) / 1e8) });
    const sent = world.sent()[0]!;
    expect(sent[name]).toBe(40);
    expect(Object.keys(sent).filter((key) => key.startsWith("max_"))).toEqual([name]);
    expect(reply.json.usage.completion_tokens).toBeLessThanOrEqual(40);
    expect((await world.logOf(reply))!.reserved).toBe(BigInt(bound(40)));
    expect((await world.gateway.balance(account)).balance).toBeGreaterThanOrEqual(0);
  });

  test("both names are lowered where both were sent", async () => {
    const account = await world.account({ deposit: usd(bound(40)) });
    await world.chat(account, { model: "demo/chat", max_tokens: 500, max_completion_tokens: 400 });
    expect(world.sent()[0]).toMatchObject({ max_tokens: 40, max_completion_tokens: 40 });
  });

  test("is lowered to exactly 1 where exactly 1 can be paid", async () => {
    const reply = await world.chat(await world.account({ deposit: usd(bound(1)) }), { model: "demo/chat" });
    expect(reply.headers["x-svc-max-tokens-clamped"]).toBe("1");
    expect(reply.json.usage.completion_tokens).toBe(1);
  });

  test("max_tokens that can be paid are not touched, to the last cent", async () => {
    const reply = await world.chat(await world.account({ deposit: usd(bound(40)) }), { model: "demo/chat", max_tokens: 40 });
    expect(reply.headers).not.toHaveProperty("x-svc-max-tokens-clamped");
    expect(reply.headers).not.toHaveProperty("x-svc-credits-have");
    expect(world.sent()[0]).toHaveProperty("max_tokens", 40);
  });

  test("is shared by n answers", async () => {
    const account = await world.account({ deposit: usd(bound(40)) });
    const reply = await world.chat(account, { model: "demo/chat", n: 3 });
    expect(reply.headers["x-svc-max-tokens-clamped"]).toBe("13");
    expect(reply.json.usage.completion_tokens).toBeLessThanOrEqual(39);
  });

  test("a reasoning budget is lowered below the lowered cap", async () => {
    const account = await world.account({ deposit: usd(bound(40)) });
    await world.chat(account, { model: "demo/reason", max_tokens: 900, reasoning: { max_tokens: 500 } });
    expect(world.sent()[0]).toMatchObject({ max_tokens: 40, reasoning: { max_tokens: 39 } });
  });

  test("holds for streams: the headers come before the records", async () => {
    const account = await world.account({ deposit: usd(bound(40)) });
    const reply = await world.chat(account, { model: "demo/chat", stream: true });
    expect(reply.headers).toMatchObject({ "x-svc-max-tokens-clamped": "40", "x-svc-credits-have": String(bound(40) / 1e8) });
  });

  test("the prompt is never reckoned above the context window", async () => {
    const messages = [{ role: "user", content: "word ".repeat(70) }]; // 350 bytes, and 71 tokens
    const reply = await world.chat(await world.account(), { model: "demo/small-window", messages });
    expect((await world.logOf(reply))!.reserved).toBe(BigInt((100 * perInput + 50 * perOutput) / 10_000));
  });

  test("an image is reckoned by a fixed number, never by its bytes", async () => {
    const image = (bytes: number) => [
      { role: "user", content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(bytes)}` } }] },
    ];
    const sizes = [4, 400_000].map((bytes) => promptSize({ messages: image(bytes) }));
    expect(sizes.map(({ images }) => images)).toEqual([1, 1]);
    expect(sizes[0]!.tokensMax).toBe(sizes[1]!.tokensMax);
    expect(sizes[0]!.tokensLikely).toBe(sizes[1]!.tokensLikely);
  });

  test("a part of an unknown kind is reserved for like an image: the charge stays within the reservation", async () => {
    const part = (content: object[]) => [{ role: "tool", tool_call_id: "call_1", content }];
    const [unknown, image] = [[{ type: "" }], [{ type: "image_url", image_url: { url: "" } }]].map((content) =>
      promptSize({ messages: part(content) }),
    );
    expect([unknown!.images, image!.images]).toEqual([1, 1]);
    expect(unknown!.tokensMax).toBeLessThanOrEqual(image!.tokensMax);
    expect(promptSize({ messages: part([{ type: "text", text: "" }]) })).toMatchObject({ images: 0, tokensMax: expect.any(Number) });
  });
});

describe("402 insufficient_credits", () => {
  test("not one output token can be paid: it states what is needed and what is there, in every field and in the sentence", async () => {
    const have = bound(1) - 1;
    const account = await world.account({ deposit: usd(have) });
    const reply = await world.chat(account, { model: "best", max_tokens: 10 });
    expect(reply.status).toBe(402);
    expect(reply.json.error).toMatchObject({ type: "billing_error", code: "insufficient_credits", retryable: false });
    const topup = { url: reply.json.topup_url, minimum_usd: 5 };
    const need = bound(1) / 1e8;
    expect(reply.json).toMatchObject({ need_usd: need, required: need, have_usd: have / 1e8, balance: have / 1e8, held_usd: 0, topup });
    expect(reply.json.details).toMatchObject({ model: "demo/chat", tier: 0, affordable_max_tokens: 0 });
    expect(reply.json.topup_url).toMatch(new RegExp(`^${world.gateway.url}/`));
    for (const amount of [bound(1), have])
      expect(reply.json.error.message).toContain(String(Number(usd(amount)).toFixed(8)).replace(/0+$/, ""));
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account, have / 1e8);
    expect(await world.logOf(reply)).toBeUndefined();
  });

  test("an empty account that once paid in", async () => {
    const account = await world.account({ deposit: "0.00000001" });
    const reply = await world.chat(account, { model: "demo/chat" });
    expect([reply.status, reply.json.have_usd]).toEqual([402, 1e-8]);
  });

  test("the flat fee of a search model counts", async () => {
    const account = await world.account({ deposit: "0.01" });
    const reply = await world.chat(account, { model: "demo/search", max_tokens: 1 });
    expect([reply.status, reply.json.need_usd]).toEqual([402, (1_000_000 + bound(1)) / 1e8]);
  });

  test("n answers need n tokens at least", async () => {
    const account = await world.account({ deposit: usd(bound(4)) });
    const reply = await world.chat(account, { model: "demo/chat", n: 5 });
    expect([reply.status, reply.json.need_usd]).toEqual([402, bound(5) / 1e8]);
  });

  test("money that other calls hold is distinguished from spent money, with the max_tokens that it will pay for", async () => {
    const account = await world.account({ deposit: usd(bound(100)) });
    const end = await occupy(account);
    const reply = await world.chat(account, { model: "demo/chat" });
    expect(reply.status).toBe(402);
    expect(reply.json).toMatchObject({ have_usd: 0, held_usd: bound(100) / 1e8 });
    expect(reply.json.details).toMatchObject({ affordable_max_tokens: 0, affordable_max_tokens_when_released: 100 });
    expect(reply.json.error.message).toMatch(/held by other requests/);
    expect(reply.json.error.message).toMatch(/\b100\b/);
    await end();
    expect((await world.chat(account, { model: "demo/chat", max_tokens: 3 })).status).toBe(200);
  });

  /** A call that holds all the account has; the result ends it and waits until it is given back. */
  async function occupy(account: TestAccount): Promise<() => Promise<void>> {
    const controller = new AbortController();
    const body = JSON.stringify({ model: "demo/hanging", messages: hello, stream: true });
    const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json" };
    const call = expect(
      fetch(`${world.gateway.url}/v1/chat/completions`, { method: "POST", body, headers, signal: controller.signal }),
    ).rejects.toThrow();
    await eventually(async () => expect((await world.gateway.balance(account)).reserved).toBeGreaterThan(0));
    return async () => {
      controller.abort();
      await call;
      await eventually(async () => expect((await world.gateway.balance(account)).reserved).toBe(0));
    };
  }
});

describe("402 model_requires_paid", () => {
  test.each([
    ["signup credit alone", { signupCredit: true }, 0.5],
    ["a gift alone", { credit: "100" }, 100],
    ["nothing", {}, 0],
  ])("%s reaches free-tier models only; nothing is charged or asked upstream", async (_, options, balance) => {
    const account = await world.account(options);
    for (const model of ["demo/chat", "best", "demo/almost-free"]) {
      const reply = await world.chat(account, { model });
      expect(reply.status).toBe(402);
      expect(reply.json.error).toMatchObject({ code: "model_requires_paid", type: "billing_error", param: "model", retryable: false });
      expect(reply.json).toMatchObject({
        have_usd: balance,
        balance,
        topup: { minimum_usd: 5 },
        topup_url: expect.any(String),
        held_usd: 0,
      });
      expect(reply.json).toMatchObject({ need_usd: 5, required: 5, details: { model: model === "best" ? "demo/chat" : model, tier: 0 } });
      expect(await world.logOf(reply)).toBeUndefined();
    }
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account, balance);
  });

  test("signup credit pays for a model of the free tier", async () => {
    const account = await world.account({ signupCredit: true });
    const reply = await world.chat(account, { model: "demo/free" });
    expect(reply.status).toBe(200);
    expect((await world.gateway.balance(account)).spent).toBe(reply.json.usage.cost);
  });

  test("a model of the free tier is not free: without money it is insufficient_credits", async () => {
    const reply = await world.chat(await world.account({}), { model: "demo/free" });
    expect([reply.status, reply.json.error.code, reply.json.have_usd]).toEqual([402, "insufficient_credits", 0]);
  });

  test("an unverified account is one that never paid in, no more", async () => {
    const account = await world.account({ signupCredit: true, verified: false });
    expect((await world.chat(account, { model: "demo/free" })).status).toBe(200);
    expect((await world.chat(account, { model: "demo/chat" })).json.error.code).toBe("model_requires_paid");
  });

  test("the first cent paid in opens every model at once", async () => {
    const account = await world.account({ credit: "5" });
    expect((await world.chat(account, { model: "demo/chat" })).status).toBe(402);
    const { postEntry } = await import("../../../src/ledger/post.ts");
    await postEntry(world.gateway.context.db, { accountId: account.accountId, kind: "deposit", amount: 1n, ref: "test", at: new Date() });
    expect((await world.chat(account, { model: "demo/chat" })).status).toBe(200);
  });
});
