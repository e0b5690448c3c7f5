// `key` in the answer of GET /v1/auth/limits: what the key that asks may do beside its account, and what is left of it.
import { expect, test } from "vitest";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { chatWorld, hello, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/chat", ["sim-tokens-3"])]);

async function keyWith(policy: object) {
  const account = await world.account({ deposit: "20" });
  const { token: session } = await world.gateway.createSession(account);
  const { json } = await world.gateway.request("POST", "/v1/auth/keys", { key: session, body: { name: "k", ...policy } });
  return { session, key: json.api_key as string, id: json.id as string };
}
const limits = async (key: string) => (await world.gateway.request("GET", "/v1/auth/limits", { key })).json;

test("a key without limits of its own says so; a session has no key", async () => {
  const { session, key, id } = await keyWith({});
  expect((await limits(key)).key).toEqual({
    ...{ id, rpm_limit: null, rpm_used: null, tpm_limit: null, tpm_used: null },
    ...{ limit_usd: null, limit_resets: "never", remaining_usd: null, limit_resets_at: null },
    ...{ lifetime_limit_usd: null, lifetime_remaining_usd: null, expires_at: null },
  });
  expect(await limits(session)).not.toHaveProperty("key");
});

test("rates, budgets and expiry of the key, with what its calls have used", async () => {
  await awayFromMinuteEdge(15_000);
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const { key } = await keyWith({ rpm: 7, tpm: 90_000, limit_usd: 2, limit_resets: "daily", lifetime_limit_usd: 3, expires_at });
  const body = { model: "demo/chat", messages: hello, max_tokens: 3 };
  expect((await world.gateway.request("POST", "/v1/chat/completions", { key, body })).status).toBe(200);
  const { key: shown } = await limits(key);
  expect(shown).toMatchObject({
    ...{ rpm_limit: 7, rpm_used: 1, tpm_limit: 90_000, limit_usd: 2, limit_resets: "daily", lifetime_limit_usd: 3, expires_at },
    limit_resets_at: expect.stringMatching(/T00:00:00.000Z$/),
  });
  expect(shown.tpm_used).toBeGreaterThan(0);
  expect([shown.remaining_usd < 2, shown.lifetime_remaining_usd < 3]).toEqual([true, true]);
  expect(shown.lifetime_remaining_usd - shown.remaining_usd).toBeCloseTo(1, 8);
});
