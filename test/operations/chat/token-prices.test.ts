// Prices as vendors have them: cache writes of five minutes and of an hour, service tiers, long prompts. What is reserved, charged, shown on
// the receipt and on the price lists (docs/behaviour/billing.md#modes).
import { describe, expect, test } from "vitest";
import { accessKeyId, secretAccessKey } from "../../../src/simulator/bedrock/signature.ts";
import { serviceAccount } from "../../../src/simulator/vertex/vertex.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

/** USD per million tokens; in 1e-8 USD a token costs a hundredth of a million of it: 2 USD are 200 units. */
const writes = { mode: "per-token", input: 2, output: 10, cached: 0.2, cache_write: 2.5, cache_write_1h: 4 };
const tiers = { mode: "per-token", input: 2, output: 10, service_tiers: { flex: 0.5, priority: 2, scale: 3 } };
const long = {
  mode: "per-token",
  input: 2,
  output: 10,
  cached: 0.2,
  cache_write: 2.5,
  long_context: { above: 1_000, input: 4, output: 15, cached: 0.4 },
};
const directives = "sim-prompt-tokens-1000+sim-cached-200+sim-cache-write-300+sim-completion-tokens-50";
const measured = "sim-prompt-tokens-1000+sim-completion-tokens-50";
const claude = (model: string) => [{ provider: "claude", model }];
const world = chatWorld(
  [
    language("write/openai", [`chat+${directives}`], { pricing: writes }),
    language("write/claude", claude(`plain+${directives}`), { pricing: writes }),
    language("write/plain", [`chat+${directives}`], { pricing: { mode: "per-token", input: 2, output: 10, cached: 0.2 } }),
    language("tier/all", ["chat+sim-prompt-tokens-1000+sim-completion-tokens-50"], { pricing: tiers }),
    language("tier/none", ["chat+sim-prompt-tokens-1000+sim-completion-tokens-50"], {
      pricing: { mode: "per-token", input: 2, output: 10 },
    }),
    language("tier/falls", ["chat+sim-fail-503"], { pricing: tiers, fallbacks: ["tier/none"] }),
    language("tier/claude", claude("plain+sim-prompt-tokens-1000+sim-completion-tokens-50"), { pricing: tiers }),
    language("tier/both", ["chat+sim-fail-503", ...claude("plain+sim-prompt-tokens-1000+sim-completion-tokens-50")], { pricing: tiers }),
    language("tier/gemini", [{ provider: "star", model: `star+${measured}` }], { pricing: tiers }),
    language("tier/bedrock", [{ provider: "aws", model: `anthropic.star+${measured}` }], { pricing: tiers }),
    language("tier/vertex", [{ provider: "cloud", model: `gemini+${measured}` }], { pricing: tiers }),
    language("long/at", ["chat+sim-prompt-tokens-1000+sim-completion-tokens-50"], { pricing: long }),
    language("long/above", ["chat+sim-prompt-tokens-1001+sim-cached-200+sim-cache-write-300+sim-completion-tokens-50"], { pricing: long }),
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("claude", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
      provider("star", { protocol: "gemini", base_url: "simulator:/gemini", api_key_env: "STAR_KEY" }),
      provider("aws", {
        ...{ protocol: "bedrock", base_url: "simulator:/bedrock", region: "eu-central-1" },
        ...{ access_key_id_env: "AWS_ID", secret_access_key_env: "AWS_SECRET" },
      }),
      provider("cloud", {
        ...{ protocol: "vertex", base_url: "simulator:/vertex", project: "sim-project", location: "global" },
        service_account_env: "ACCOUNT",
      }),
    ],
  },
  {
    env: {
      ...{ STAR_KEY: "AIzaSyTestTestTestTestTestTestTestTest123", AWS_ID: accessKeyId, AWS_SECRET: secretAccessKey },
      ACCOUNT: JSON.stringify(serviceAccount("simulator:/vertex/token")),
    },
  },
);

async function served(account: TestAccount, body: object, path = "/v1/chat/completions"): Promise<TestReply> {
  const reply = await world.gateway.request("POST", path, { key: account.key, body: { messages: hello, max_tokens: 100, ...body } });
  expect(reply.status).toBe(200);
  return reply;
}

async function chargeOf(account: TestAccount, reply: TestReply) {
  const receipt = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
  const { charge, usage } = receipt.json;
  expect(charge.cost_usd).toBe(charge.rounded_usd);
  expect((await world.gateway.balance(account)).spent).toBe(charge.cost_usd);
  const lines = charge.lines.map(({ item, quantity, unit_price_usd }: any) => [item, quantity, unit_price_usd]);
  return { lines, cost: Math.round(charge.cost_usd * 1e8), usage, charge };
}

