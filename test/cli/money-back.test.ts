// `svc account adjust` and `svc refund`: money is corrected and given back exactly, once, and every entry names what it corrects.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { untilWaiting } from "../support/locks.ts";
import { inTransaction } from "../../src/db/connect.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { openDatabaseProxy } from "../robustness/database-proxy.ts";
import { type Gateway, startGateway, type TestAccount } from "../support/gateway.ts";
import { endJob, newJob, pngFile } from "../support/media-jobs.ts";
import { callSvc, runSvc } from "./run-svc.ts";

let gateway: Gateway;
beforeAll(async () => void (gateway = await startGateway()));
afterAll(async () => {
  const audited = await gateway.audit();
  const verified = await verifyChain(gateway.context.db);
  await gateway.stop();
  expect(audited.mismatches).toEqual([]);
  expect(verified.broken).toBeNull();
});

const svc = (...words: string[]) => callSvc({ DATABASE_URL: gateway.databaseUrl }, words);
const adjust = (account: TestAccount, ...words: string[]) =>
  svc("account", "adjust", account.id, ...words, "--reason", "mistyped", "--json");
const refund = (id: string, ...words: string[]) => svc("refund", id, "--reason", "bad answer", ...words, "--json");
const show = async (account: TestAccount) => (await svc("account", "show", account.id, "--json")).json();
const entriesOf = async (account: TestAccount) =>
  (await gateway.request("GET", "/v1/credits/ledger", { key: account.key })).json.data as Record<string, unknown>[];
const balanceOf = async (account: TestAccount) => (await gateway.request("GET", "/v1/credits/balance", { key: account.key })).json;

/** A charged chat call: its request id and what it cost. */
async function charged(account: TestAccount, headers: Record<string, string> = {}): Promise<{ id: string; cost: number }> {
  const body = { model: "best", messages: [{ role: "user", content: "Hello!" }], max_tokens: 50 };
  const reply = await gateway.request("POST", "/v1/chat/completions", { key: account.key, body, headers });
  return { id: reply.headers["x-request-id"]!, cost: reply.json.usage.cost as number };
}

