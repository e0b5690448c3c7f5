// GET /v1/credits/balance over HTTP, with its older error format.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { parseUsd } from "../../../src/money.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { type Gateway, startGateway } from "../../support/gateway.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const get = (headers: Record<string, string>) => gateway.request("GET", "/v1/credits/balance", { headers });
const balanceOf = (account: { key: string }) => get({ authorization: `Bearer ${account.key}` });

describe("200", () => {
  test("what was paid in, what was given, and the tier that the former sets", async () => {
    const { status, json, headers } = await balanceOf(await gateway.createAccount({ deposit: "50", credit: "2.5", signupCredit: true }));
    expect(status).toBe(200);
    expect(json).toEqual({
      ...{ balance: 53, lifetime_purchased: 50, lifetime_earned: 3, lifetime_spent: 0, read_ok: true },
      ...{ tier: 2, tier_name: expect.any(String), tier_rpm: 300, low_balance: false, nudge: null },
    });
    expect(headers["cache-control"]).toBe("private, max-age=30");
    expect(headers.vary).toMatch(/authorization/i);
  });

  test("a deposit raises the tier at once, a gift never does", async () => {
    const account = await gateway.createAccount({ credit: "1000" });
    expect((await balanceOf(account)).json.tier).toBe(0);
    const { db } = gateway.context;
    await postEntry(db, { accountId: account.accountId, kind: "deposit", amount: parseUsd("250")!, ref: "test", at: new Date() });
    expect((await balanceOf(account)).json).toMatchObject({ tier: 3, tier_rpm: 900 });
  });

  test("under 0.05 USD it is low, with a nudge whose address resolves", async () => {
    const { json } = await balanceOf(await gateway.createAccount({ credit: "0.04999999" }));
    expect(json).toMatchObject({
      balance: 0.04999999,
      low_balance: true,
      nudge: { message: expect.any(String), action: expect.stringContaining(gateway.url) },
    });
    expect((await fetch(json.nudge.action)).status).toBe(200);
  });

  test("at 0.05 USD it is not", async () => {
    expect((await balanceOf(await gateway.createAccount({ credit: "0.05" }))).json).toMatchObject({ low_balance: false, nudge: null });
  });

  test("read_ok false: the numbers are zeros, not to be kept", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const reading = { part: "from balance b join account", code: "08006" };
    const { result } = await whileFailing(gateway.context.db, reading, () => balanceOf(account));
    const { status, json, headers } = result;
    expect([status, headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(json).toMatchObject({ read_ok: false, balance: 0, lifetime_purchased: 0, lifetime_earned: 0, lifetime_spent: 0 });
    expect((await balanceOf(account)).json).toMatchObject({ read_ok: true, balance: 5 });
  });
});

describe("401 and 403, in the older format", () => {
  test("auth_required without a key", async () => {
    const { status, json } = await get({});
    expect([status, json.error.code]).toEqual([401, "auth_required"]);
  });

  test.each(["svc_nonsense", "sk-other", "svcs_0000000000000000000000000000000000000000"])("invalid_credentials: %s", async (key) => {
    const { status, json } = await get({ authorization: `Bearer ${key}` });
    expect([status, json.error.code]).toEqual([401, "invalid_credentials"]);
  });

  test("permission_denied for a suspended account", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    await setSuspended(gateway.context.db, account.accountId, new Date());
    const { status, json } = await balanceOf(account);
    expect([status, json.error.code]).toEqual([403, "permission_denied"]);
  });
});