describe("cache writes", () => {
  test("of five minutes have their own price, and a line of the receipt", async () => {
    const account = await world.account();
    const { lines, cost } = await chargeOf(account, await served(account, { model: "write/openai" }));
    expect(lines).toEqual([
      ["input", 500, 2],
      ["cache_read", 200, 0.2],
      ["cache_write", 300, 2.5],
      ["output", 50, 10],
    ]);
    expect(cost).toBe(500 * 200 + 200 * 20 + 300 * 250 + 50 * 1_000);
  });

  test("of an hour have theirs", async () => {
    const account = await world.account();
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }] }];
    const { lines, cost, usage } = await chargeOf(account, await served(account, { model: "write/claude", messages }, "/v1/messages"));
    expect(lines).toEqual([
      ["input", 500, 2],
      ["cache_read", 200, 0.2],
      ["cache_write_1h", 300, 4],
      ["output", 50, 10],
    ]);
    expect(cost).toBe(500 * 200 + 200 * 20 + 300 * 400 + 50 * 1_000);
    expect(usage).toMatchObject({ cache_write: 300, cache_write_1h: 300 });
  });

  test("a streamed message as well", async () => {
    const account = await world.account();
    const messages = [{ role: "user", content: [{ type: "text", text: "Hello", cache_control: { type: "ephemeral", ttl: "1h" } }] }];
    const { cost } = await chargeOf(account, await served(account, { model: "write/claude", messages, stream: true }, "/v1/messages"));
    expect(cost).toBe(500 * 200 + 200 * 20 + 300 * 400 + 50 * 1_000);
  });

  test("without prices of their own they cost what input costs", async () => {
    const account = await world.account();
    expect((await chargeOf(account, await served(account, { model: "write/plain" }))).cost).toBe(800 * 200 + 200 * 20 + 50 * 1_000);
  });

  test("the hold covers the dearest: every token of the prompt could be written for an hour", async () => {
    const reserved = async (model: string) => Number((await world.logOf(await served(await world.account(), { model })))!.reserved);
    const bound = 5 + 4 + 16; // "Hello", "user" and the message
    expect(await reserved("write/plain")).toBe(bound * 200 + 100 * 1_000);
    expect(await reserved("write/openai")).toBe(bound * 400 + 100 * 1_000);
  });
});

describe("service tiers", () => {
  const plain = 1_000 * 200 + 50 * 1_000;
  test.each([
    ["flex", 0.5],
    ["priority", 2],
  ])("%s reaches the provider and costs its multiple, which the receipt names", async (service_tier, multiple) => {
    const account = await world.account();
    const { cost, charge, lines } = await chargeOf(account, await served(account, { model: "tier/all", service_tier }));
    expect(world.sent().at(-1)).toMatchObject({ service_tier });
    expect(cost).toBe(plain * multiple);
    expect(charge.service_tier).toBe(service_tier);
    expect(lines).toEqual([
      ["input", 1_000, 2 * multiple],
      ["output", 50, 10 * multiple],
    ]);
  });

  test("a message on a route of OpenAI's protocol carries it too", async () => {
    const account = await world.account();
    const { cost, charge } = await chargeOf(account, await served(account, { model: "tier/all", service_tier: "flex" }, "/v1/messages"));
    expect(world.sent().at(-1)).toMatchObject({ service_tier: "flex" });
    expect([cost, charge.service_tier]).toEqual([plain / 2, "flex"]);
  });

  test.each(["flex", "priority"])(
    "%s of a chat on an anthropic route is not sent: the usual price, which is held",
    async (service_tier) => {
      for (const model of ["tier/claude", "tier/both"]) {
        const account = await world.account();
        const reply = await served(account, { model, service_tier });
        const { cost, charge } = await chargeOf(account, reply);
        expect(world.sent().at(-1)).not.toHaveProperty("service_tier");
        expect([cost, charge.service_tier]).toEqual([plain, undefined]);
        const usual = await world.logOf(await served(await world.account(), { model }));
        const held = Number((await world.logOf(reply))!.reserved);
        expect(held).toBe(Number(usual!.reserved) * (service_tier === "flex" ? 1 : 2));
      }
    },
  );

  describe.each(["/v1/chat/completions", "/v1/messages"])("Google's models, by %s", (path) => {
    test.each([
      ["tier/gemini", "flex", 0.5],
      ["tier/gemini", "priority", 2],
      ["tier/vertex", "flex", 0.5],
      ["tier/vertex", "priority", 2],
    ])("%s gets %s where it looks for it, and costs its multiple", async (model, service_tier, multiple) => {
      for (const stream of [false, true]) {
        const account = await world.account();
        const { cost, charge } = await chargeOf(account, await served(account, { model, service_tier, stream }, path));
        const { json, headers } = world.gateway.simulator.calls().at(-1)!;
        const asked = [(json as Record<string, unknown>)["serviceTier"], headers["x-vertex-ai-llm-shared-request-type"]];
        expect(asked).toEqual(model === "tier/gemini" ? [service_tier, undefined] : [undefined, service_tier]);
        expect([cost, charge.service_tier]).toEqual([plain * multiple, service_tier]);
      }
    });

    test.each(["tier/gemini", "tier/vertex"])(
      "%s: a tier that Google doesn't have is not sent, and costs the usual price",
      async (model) => {
        const account = await world.account();
        const { cost, charge } = await chargeOf(account, await served(account, { model, service_tier: "scale" }, path));
        expect(world.sent().at(-1)).not.toHaveProperty("serviceTier");
        expect([cost, charge.service_tier]).toEqual([plain, undefined]);
      },
    );
  });

  test.each([
    ["priority", 2],
    ["flex", 0.5],
  ])("Bedrock gets %s of a message, which costs its multiple; chats have no tier there", async (service_tier, multiple) => {
    const account = await world.account();
    const { cost, charge } = await chargeOf(account, await served(account, { model: "tier/bedrock", service_tier }, "/v1/messages"));
    expect(world.sent().at(-1)).toMatchObject({ serviceTier: { type: service_tier } });
    expect([cost, charge.service_tier]).toEqual([plain * multiple, service_tier]);
    const other = await world.account();
    expect((await chargeOf(other, await served(other, { model: "tier/bedrock", service_tier }))).cost).toBe(plain);
    expect(world.sent().at(-1)).not.toHaveProperty("serviceTier");
  });

  test("the hold has the multiple of a dearer tier; of a cheaper one the usual price, at which it may be served", async () => {
    const reserved = async (more: object) =>
      Number((await world.logOf(await served(await world.account(), { model: "tier/all", ...more })))!.reserved);
    expect(await reserved({ service_tier: "priority" })).toBe(2 * (await reserved({})));
    expect(await reserved({ service_tier: "flex" })).toBe(await reserved({}));
  });

  test("a tier that the provider did not serve costs the usual price", async () => {
    const account = await world.account();
    const { cost, charge } = await chargeOf(account, await served(account, { model: "tier/all", service_tier: "scale" }));
    expect(world.sent().at(-1)).toMatchObject({ service_tier: "scale" });
    expect([cost, charge.service_tier]).toEqual([plain, undefined]);
  });

  test.each(["auto", "default", "dearest"])("%s, which has no price, is dropped", async (service_tier) => {
    const account = await world.account();
    const { cost } = await chargeOf(account, await served(account, { model: "tier/all", service_tier }));
    expect(world.sent().at(-1)).not.toHaveProperty("service_tier");
    expect(cost).toBe(plain);
  });

  test("a fallback without tiers answers at its own price, and gets no tier", async () => {
    const account = await world.account();
    const { cost } = await chargeOf(account, await served(account, { model: "tier/falls", service_tier: "priority" }));
    expect(world.sent().map(({ service_tier }) => service_tier)).toEqual(["priority", undefined]);
    expect(cost).toBe(plain);
  });
});