describe("svc account adjust", () => {
  test("takes back a mistyped deposit: balance, tier and lifetime_purchased follow at once, and the entry names it", async () => {
    const account = await gateway.createAccount({ deposit: "2000" });
    expect((await balanceOf(account)).tier).toBe(4);
    const ran = await adjust(account, "-1980", "--entry", "led_1");
    expect([ran.status, ran.stderr, ran.json()]).toEqual([0, "", { account_id: account.id, balance: 20, entry_id: "led_2" }]);
    expect(await show(account)).toMatchObject({ balance: 20, lifetime_purchased: 20, lifetime_earned: 0, tier: 1 });
    await expect.poll(async () => (await balanceOf(account)).tier).toBe(1);
    expect((await entriesOf(account))[0]).toMatchObject({
      ...{ id: "led_2", type: "adjustment", amount_usd: -1980, balance_after: 20, ref: "test", corrects: "led_1", reason: "mistyped" },
    });
    const listed = await gateway.request("GET", "/v1/credits/ledger?type=adjustment", { key: account.key });
    expect(listed.json.data.map(({ id }: { id: string }) => id)).toEqual(["led_2"]);
  });

  test("corrects purchased money without an entry, --earned earned money, up and down", async () => {
    const account = await gateway.createAccount({ deposit: "5", credit: "2" });
    expect((await adjust(account, "-1")).json()).toEqual({ account_id: account.id, balance: 6, entry_id: "led_3" });
    expect((await adjust(account, "-0.00000001", "--earned")).json()).toMatchObject({ balance: 5.99999999 });
    expect((await adjust(account, "+3")).json()).toMatchObject({ balance: 8.99999999 });
    expect(await show(account)).toMatchObject({
      balance: 8.99999999,
      lifetime_purchased: 7,
      lifetime_earned: 1.99999999,
      lifetime_spent: 0,
    });
    expect((await entriesOf(account))[0]).toMatchObject({ amount_usd: 3, ref: "cli", reason: "mistyped" });
    expect((await entriesOf(account))[0]).not.toHaveProperty("corrects");
  });

  test("with --entry corrects that entry's kind of money: earned of a gift, and takes a refund back from its key's budget", async () => {
    const account = await gateway.createAccount({ deposit: "5", credit: "2" });
    await adjust(account, "-2", "--entry", "led_2");
    expect(await show(account)).toMatchObject({ balance: 5, lifetime_purchased: 5, lifetime_earned: 0 });
    const { id, cost } = await charged(account);
    const { entry_id } = (await refund(id)).json();
    await adjust(account, `-${cost}`, "--entry", String(entry_id));
    expect(await show(account)).toMatchObject({ balance: 5 - cost, lifetime_earned: 0, lifetime_spent: cost });
  });

  test("may take the balance below 0: what was spent of it stays spent", async () => {
    const account = await gateway.createAccount({ deposit: "20", credit: "1" });
    await gateway.context.db.pool.query(
      "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), gen_random_uuid(), 'usage', -500000000, 'raw')",
      [account.accountId],
    );
    expect((await adjust(account, "-20", "--entry", "led_1")).json()).toMatchObject({ balance: -4 });
    expect((await balanceOf(account)).balance).toBe(-4);
  });

  test.each([
    [["-5.00000001"], "lifetime_purchased would fall below 0"],
    [["-2.5", "--earned"], "lifetime_earned would fall below 0"],
    [["-5.1", "--entry", "led_1"], "that is more than led_1 and its corrections leave"],
    [["-1", "--entry", "led_9"], "has no entry led_9"],
    [["-1", "--entry", "first"], "has no entry first"],
    [["-1", "--entry", "led_3"], "led_3 can't be corrected"],
    [["-1", "--entry", "led_4"], "led_4 can't be corrected"],
  ])("refuses %s and moves nothing", async (words, message) => {
    const account = await gateway.createAccount({ deposit: "5", credit: "2" });
    await charged(account);
    await adjust(account, "-0.5", "--entry", "led_2");
    const before = await show(account);
    const ran = await adjust(account, ...words);
    expect([ran.status, ran.stdout]).toEqual([1, ""]);
    expect(ran.stderr).toContain(message);
    expect(await show(account)).toEqual(before);
  });

  test("refuses another account's entry", async () => {
    const [account, other] = [await gateway.createAccount(), await gateway.createAccount({ deposit: "5" })];
    const ran = await adjust(account, "5", "--entry", "led_1");
    expect([ran.status, ran.stderr]).toEqual([1, `${account.id} has no entry led_1\n`]);
    expect(await show(other)).toMatchObject({ balance: 5 });
  });

  test.each([
    ["no reason", ["-5"]],
    ["an empty reason", ["-5", "--reason", " "]],
    ["a reason of two lines", ["-5", "--reason", "a\nb"]],
    ["an amount of 0", ["0", "--reason", "x"]],
    ["no amount", ["--reason", "x"]],
    ["nine decimals", ["-0.000000001", "--reason", "x"]],
    ["--earned beside --entry", ["-5", "--reason", "x", "--entry", "led_1", "--earned"]],
  ])("%s is wrong usage", async (_what, words) => {
    const account = await gateway.createAccount({ deposit: "5" });
    expect((await svc("account", "adjust", account.id, ...words)).status).toBe(2);
    expect(await show(account)).toMatchObject({ balance: 5 });
  });

  test("50 at once that each take all: one does", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const ran = await Promise.all(Array.from({ length: 50 }, () => adjust(account, "-5", "--entry", "led_1")));
    expect(ran.map(({ status }) => status).filter((status) => status === 0)).toHaveLength(1);
    expect(await show(account)).toMatchObject({ balance: 0, lifetime_purchased: 0, tier: 0 });
  });
});

