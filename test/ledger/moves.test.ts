// ledger_reserve and ledger_settle move balances and budgets themselves: what they refuse, and what is still left to triggers.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { newAccountWithKeys } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let account: bigint;
let ownKey: bigint;
let foreignKey: bigint;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  ({ account, foreignKey, ownKey } = await newAccountWithKeys(db));
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** A batch as src/ledger/ledger.ts sends it. */
function reserve(items: { id: string; keyId: bigint | null; amount: number }[]) {
  const of = (read: (item: (typeof items)[number]) => unknown) => items.map(read);
  return db.pool.query("select n, granted from ledger_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '1 minute')", [
    randomUUID(),
    ...[of(() => account), of(({ id }) => id), of(({ amount }) => amount), of(({ amount }) => amount), of(({ keyId }) => keyId)],
    ...[of(() => null), of(() => null), of(() => null), of(() => null)], // slots and their bounds
  ]);
}

function settle(items: { accountId: bigint; id: string; keyId: bigint | null; cost: bigint }[]) {
  return db.pool.query<{ account_id: bigint; balance: bigint }>("select account_id, balance from ledger_settle($1, $2, $3)", [
    items.map(({ accountId }) => accountId),
    items.map(({ id }) => id),
    JSON.stringify(items.map((item) => usageLogRow({ ...item, at: new Date() }))),
  ]);
}

async function books() {
  const { rows } = await db.pool.query(
    `select b.available, b.reserved, b.spent, k.spent as "ofKey", k.reserved as "reservedOfKey" from balance b, key_budget k
     where b.account_id = $1 and k.key_id = $2`,
    [account, ownKey],
  );
  return rows[0];
}

describe("of a batch with a row that can't be moved nothing is done", () => {
  test.each([
    ["a charge to an unknown account", () => ({ accountId: 987_654n, keyId: null }), /unknown account/],
    ["a charge to another account's key", () => ({ accountId: account, keyId: foreignKey }), /key that its account does not have/],
  ])("%s", async (_what, wrong, reason) => {
    const before = await books();
    const good = { accountId: account, id: randomUUID(), keyId: ownKey, cost: 5n };
    await expect(settle([good, { ...wrong(), id: randomUUID(), cost: 5n }])).rejects.toThrow(reason);
    expect(await books()).toEqual(before);
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("a hold of another account's key", async () => {
    const before = await books();
    const batch = reserve([
      { id: randomUUID(), keyId: ownKey, amount: 5 },
      { id: randomUUID(), keyId: foreignKey, amount: 5 },
    ]);
    await expect(batch).rejects.toThrow(/key that its account does not have/);
    expect(await books()).toEqual(before);
  });
});

test("a batch of calls with and without key, of which one is free and one was never held: each book moves by its share, once", async () => {
  const [keyed, keyless, free, unheld] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await reserve([
    { id: keyed, keyId: ownKey, amount: 100 },
    { id: keyless, keyId: null, amount: 50 },
    { id: free, keyId: ownKey, amount: 30 },
  ]);
  expect(await books()).toEqual({ available: 820n, reserved: 180n, spent: 0n, ofKey: 0n, reservedOfKey: 130n });
  const batch = [
    { accountId: account, id: keyed, keyId: ownKey, cost: 70n },
    { accountId: account, id: keyless, keyId: null, cost: 20n },
    { accountId: account, id: free, keyId: ownKey, cost: 0n },
    { accountId: account, id: unheld, keyId: ownKey, cost: 7n },
  ];
  const after = { available: 903n, reserved: 0n, spent: 97n, ofKey: 77n, reservedOfKey: 0n };
  expect((await settle(batch)).rows).toEqual([{ account_id: account, balance: 903n }]);
  expect(await books()).toEqual(after);
  // Sent again, as after a lost connection: the balance is returned, nothing moves.
  expect((await settle(batch)).rows).toEqual([{ account_id: account, balance: 903n }]);
  expect(await books()).toEqual(after);
  expect((await audit(db)).mismatches).toEqual([]);
  expect((await verifyChain(db)).broken).toBeNull();
});

test("a function of the release before, which goes on after the migration, finds the triggers at work", async () => {
  const id = randomUUID();
  await reserve([{ id, keyId: ownKey, amount: 40 }]);
  const before = await books();
  const client = await db.pool.connect();
  await client.query("begin");
  await client.query("set local svc.chained = 'by ledger_settle'"); // all that it sets
  await client.query("delete from hold where account_id = $1 and id = $2", [account, id]);
  await client.query(
    `insert into ledger_entry (account_id, created_at, id, kind, amount, ref, key_id, seq, balance_after, hash)
     select l.account_id, now(), $2, 'usage', -11, 'r', $3, l.seq + 1, l.balance_after - 11,
       next_entry_hash(null, l.hash, entry_text(l.account_id, l.seq + 1, now(), $2, 'usage', -11, 'r', $3, l.balance_after - 11))
     from ledger_entry l where l.account_id = $1 order by l.seq desc limit 1`,
    [account, id, ownKey],
  );
  await client.query("commit");
  client.release();
  expect(await books()).toEqual({
    available: before.available + 29n,
    reserved: before.reserved - 40n,
    spent: before.spent + 11n,
    ofKey: before.ofKey + 11n,
    reservedOfKey: before.reservedOfKey - 40n,
  });
  expect((await audit(db)).mismatches).toEqual([]);
  expect((await verifyChain(db)).broken).toBeNull();
});

describe("what follows one of them in its transaction finds the triggers at work again", () => {
  test.each([
    [
      "ledger_reserve",
      "select * from ledger_reserve(gen_random_uuid(), array[$1::bigint], array[$2::uuid], '{1}', '{1}', '{null}', '{null}', '{null}', '{null}', '{null}', '1 minute')",
    ],
    ["ledger_settle", "select * from ledger_settle(array[$1::bigint], array[$2::uuid], '[]')"],
  ])("%s", async (_name, call) => {
    const client = await db.pool.connect();
    const settings =
      "select coalesce(current_setting('svc.moved', true), '') || coalesce(current_setting('svc.chained', true), '') as left";
    try {
      await client.query("begin");
      expect((await client.query(call, [account, randomUUID()])).rowCount).toBe(1);
      expect((await client.query(settings)).rows).toEqual([{ left: "" }]);
      const posted =
        "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), $2, 'bonus', 3, 'test') returning hash";
      expect((await client.query<{ hash: Buffer }>(posted, [account, randomUUID()])).rows[0]!.hash).toHaveLength(32);
      await client.query("commit");
      expect((await audit(db)).mismatches).toEqual([]);
      expect((await verifyChain(db)).broken).toBeNull();
      await client.query("begin");
      await client.query(call, [account, randomUUID()]);
      await expect(client.query("update balance set available = available + 1")).rejects.toThrow(/follows its entries/);
      await client.query("rollback");
    } finally {
      client.release();
    }
  });

  test("also where it failed", async () => {
    const client = await db.pool.connect();
    try {
      await client.query("begin; savepoint before");
      const log = JSON.stringify([usageLogRow({ accountId: 987_654n, id: randomUUID(), keyId: null, cost: 1n, at: new Date() })]);
      await expect(client.query("select * from ledger_settle('{987654}', array[gen_random_uuid()], $1)", [log])).rejects.toThrow(
        /unknown account/,
      );
      await client.query("rollback to savepoint before");
      await expect(client.query("update balance set available = available + 1")).rejects.toThrow(/follows its entries/);
      await client.query("rollback");
    } finally {
      client.release();
    }
  });
});
