// A provider says at which service tier it answered, which may be another than the one that was asked for: what is charged then, and what of it
// is held (docs/behaviour/billing.md#tiers-and-long-prompts).
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language } from "./chat-gateway.ts";

/** USD per million tokens; in 1e-8 USD a token costs a hundredth of a million of it: 2 USD are 200 units. */
const pricing = { mode: "per-token", input: 2, output: 10, service_tiers: { flex: 0.5, priority: 2, scale: 3 } };
const measured = "sim-prompt-tokens-1000+sim-completion-tokens-50";
const usual = 1_000 * 200 + 50 * 1_000;
const world = chatWorld([
  ...["default", "auto", "flex", "priority", "scale"].map((served) =>
    language(`served/${served}`, [`chat+sim-tier-${served}+${measured}`], { pricing }),
  ),
  language("served/unmeasured", ["chat+sim-tier-default+sim-no-usage"], { pricing }),
  language("served/falls", ["chat+sim-fail-503"], { pricing, fallbacks: ["served/default"] }),
]);

async function charged(path: string, body: object): Promise<{ cost: number; reserved: number; tier: string | undefined }> {
  const account = await world.account();
  const reply = await world.gateway.request("POST", path, { key: account.key, body: { messages: hello, max_tokens: 100, ...body } });
  expect(reply.status).toBe(200);
  const { charge } = (await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key })).json;
  expect((await world.gateway.balance(account)).spent).toBe(charge.cost_usd);
  return { cost: Math.round(charge.cost_usd * 1e8), reserved: Math.round(charge.reserved_usd * 1e8), tier: charge.service_tier };
}

describe.each([
  { path: "/v1/chat/completions", stream: false },
  { path: "/v1/chat/completions", stream: true },
  { path: "/v1/messages", stream: false },
  { path: "/v1/messages", stream: true },
])(
  "$path (streamed: $stream): the tier that the answer names is charged, unless it is dearer than both the usual one and the one asked for",
  (way) => {
    const ask = (service_tier: string | undefined, served: string) =>
      charged(way.path, { model: `served/${served}`, stream: way.stream, ...(service_tier === undefined ? {} : { service_tier }) });

    test.each<[string | undefined, string, number, string | undefined]>([
      ["flex", "default", 1, undefined],
      ["flex", "auto", 0.5, "flex"],
      ["flex", "priority", 1, undefined],
      ["priority", "default", 1, undefined],
      ["priority", "auto", 2, "priority"],
      ["priority", "flex", 0.5, "flex"],
      ["priority", "scale", 2, "priority"],
      ["scale", "priority", 2, "priority"],
      ["auto", "priority", 1, undefined],
      [undefined, "priority", 1, undefined],
    ])("%s asked for, %s served: the usual price times %d", async (service_tier, served, multiple, tier) => {
      expect(await ask(service_tier, served)).toMatchObject({ cost: usual * multiple, tier });
    });

    test("a fallback's answer doesn't say at which tier the requested model would have been served: what was asked for bounds its charge", async () => {
      expect(await ask("flex", "falls")).toMatchObject({ cost: usual / 2 });
    });
  },
);

test("a cheaper tier holds the usual price, at which it may be served", async () => {
  const held = async (more: object) => (await charged("/v1/chat/completions", { model: "served/flex", ...more })).reserved;
  expect(await held({ service_tier: "flex" })).toBe(await held({}));
});

test.each(["/v1/chat/completions", "/v1/messages"])(
  "%s: a stream without usage is charged at the tier that it named at its start",
  async (path) => {
    const costOf = async (more: object) => (await charged(path, { model: "served/unmeasured", stream: true, ...more })).cost;
    expect(await costOf({ service_tier: "flex" })).toBe(await costOf({}));
  },
);