describe("svc refund", () => {
  test("gives a call's charge back, once: to the balance, to lifetime_earned and to the key's budget", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { id, cost } = await charged(account);
    const ran = await refund(id);
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    expect(ran.json()).toEqual({ account_id: account.id, balance: 5, entry_id: "led_3", refunded: cost });
    expect(await show(account)).toMatchObject({ balance: 5, lifetime_purchased: 5, lifetime_earned: cost, lifetime_spent: cost });
    const { rows } = await gateway.context.db.pool.query("select spent, reserved from key_budget where account_id = $1", [
      account.accountId,
    ]);
    expect(rows).toEqual([{ spent: 0n, reserved: 0n }]);
    const receipt = (await gateway.request("GET", `/v1/usage/${id}`, { key: account.key })).json;
    expect(receipt.ledger.at(-1)).toMatchObject({ type: "refund", amount_usd: cost, ref: id, corrects: "led_2", reason: "bad answer" });
    const again = await refund(id);
    expect([again.status, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toMatch(/was already refunded/);
    expect(await show(account)).toMatchObject({ balance: 5 });
  });

  test("gives back a part: the rest stays charged, and there is no second part", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { id, cost } = await charged(account);
    const before = (await show(account)).balance as number;
    expect((await refund(id, "--amount", "0.00000001")).json()).toMatchObject({ refunded: 0.00000001 });
    expect((await show(account)).balance).toBe(Math.round(before * 1e8 + 1) / 1e8);
    expect((await refund(id, "--amount", "0.00000001")).status).toBe(1);
    expect(await show(account)).toMatchObject({ lifetime_spent: cost, lifetime_earned: 0.00000001 });
  });

  test("never more than the charge, and nothing of what was not charged or is unknown", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { id, cost } = await charged(account);
    const above = await refund(id, "--amount", (cost + 0.00000001).toFixed(8));
    expect([above.status, above.stderr]).toEqual([1, expect.stringContaining("a refund is never more")]);
    expect((await refund("req_unknown")).stderr).toMatch(/^no such request: req_unknown/);
    expect((await refund(id, "--amount", "0")).status).toBe(2);
    expect((await refund(id, "--amount", "-1")).status).toBe(2);
    expect((await svc("refund", id)).status).toBe(2);
    expect(await show(account)).toMatchObject({ lifetime_earned: 0, lifetime_spent: cost });
  });

  test("a job's charge, by its request or its own id: the job is refunded, in whole or in part", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    for (const [words, left, by] of [
      [[], 0, "request_id"],
      [["--amount", "0.01"], 0.03, "id"],
    ] as const) {
      const job = await newJob(gateway, account);
      await endJob(gateway, account, job, { to: "succeeded", files: [pngFile("a.png")] });
      const shown = async () => (await svc("job", "show", job.shownId, "--json")).json();
      const ran = await refund(String((await shown())[by]), ...words);
      expect([ran.status, ran.stderr]).toEqual([0, ""]);
      expect(ran.json()).toMatchObject({ refunded: Math.round((0.04 - left) * 100) / 100 });
      expect(await shown()).toMatchObject({ status: "refunded", charged_amount: left });
      expect((await refund(job.shownId)).stderr).toMatch(/was already refunded/);
      expect((await svc("job", "refund", job.shownId)).stderr).toBe(`${job.shownId} was already refunded\n`);
    }
  });

  test("an id that several accounts sent needs --account, and one that several calls of an account have is refused", async () => {
    const [one, other] = [await gateway.createAccount({ deposit: "5" }), await gateway.createAccount({ deposit: "5" })];
    const id = "sent-by-both";
    for (const account of [one, other]) await charged(account, { "x-request-id": id });
    expect((await refund(id)).stderr).toMatch(/^several accounts sent sent-by-both: name one with --account/);
    expect((await refund(id, "--account", one.id)).json()).toMatchObject({ account_id: one.id, balance: 5 });
    await charged(other, { "x-request-id": id });
    expect((await refund(id, "--account", other.id)).stderr).toMatch(/^several calls of/);
  });

  test("by its own id a job is refunded, also where a call that came later has its request's id", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const job = await newJob(gateway, account);
    await endJob(gateway, account, job, { to: "succeeded", files: [pngFile("a.png")] });
    const shown = async () => (await svc("job", "show", job.shownId, "--json")).json();
    const requestId = String((await shown())["request_id"]);
    const { cost } = await charged(account, { "x-request-id": requestId });
    const above = await refund(job.shownId, "--amount", "0.05");
    expect([above.status, above.stderr]).toEqual([1, `${job.shownId} was charged 0.04 USD: a refund is never more\n`]);
    expect((await refund(job.shownId)).json()).toMatchObject({ account_id: account.id, refunded: 0.04 });
    expect(await shown()).toMatchObject({ status: "refunded", charged_amount: 0 });
    expect(await show(account)).toMatchObject({ balance: Math.round((5 - cost) * 1e8) / 1e8, lifetime_earned: 0.04 });
  });

  test("of several calls with one id the one that was charged is refunded, wherever the newest is", async () => {
    const [account, other] = [await gateway.createAccount({ deposit: "5" }), await gateway.createAccount({ deposit: "5" })];
    const id = "free-after-charged";
    const { cost } = await charged(account, { "x-request-id": id });
    for (const { accountId } of [account, other])
      await gateway.context.db.pool.query(
        `insert into usage_log select (jsonb_populate_record(l, jsonb_build_object('account_id', $2::bigint, 'id', gen_random_uuid(),
           'created_at', l.created_at + interval '1 ms', 'key_id', null, 'cost', 0, 'reserved', 0, 'status', 'failed'))).*
         from usage_log l where request_id = $1 and cost > 0`,
        [id, accountId],
      );
    expect((await refund(id, "--account", other.id)).stderr).toBe(`${id} was not charged\n`);
    expect((await refund(id)).json()).toMatchObject({ account_id: account.id, balance: 5, refunded: cost });
  });

  test("50 at once: one gives it back", async () => {
    const account = await gateway.createAccount({ deposit: "5" });
    const { id } = await charged(account);
    const ran = await Promise.all(Array.from({ length: 50 }, (_, n) => svc("refund", id, "--reason", `by ${n}`)));
    expect(ran.map(({ status }) => status).filter((status) => status === 0)).toHaveLength(1);
    expect(await show(account)).toMatchObject({ balance: 5 });
  });
});

