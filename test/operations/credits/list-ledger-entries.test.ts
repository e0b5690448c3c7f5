// GET /v1/credits/ledger over HTTP.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readEntriesOf, entryRecord } from "../../../src/ledger/entries.ts";
import { smallCatalog } from "../../catalog/small-catalog.ts";
import { type Gateway, startGateway, type TestAccount } from "../../support/gateway.ts";
import { usageLogRow } from "../../support/usage-log-row.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway({ catalog: smallCatalog })));
afterAll(() => gateway.stop());

const list = (account: { key: string }, query = "") => gateway.request("GET", `/v1/credits/ledger${query}`, { key: account.key });

/** USD 1e-8 a unit. */
async function charge({ accountId }: TestAccount, cost: bigint): Promise<string> {
  const id = randomUUID();
  await gateway.context.ledger.settle({ accountId, id, log: usageLogRow({ accountId, id, cost, at: new Date() }) });
  return id;
}

/** One entry of every kind, in the order of the ledger. */
async function everyKind(): Promise<TestAccount> {
  const account = await gateway.createAccount({ signupCredit: true, deposit: "20", credit: "2" });
  await charge(account, 2_135n);
  const insert = (kind: string, amount: bigint, id: string) =>
    gateway.context.db.pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), $2, $3, $4, 'job_1')",
      [account.accountId, id, kind, amount],
    );
  const [settled, released] = [randomUUID(), randomUUID()];
  await insert("hold", -100n, settled);
  await insert("hold_settle", 100n, settled);
  await insert("hold", -100n, released);
  await insert("hold_release", 100n, released);
  await insert("refund", 5n, randomUUID());
  return account;
}

describe("200", () => {
  test("newest first, each with the balance after it, what it belongs to and its hash", async () => {
    const account = await gateway.createAccount({ deposit: "20" });
    const id = await charge(account, 2_135n);
    const { status, json } = await list(account);
    expect(status).toBe(200);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    const at = expect.stringMatching(/Z$/);
    expect(json).toEqual({
      object: "list",
      data: [
        { id: "led_2", type: "usage", amount_usd: -0.00002135, balance_after: 19.99997865, ref: `req_${id}`, hash, created_at: at },
        { id: "led_1", type: "purchase", amount_usd: 20, balance_after: 20, ref: "test", hash, created_at: at },
      ],
      has_more: false,
      last_id: "led_1",
    });
    expect((await readEntriesOf(gateway.context.db, account.accountId, id)).map(entryRecord)).toEqual([json.data[0]]);
  });

  test("an empty ledger", async () => {
    const { json } = await list(await gateway.createAccount());
    expect(json).toEqual({ object: "list", data: [], has_more: false, last_id: null });
  });

  test.each([
    ["signup_bonus", ["led_1"]],
    ["purchase", ["led_2"]],
    ["gift", ["led_3"]],
    ["usage", ["led_4"]],
    ["hold", ["led_7", "led_5"]],
    ["hold_settle", ["led_6"]],
    ["hold_release", ["led_8"]],
    ["refund", ["led_9"]],
  ])("type %s lists those alone", async (type, ids) => {
    const { json } = await list(await everyKind(), `?type=${type}`);
    expect(json.data.map((entry: { id: string }) => entry.id)).toEqual(ids);
    expect(new Set(json.data.map((entry: { type: string }) => entry.type))).toEqual(new Set([type]));
  });

  test("pages join to the whole ledger, with and without a type; entries that come meanwhile move nothing", async () => {
    const account = await everyKind();
    const whole = (await list(account)).json.data;
    for (const [query, wanted] of [
      ["?limit=4", whole],
      ["?limit=1&type=hold", whole.filter(({ type }: { type: string }) => type === "hold")],
    ] as const) {
      const pages = [];
      for (let after = ""; ;) {
        const { json } = await list(account, query + after);
        pages.push(...json.data);
        await charge(account, 1n);
        if (!json.has_more) break;
        after = `&after=${json.last_id}`;
      }
      expect(pages).toEqual(wanted);
    }
  });

  test("50 by default, 200 at most, and a page that is exactly full has nothing more", async () => {
    const account = await gateway.createAccount({ deposit: "1" });
    await Promise.all(Array.from({ length: 199 }, () => charge(account, 1n)));
    expect((await list(account)).json).toMatchObject({ has_more: true, last_id: "led_151" });
    expect((await list(account, "?limit=200")).json).toMatchObject({ has_more: false, last_id: "led_1" });
    expect((await list(account, "?after=led_1")).json).toMatchObject({ data: [], has_more: false, last_id: null });
  });

  test("an account sees its own entries alone", async () => {
    await gateway.createAccount({ deposit: "1" });
    expect((await list(await gateway.createAccount({ deposit: "2" }))).json.data).toMatchObject([{ amount_usd: 2 }]);
  });
});

describe("400 invalid_parameter", () => {
  test.each([
    ["after", "?after=2"],
    ["after", "?after=led_0"],
    ["after", "?after=led_01"],
    ["after", "?after=led_2"], // beyond this account's ledger, though another's has it
    ["after", "?after=led_999999999999999999"],
    ["after", "?after=led_99999999999999999999"],
    ["after", "?after="],
    ["limit", "?limit=0"],
    ["limit", "?limit=201"],
    ["limit", "?limit=ten"],
    ["type", "?type=deposit"],
  ])("%s: %s", async (param, query) => {
    const { status, json } = await list(await gateway.createAccount({ deposit: "1" }), query);
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", param]);
  });
});
