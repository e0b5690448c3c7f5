// POST /v1/chat/completions: whatever cap goes upstream, to whichever model, no answer costs more than was reserved for it.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "./chat-gateway.ts";

/** 100 USD per million output tokens, input for nothing: n tokens cost n x 0.0001 USD. */
const pricing = { mode: "per-token", input: 0, output: 100 };

const world = chatWorld([
  language("demo/short", ["chat+sim-tokens-3000"], { max_output_tokens: 1000, pricing }),
  language("demo/small", ["sim-fail-500"], { max_output_tokens: 100, pricing, fallbacks: ["demo/large"] }),
  language("demo/large", ["chat+sim-tokens-3000"], { max_output_tokens: 4000, pricing }),
  language("demo/wordy", ["sim-fail-500"], { max_output_tokens: 4000, pricing, fallbacks: ["demo/terse"] }),
  language("demo/terse", ["chat+sim-tokens-3000"], { max_output_tokens: 50, pricing }),
  language("demo/flat", ["chat+sim-hang"], { pricing: { mode: "per-token", input: 0, output: 0, per_request: 0.01 } }),
]);

const balanceAfter = async (deposit: string, body: object) => {
  const account = await world.account({ deposit });
  const reply = await world.chat(account, body);
  return { reply, balance: (await world.gateway.balance(account)).balance, sent: world.sent().at(-1)! };
};

describe("200", () => {
  test("max_tokens above the model's own maximum are reserved for as asked, and lowered to what can be paid", async () => {
    const { reply, balance, sent } = await balanceAfter("0.15", { model: "demo/short", max_tokens: 6000 });
    expect(reply.headers["x-svc-max-tokens-clamped"]).toBe("1500");
    expect(sent.max_tokens).toBe(1500);
    expect(reply.json.usage.completion_tokens).toBe(1500);
    expect(balance).toBe(0);
  });

  test("a fallback that would write more by itself is held to what the requested model was reserved for", async () => {
    const { reply, balance, sent } = await balanceAfter("0.02", { model: "demo/small" });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/large");
    expect(sent.max_tokens).toBe(100);
    expect(reply.json.usage.completion_tokens).toBe(100);
    expect(balance).toBe(0.01);
  });

  test("a fallback that takes less than was asked for is asked for what it takes", async () => {
    const { reply, sent } = await balanceAfter("5", { model: "demo/wordy", max_tokens: 3000 });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/terse");
    expect(sent.max_tokens).toBe(50);
  });

  test("a fallback whose own maximum was reserved for gets no cap that nobody sent", async () => {
    const { reply, sent } = await balanceAfter("5", { model: "demo/wordy" });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/terse");
    expect(sent).not.toHaveProperty("max_tokens");
  });
});

describe("402 insufficient_credits", () => {
  test("never names more tokens than the model writes, also where tokens cost nothing", async () => {
    const account = await world.account({ deposit: "0.01" });
    const leaving = new AbortController();
    const holding = world.gateway
      .request("POST", "/v1/chat/completions", { key: account.key, body: { model: "demo/flat", messages: hello }, signal: leaving.signal })
      .catch(() => undefined);
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0.01);
    const reply = await world.chat(account, { model: "demo/flat" });
    leaving.abort();
    await holding;
    expect(reply.status).toBe(402);
    expect(reply.json.details).toMatchObject({ affordable_max_tokens: 0, affordable_max_tokens_when_released: 1000 });
    expect(reply.json.error.message).toContain("1000");
    await expect.poll(async () => (await world.gateway.balance(account)).reserved).toBe(0);
  });
});