describe("long prompts", () => {
  test("a prompt at the limit has the usual prices, one above it those of long prompts, for the whole request", async () => {
    const account = await world.account();
    expect((await chargeOf(account, await served(account, { model: "long/at" }))).cost).toBe(1_000 * 200 + 50 * 1_000);
    const other = await world.account();
    const { lines, charge } = await chargeOf(other, await served(other, { model: "long/above" }));
    expect(lines).toEqual([
      ["input", 501, 4],
      ["cache_read", 200, 0.4],
      ["cache_write", 300, 4],
      ["output", 50, 15],
    ]);
    expect(charge.long_context).toBe(true);
  });

  test("the hold has those prices once the prompt may be so long", async () => {
    const reserved = async (bytes: number) => {
      const reply = await served(await world.account(), { model: "long/at", messages: [{ role: "user", content: "a".repeat(bytes) }] });
      return Number((await world.logOf(reply))!.reserved);
    };
    expect(await reserved(980)).toBe((980 + 4 + 16) * 250 + 100 * 1_000); // every token may be written to the cache
    expect(await reserved(981)).toBe((981 + 4 + 16) * 400 + 100 * 1_500);
  });
});

test("the model list and the price list show them, and nothing new for models without", async () => {
  const rows = (await world.gateway.request("GET", "/v1/models")).json.data;
  /** Without what says the same once more, as text for other vendors' clients (test/clients/model-rows.test.ts). */
  const pricingOf = (id: string) => {
    const { pricing } = rows.find((row: any) => row.id === id);
    return Object.fromEntries(Object.entries(pricing).filter(([name, value]) => name === "mode" || typeof value !== "string"));
  };
  expect(pricingOf("write/openai")).toEqual(writes);
  expect(pricingOf("tier/all")).toEqual({ ...tiers, cached: null });
  const shownLong = { above: 1_000, input: 4, output: 15, cached: 0.4, cache_write: 4, cache_write_1h: 4 };
  expect(pricingOf("long/at")).toEqual({ ...long, long_context: shownLong });
  expect(pricingOf("tier/none")).toEqual({ mode: "per-token", input: 2, output: 10, cached: null });
  const text = (await world.gateway.request("GET", "/v1/pricing")).json.text;
  const priceOf = (id: string) => text.find((row: any) => row.id === id);
  expect(priceOf("write/openai")).toMatchObject({ cache_write_per_1m: 2.5, cache_write_1h_per_1m: 4 });
  expect(priceOf("tier/all")).toMatchObject({ service_tiers: tiers.service_tiers });
  expect(priceOf("long/at")).toMatchObject({ long_context: shownLong });
  expect(Object.keys(priceOf("tier/none"))).not.toContain("service_tiers");
});
