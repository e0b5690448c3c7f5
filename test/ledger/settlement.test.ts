// The usual settlement is one statement that is told all sums. It fails where a call is not as it says; then nothing of the batch is done, and
// the statement that finds out for itself settles it, exactly as if there were no other.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { readFunctions } from "../../src/db/migrate.ts";
import { audit } from "../../src/ledger/audit.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { type Settlement, settleBatch } from "../../src/ledger/settlement.ts";
import { logColumns, type UsageLogRow } from "../../src/ledger/usage-log.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount, newKey } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  ledger = await openLedger(db, (error) => expect.fail(String(error)));
});
afterAll(async () => {
  expect((await audit(db)).mismatches).toEqual([]);
  expect((await verifyChain(db)).broken).toBeNull();
  await ledger.close();
  await db.close();
  await database.drop();
});

interface Account {
  accountId: bigint;
  keyId: bigint;
}

async function openAccount(): Promise<Account> {
  const accountId = await newAccount(db, { deposit: 1_000n });
  return { accountId, keyId: await newKey(db, accountId) };
}

/** A call that holds 100 units, and its settlement. */
async function openCall({ accountId, keyId }: Account, cost: bigint, more: Partial<UsageLogRow> = {}): Promise<Settlement> {
  const id = randomUUID();
  await ledger.reserve({ accountId, keyId, id, want: 100n, least: 100n });
  return { accountId, id, log: { ...usageLogRow({ accountId, keyId, id, cost, at: new Date(), reserved: 100n }), ...more } };
}

async function books({ accountId, keyId }: Account) {
  const { rows } = await db.pool.query<Record<string, bigint>>(
    `select b.available, b.reserved, b.spent, k.spent as "ofKey", k.reserved as "reservedOfKey",
       (select count(*) from usage_log l where l.account_id = b.account_id) as logged,
       (select count(*) from ledger_entry e where e.account_id = b.account_id and e.kind = 'usage') as charged
     from balance b, key_budget k where b.account_id = $1 and k.key_id = $2`,
    [accountId, keyId],
  );
  return rows[0]!;
}

const neverFault = (error: unknown) => expect.fail(String(error));

/** What is answered, and which forms of ledger_settle were asked, by the number of their arguments. */
async function settle(...batch: Settlement[]): Promise<{ balances: bigint[]; forms: number[] }> {
  using query = vi.spyOn(db.pool, "query");
  let slower = 0;
  const balances = await settleBatch(db, batch, { onFault: neverFault, slower: (calls) => (slower += calls) });
  const texts = (query.mock.calls as unknown as [string][]).map(([text]) => text).filter((text) => text.includes("ledger_settle("));
  expect(slower).toBe(texts.length === 1 ? 0 : batch.length);
  return { balances, forms: texts.map((text) => text.split("$").length - 1) };
}

test("a batch over several accounts, charged and free, is settled by one statement: every book moves by its share", async () => {
  const [one, other] = [await openAccount(), await openAccount()];
  const batch = [await openCall(other, 7n), await openCall(one, 30n), await openCall(one, 0n), await openCall(one, 250n)];
  const { id } = batch[3]!;
  expect(await settle(...batch)).toEqual({ balances: [993n, 720n, 720n, 720n], forms: [18] });
  const all = { available: 720n, reserved: 0n, spent: 280n, ofKey: 280n, reservedOfKey: 0n, logged: 3n, charged: 2n };
  expect(await books(one)).toEqual(all);
  expect(await books(other)).toMatchObject({ available: 993n, spent: 7n, ofKey: 7n, logged: 1n, charged: 1n });
  const { rows } = await db.pool.query("select seq, balance_after from ledger_entry where account_id = $1 and id = $2", [
    one.accountId,
    id,
  ]);
  expect(rows).toEqual([{ seq: 3n, balance_after: 720n }]);
});

test("the log says what it was given, whatever characters are in it", async () => {
  const account = await openAccount();
  const text = `a "quoted" \\ word, {braces} (and) 'more'\n\ttab, é 漢 🙂 NULL`;
  const attempts = [{ route: `sim/${text}`, model: text, outcome: "ok", status: null, latency_ms: 3, detail: text }];
  const said = { error_message: text, alias: "", request_id: text, attempts, units: 1.5e-7, unit: "second" as const, expense: "17" };
  const call = await openCall(account, 5n, said);
  expect((await settle(call)).forms).toEqual([18]);
  const { rows } = await db.pool.query<Record<string, unknown>>("select l.*, l.units::float8 as units from usage_log l where id = $1", [
    call.id,
  ]);
  const { account_id, key_id, cost, reserved, expense, ...others } = call.log;
  expect(rows[0]).toMatchObject({
    account_id: BigInt(account_id),
    key_id: BigInt(key_id!),
    cost: BigInt(cost),
    reserved: BigInt(reserved),
    expense: BigInt(expense!),
  });
  for (const [name, value] of Object.entries(others)) {
    const found = rows[0]![name];
    expect(typeof found === "bigint" ? Number(found) : found, name).toEqual(value);
  }
});

