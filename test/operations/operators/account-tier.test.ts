// POST /v1/operator/accounts/{id}/tier: a tier that an operator gives holds in every process, for every limit, and changes no money.
import { afterAll, beforeAll, expect, test } from "vitest";
import { shippedTiers } from "../../../src/catalog/tiers.ts";
import { tierLimits } from "../../../src/jobs/submit-request.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { newOperator } from "../../support/operators.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";

let gateway: Gateway;
let other: Gateway;
let finance: { account: TestAccount; key: string };
beforeAll(async () => {
  gateway = await startGateway({ catalog: smallCatalog });
  other = await startGateway({ catalog: smallCatalog, databaseUrl: gateway.databaseUrl });
  finance = await newOperator(gateway, "finance");
});
afterAll(async () => {
  await other?.stop();
  await gateway.stop();
});

const set = (id: string, tier: unknown, key = finance.key) =>
  gateway.request("POST", `/v1/operator/accounts/${id}/tier`, { key, body: { tier, reason: "agreed" } });
const limits = async (at: Gateway, { key }: TestAccount) => (await at.request("GET", "/v1/auth/limits", { key })).json;
const codeOf = ({ status, json }: { status: number; json: { error?: { code: string } } }) => [status, json.error?.code];
const queueOf = async ({ accountId }: TestAccount) =>
  (
    await gateway.context.db.pool.query<{ limits: unknown }>("select account_media_limits($1::jsonb, $2) as limits", [
      tierLimits(shippedTiers),
      accountId,
    ])
  ).rows[0]!.limits;

test("its limits hold at once in every process, and those of its deposits come back with null", async () => {
  const account = await gateway.createAccount({ deposit: "5" });
  for (const at of [gateway, other]) expect(await limits(at, account)).toMatchObject({ tier: 1, rpm_limit: 120 });
  const { json } = await set(account.id, 4);
  expect(json).toMatchObject({ tier: 4, assigned_tier: 4, lifetime_purchased_usd: 5 });
  for (const at of [gateway, other]) await expect.poll(() => limits(at, account)).toMatchObject({ tier: 4, rpm_limit: 3000 });
  expect(await queueOf(account)).toMatchObject({ media: { slots: 38, waiting: 114 } });
  expect((await gateway.request("GET", "/v1/credits/balance", { key: account.key })).json).toMatchObject({ balance: 5, tier: 4 });
  expect((await set(account.id, null)).json).toMatchObject({ tier: 1, assigned_tier: null });
  for (const at of [gateway, other]) await expect.poll(() => limits(at, account)).toMatchObject({ tier: 1 });
  expect(await queueOf(account)).toMatchObject({ image: { slots: 5, waiting: 15 } });
});

test("a lower tier takes away what it lacks: 403 permission_denied for a video, before anything is held", async () => {
  const account = await gateway.createAccount({ deposit: "50" });
  await set(account.id, 0);
  await expect.poll(() => limits(gateway, account)).toMatchObject({ tier: 0, rpm_limit: 30 });
  const video = { model: "demo/video", prompt: "a lake", duration: 5 };
  expect(codeOf(await gateway.request("POST", "/v1/videos/generations", { key: account.key, body: video }))).toEqual([
    403,
    "permission_denied",
  ]);
  expect(await gateway.balance(account)).toEqual({ balance: 50, reserved: 0, spent: 0 });
});

test("a tier opens no paid model to an account that never paid: 402 model_requires_paid", async () => {
  const account = await gateway.createAccount({ credit: "5" });
  await set(account.id, 3);
  await expect.poll(() => limits(gateway, account)).toMatchObject({ tier: 3, has_credits: false });
  const body = { model: "demo/chat-large", messages: [{ role: "user", content: "hello" }], max_tokens: 5 };
  const refused = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body });
  expect(codeOf(refused)).toEqual([402, "model_requires_paid"]);
  expect(refused.json.details.tier).toBe(3);
});

test("each change is one row of the log, with before and after; a repeat is none", async () => {
  const account = await gateway.createAccount();
  for (const tier of [2, 2, null]) await set(account.id, tier);
  const { data } = (await gateway.request("GET", `/v1/operator/audit?target=${account.id}`, { key: finance.key })).json;
  expect(data).toMatchObject([
    { action: "account.tier", reason: "agreed", before: { tier: 2 }, after: { tier: null } },
    { action: "account.tier", reason: "agreed", before: { tier: null }, after: { tier: 2 } },
  ]);
});

test("409 not_possible: an account that its person deleted gets none", async () => {
  const account = await gateway.createAccount();
  const { token } = await gateway.createSession(account);
  expect((await gateway.request("DELETE", "/v1/account", { key: token })).status).toBe(200);
  expect(codeOf(await set(account.id, 3))).toEqual([409, "not_possible"]);
});

test("400 invalid_parameter for a tier that the catalog lacks, 404 for an unknown account, 403 for support", async () => {
  const account = await gateway.createAccount();
  for (const tier of [9, -1, "2", 1.5])
    expect((await set(account.id, tier)).json.error).toMatchObject({ code: "invalid_parameter", param: "tier" });
  expect(codeOf(await set("acc_999999", 2))).toEqual([404, "account_not_found"]);
  const support = await newOperator(gateway, "support");
  expect(codeOf(await set(account.id, 2, support.key))).toEqual([403, "permission_denied"]);
});
