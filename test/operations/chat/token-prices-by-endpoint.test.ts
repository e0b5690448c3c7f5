// Service tiers and the prices of long prompts over the endpoints that are answered by way of a chat: what is sent, held, charged and shown on
// the receipt (docs/behaviour/billing.md#tiers-and-long-prompts). Chat and messages: token-prices.test.ts.
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../../src/catalog/load.ts";
import type { TestReply } from "../../support/gateway.ts";
import { chatWorld, language, provider } from "./chat-gateway.ts";

const prices = { mode: "per-token", input: 2, output: 10 };
const tiers = { ...prices, service_tiers: { flex: 0.5, priority: 2 } };
const long = { ...prices, long_context: { above: 1_000, input: 4, output: 15 } };
const of = (prompt: number) => [`chat+sim-prompt-tokens-${prompt}+sim-completion-tokens-50`];
const embedder = { id: "embed/it", type: "embedding", pricing: { mode: "per-token", input: 2 }, routes: [{ provider: "north", model: "embed" }] }; // prettier-ignore
const world = chatWorld([
  language("tier/all", of(1_000), { pricing: tiers }),
  language("tier/none", of(1_000), { pricing: prices }),
  language("long/at", of(1_000), { pricing: long }),
  language("long/above", of(1_001), { pricing: long }),
  embedder,
]);

type Ask = (model: string, text: string) => object;
const endpoints: [title: string, path: string, ask: Ask][] = [
  ["/v1/responses", "/v1/responses", (model, input) => ({ model, input, max_output_tokens: 100 })],
  ["/v1/responses, streamed", "/v1/responses", (model, input) => ({ model, input, max_output_tokens: 100, stream: true })],
  ["/v1/completions", "/v1/completions", (model, prompt) => ({ model, prompt, max_tokens: 100 })],
  ["/v1/completions, streamed", "/v1/completions", (model, prompt) => ({ model, prompt, max_tokens: 100, stream: true })],
];

async function served(path: string, body: object): Promise<{ reply: TestReply; charge: any; cost: number; held: number }> {
  const account = await world.account();
  const reply = await world.gateway.request("POST", path, { key: account.key, body });
  expect(reply.status).toBe(200);
  const { charge } = (await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key })).json;
  expect((await world.gateway.balance(account)).spent).toBe(charge.cost_usd);
  return { reply, charge, cost: Math.round(charge.cost_usd * 1e8), held: Number((await world.logOf(reply))!.reserved) };
}

describe.each(endpoints)("%s", (_title, path, ask) => {
  test.each(["flex", "priority", "auto"])(
    "service_tier %s is not sent on, though chat has a price for it: held and charged as without one",
    async (tier) => {
      const { charge, cost, held } = await served(path, { ...ask("tier/all", "Hello"), service_tier: tier });
      expect(world.sent().at(-1)).not.toHaveProperty("service_tier");
      expect([cost, charge.service_tier]).toEqual([1_000 * 200 + 50 * 1_000, undefined]);
      expect(held).toBe((await served(path, ask("tier/none", "Hello"))).held);
    },
  );

  test("a prompt at the limit has the usual prices, one above it those of long prompts, for the whole request", async () => {
    const usual = await served(path, ask("long/at", "Hello"));
    expect([usual.cost, usual.charge.long_context]).toEqual([1_000 * 200 + 50 * 1_000, undefined]);
    const { charge, cost } = await served(path, ask("long/above", "Hello"));
    expect([cost, charge.long_context]).toEqual([1_001 * 400 + 50 * 1_500, true]);
    expect(charge.lines.map(({ item, quantity, unit_price_usd }: any) => [item, quantity, unit_price_usd])).toEqual([
      ["input", 1_001, 4],
      ["output", 50, 15],
    ]);
  });

  test("the hold has the prices of long prompts once the prompt may be so long", async () => {
    const around = (await served(path, ask("tier/none", "a"))).held - 100 * 1_000; // one byte, and what stands around it
    const room = 1_000 - (around / 200 - 1);
    const held = async (bytes: number) => (await served(path, ask("long/at", "a".repeat(bytes)))).held;
    expect(await held(room)).toBe(1_000 * 200 + 100 * 1_000);
    expect(await held(room + 1)).toBe(1_001 * 400 + 100 * 1_500);
  });
});

test("/v1/responses/compact is charged the prices of long prompts, and sends no tier", async () => {
  const { charge, cost } = await served("/v1/responses/compact", { model: "long/above", input: "Hello", service_tier: "priority" });
  expect([cost, charge.long_context]).toEqual([1_001 * 400 + 50 * 1_500, true]);
  expect(world.sent().at(-1)).not.toHaveProperty("service_tier");
});

test("embeddings have neither: a tier is not sent on, and a catalog that prices one is refused", async () => {
  const { cost } = await served("/v1/embeddings", { model: "embed/it", input: "Hello", service_tier: "priority" });
  expect(world.sent().at(-1)).not.toHaveProperty("service_tier");
  expect(cost).toBe((await served("/v1/embeddings", { model: "embed/it", input: "Hello" })).cost);
  for (const more of [{ service_tiers: { flex: 0.5 } }, { long_context: { above: 100, input: 4, output: 4 } }]) {
    const model = { ...embedder, pricing: { ...embedder.pricing, ...more } };
    const text = JSON.stringify({ providers: [provider("north")], models: [model] });
    expect(() => loadCatalog({ text, environment: {}, simulatorUrl: "http://127.0.0.1:1" })).toThrow("belongs to language models only");
  }
});