test("every column of the log but a job's id is a field of tagged_call, in the order in which they are sent", async () => {
  const columns =
    "select attname::text as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum";
  const namesOf = async (name: string) => (await db.pool.query<{ name: string }>(columns, [name])).rows.map((row) => row.name);
  expect(await namesOf("tagged_call")).toEqual([...logColumns, "place", "total", "tags"]);
  expect((await namesOf("usage_log")).filter((name) => name !== "job_id").sort()).toEqual([...logColumns, "tags"].sort());
});

describe("what is not usual is settled by the form that finds out, once", () => {
  test("a batch that is sent again, alone and with a new call: nothing moves twice", async () => {
    const account = await openAccount();
    const [first, second] = [await openCall(account, 30n), await openCall(account, 40n)];
    expect(await settle(first)).toEqual({ balances: [970n], forms: [18] });
    expect(await settle(first)).toEqual({ balances: [970n], forms: [18, 5] });
    expect(await settle(first, second)).toEqual({ balances: [930n, 930n], forms: [18, 5] });
    const after = { available: 930n, reserved: 0n, spent: 70n, ofKey: 70n, reservedOfKey: 0n, logged: 2n, charged: 2n };
    expect(await books(account)).toEqual(after);
  });

  test("a call whose hold was swept is charged anyway, and the calls beside it", async () => {
    const account = await openAccount();
    const [swept, usual] = [await openCall(account, 30n), await openCall(account, 40n)];
    await db.pool.query("delete from hold where id = $1", [swept.id]);
    expect(await settle(swept, usual)).toEqual({ balances: [930n, 930n], forms: [18, 5] });
    expect(await books(account)).toMatchObject({ available: 930n, reserved: 0n, spent: 70n, charged: 2n });
  });

  test("a hold of another amount, larger or smaller, ends as it is", async () => {
    const account = await openAccount();
    for (const reserved of ["99", "101", "0"]) {
      const call = await openCall(account, 10n, { reserved });
      expect((await settle(call)).forms).toEqual([18, 5]);
    }
    expect(await books(account)).toMatchObject({ available: 970n, reserved: 0n, spent: 30n, reservedOfKey: 0n });
  });

  test("of a batch with an unknown account, or another account's key, nothing is done", async () => {
    const [account, stranger] = [await openAccount(), await openAccount()];
    const usual = await openCall(account, 30n);
    const before = await books(account);
    const unknown = { ...usual, accountId: 987_654n, id: randomUUID() };
    const wrongs = [
      [{ ...unknown, log: { ...usual.log, id: unknown.id, account_id: "987654", key_id: null } }, /unknown account/],
      [await openCall(account, 5n, { key_id: String(stranger.keyId) }), /key that its account does not have/],
    ] as const;
    for (const [wrong, reason] of wrongs) await expect(settle(usual, wrong)).rejects.toThrow(reason);
    await db.pool.query("delete from hold where id = $1", [wrongs[1][0].id]);
    expect(await books(account)).toEqual(before);
    expect((await settle(usual)).forms).toEqual([18]);
  });
});

test("an error of the usual form that no batch should meet is reported once, and the other form settles", async () => {
  const account = await openAccount();
  const call = await openCall(account, 30n);
  const whole = readFunctions().find(({ name }) => name === "ledger_settle")!.text;
  const broken = whole.replace("declare left_over bigint[]; budgets int", "declare left_over int; budgets int");
  expect(broken).not.toBe(whole);
  const faults: unknown[][] = [];
  await db.pool.query(broken);
  try {
    expect(await settleBatch(db, [call], { onFault: (...fault) => void faults.push(fault) })).toEqual([970n]);
  } finally {
    await db.pool.query(whole);
  }
  expect(faults).toEqual([[expect.objectContaining({ code: expect.stringMatching(/^(22|42)/) }), "the usual settlement"]]);
  expect(await books(account)).toMatchObject({ available: 970n, reserved: 0n, spent: 30n, charged: 1n });
});

test("two processes that settle one account at once wait for each other, and find the chain's end", async () => {
  const account = await openAccount();
  const far = connect(database.url, { max: 2 });
  try {
    const calls = await Promise.all(Array.from({ length: 8 }, () => openCall(account, 10n)));
    await Promise.all(calls.map((call, n) => settleBatch(n % 2 === 0 ? db : far, [call], { onFault: neverFault })));
    expect((await settle(calls[0]!)).forms).toEqual([18, 5]);
    expect(await books(account)).toMatchObject({ available: 920n, reserved: 0n, spent: 80n, charged: 8n });
  } finally {
    await far.close();
  }
});