test.each(["adjust", "refund"])("svc %s whose answer is lost posts once and says so", async (verb) => {
  const account = await gateway.createAccount({ deposit: "5" });
  const { id, cost } = await charged(account);
  const wire = await openDatabaseProxy(gateway.databaseUrl);
  const words = verb === "adjust" ? ["account", "adjust", account.id, "-1"] : ["refund", id];
  const { db } = gateway.context;
  try {
    const { running } = await inTransaction(db, async ({ pool }) => {
      await pool.query("set local idle_in_transaction_session_timeout = 0"); // a command takes a while to start
      await pool.query("select 1 from balance where account_id = $1 for no key update", [account.accountId]);
      const running = runSvc({ DATABASE_URL: wire.url }, [...words, "--reason", "test", "--json"]);
      await untilWaiting(db, verb === "adjust" ? "ledger_correct" : "ledger_refund", 1);
      wire.cut(); // the server still does what it was asked
      setTimeout(() => wire.restore(), 1_000);
      return { running };
    });
    const ran = await running;
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const balance = verb === "adjust" ? Math.round((4 - cost) * 1e8) / 1e8 : 5;
    expect(ran.json()).toMatchObject({ account_id: account.id, balance, entry_id: "led_3" });
    expect(await entriesOf(account)).toHaveLength(3);
  } finally {
    await wire.close();
  }
});
