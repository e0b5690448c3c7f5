// What a call costs the operator where its provider has prices for service tiers and for long prompts (docs/behaviour/billing.md#expenses): in the
// attempts, the row and its receipt's margin, for answers, and for what could not be read.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language, type LogRow, provider } from "./chat-gateway.ts";

const tiers = { flex: 0.5, priority: 2 };
const pricing = { mode: "per-token", input: 2, output: 10, service_tiers: tiers };
const cost = { input: 1, output: 4, cached: 0.1, per_request: 0.001, service_tiers: { flex: 0.25, priority: 3 } };
const measured = "sim-prompt-tokens-1000+sim-completion-tokens-50";
const long = {
  input: 1,
  output: 4,
  cached: 0.1,
  long_context: { above: 1_000, input: 2, output: 6, cached: 0.2 },
  service_tiers: { flex: 0.5 },
};
const world = chatWorld(
  [
    language("tier/sold", [{ model: `chat+${measured}`, cost }], { pricing }),
    language("tier/unread", [{ model: "chat+sim-bad-json", cost }], { pricing }),
    language("tier/forwarded", [{ provider: "open", model: `chat+${measured}`, cost }], {
      pricing: { mode: "per-token", input: 2, output: 10 },
    }),
    language("tier/claude", [{ provider: "claude", model: `plain+${measured}`, cost }], { pricing }),
    language("tier/falls", [{ model: "chat+sim-bad-json", cost }], { pricing, fallbacks: ["tier/plain"] }),
    language("tier/plain", [{ model: "plain+sim-bad-json", cost }], { pricing: { mode: "per-token", input: 2, output: 10 } }),
    language("long/at", [{ model: `chat+${measured}+sim-cached-200`, cost: long }]),
    language("long/above", [{ model: "chat+sim-prompt-tokens-1001+sim-completion-tokens-50+sim-cached-200", cost: long }], { pricing }),
  ],
  {
    providers: [
      provider("north"),
      provider("open", { forward: ["service_tier"] }),
      provider("claude", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
    ],
  },
);

const perRequest = 100_000n;
async function ask(model: string, body: object = {}, path = "/v1/chat/completions"): Promise<LogRow & { expense: bigint }> {
  const { key } = await world.account();
  const reply = await world.gateway.request("POST", path, { key, body: { messages: hello, max_tokens: 100, model, ...body } });
  const row = (await world.logOf(reply)) as LogRow & { expense: bigint };
  const costs = row.attempts.map((attempt) => BigInt((attempt as unknown as { cost: string }).cost));
  expect(row.expense).toBe(costs.reduce((sum, one) => sum + one, 0n));
  return row;
}
const usual = 1_000n * 100n + 50n * 400n;

describe("a service tier", () => {
  test.each([false, true])("costs its multiple of the tokens, not of the request (streamed: %s)", async (stream) => {
    expect((await ask("tier/sold", { stream })).expense).toBe(usual + perRequest);
    expect((await ask("tier/sold", { stream, service_tier: "priority" })).expense).toBe(usual * 3n + perRequest);
    expect((await ask("tier/sold", { stream, service_tier: "flex" })).expense).toBe(usual / 4n + perRequest);
  });

  test("of a message as well", async () => {
    expect((await ask("tier/sold", { service_tier: "flex" }, "/v1/messages")).expense).toBe(usual / 4n + perRequest);
  });

  test("that was sent counts where the answer could not be read", async () => {
    const plain = (await ask("tier/unread")).expense - perRequest;
    expect(plain).toBeGreaterThan(0n);
    expect((await ask("tier/unread", { service_tier: "priority" })).expense - perRequest).toBe(plain * 3n);
  });

  test("that was not sent costs the usual: of a chat on a route of protocol anthropic, and of a fallback that doesn't sell it", async () => {
    expect((await ask("tier/claude", { service_tier: "priority" })).expense).toBe(usual + perRequest);
    const { attempts } = await ask("tier/falls", { service_tier: "priority" });
    const [own, other] = attempts.map((attempt) => BigInt((attempt as unknown as { cost: string }).cost) - perRequest);
    expect(own).toBe(other! * 3n);
  });

  test("that is forwarded without a price costs its multiple, too: the margin says so", async () => {
    const row = await ask("tier/forwarded", { service_tier: "priority" });
    expect([row.cost, row.expense]).toEqual([1_000n * 200n + 50n * 1_000n, usual * 3n + perRequest]);
  });
});

describe("a long prompt", () => {
  test("costs what long ones do, caches included; one at the bound does not", async () => {
    expect((await ask("long/at")).expense).toBe(800n * 100n + 200n * 10n + 50n * 400n);
    expect((await ask("long/above")).expense).toBe(801n * 200n + 200n * 20n + 50n * 600n);
  });

  test("in a service tier has both", async () => {
    expect((await ask("long/above", { service_tier: "flex" })).expense).toBe((801n * 200n + 200n * 20n + 50n * 600n) / 2n);
  });
});
