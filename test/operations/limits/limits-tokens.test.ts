// Tokens per minute under concurrency: a call's possible answer counts before the call is made.
import { expect } from "vitest";
import { minuteTest } from "../../limits/counted-database.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

// Slow: all calls are counted before the first gives back what it did not use.
const world = chatWorld([language("demo/long", ["sim-tokens-100+sim-slow-3000ms"])], {
  tiers: highTiers({ tpm: 1_000, max_single_request: 100_000 }),
});

const tokensUsed = async (key: string) => (await world.gateway.request("GET", "/v1/auth/limits", { key })).json.tpm_used;
const atOnce = async (key: string, count: number, maxTokens: number | undefined) => {
  const body = { model: "demo/long", messages: [{ role: "user", content: "Hello" }], max_tokens: maxTokens };
  const replies = await Promise.all(
    Array.from({ length: count }, () => world.gateway.request("POST", "/v1/chat/completions", { key, body })),
  );
  return replies.filter(({ status }) => status === 200);
};

minuteTest(
  "calls at once pass a limit of 1,000 only as far as the output they ask for fits; what they don't use is given back",
  async () => {
    const { key } = await world.account();
    const passed = await atOnce(key, 40, 300);
    expect(passed).toHaveLength(3);
    const measured = passed.reduce((sum, { json }) => sum + json.usage.total_tokens, 0);
    expect(measured).toBeLessThan(600);
    await expect.poll(() => tokensUsed(key)).toBe(measured);
    expect(await atOnce(key, 5, 300)).toHaveLength(2);
  },
);

minuteTest("a cap above a whole minute's tokens takes the minute, so that one such call passes; no cap counts as no output", async () => {
  const one = await world.account();
  expect(await atOnce(one.key, 10, 1_000_000)).toHaveLength(1);
  const other = await world.account();
  expect((await atOnce(other.key, 10, undefined)).length).toBe(10);
});
