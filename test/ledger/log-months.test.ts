// A charge whose row belongs to a month without a partition: the answer is charged anyway.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { usageLogRow } from "../support/usage-log-row.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let ledger: Ledger;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
  ledger = await openLedger(db, (error) => expect.fail(String(error)));
});
afterAll(async () => {
  await ledger.close();
  await db.close();
  await database.drop();
});

async function settleAt(accountId: bigint, times: readonly Date[]): Promise<void> {
  const calls = times.map((at) => ({ id: randomUUID(), at }));
  for (const { id } of calls) await ledger.reserve({ accountId, id, want: 100n, least: 100n });
  await Promise.all(calls.map(({ id, at }) => ledger.settle({ accountId, id, log: usageLogRow({ accountId, id, cost: 40n, at }) })));
}

const offs = async (accountId: bigint) =>
  (
    await db.pool.query<{ off: number }>(
      "select round(abs(extract(epoch from now() - created_at)) / 60)::float8 as off from usage_log where account_id = $1 order by 1",
      [accountId],
    )
  ).rows.map(({ off }) => off);

test("times without a month are moved to now, others in the batch stay; each is charged once", async () => {
  const accountId = await newAccount(db, { deposit: 10_000n });
  const now = Date.now();
  await settleAt(accountId, [new Date(1_000), new Date(now + 400 * 86_400_000), new Date(now - 5 * 60_000)]);
  expect(await offs(accountId)).toEqual([0, 0, 5]);
  const { rows } = await db.pool.query("select available, reserved from balance where account_id = $1", [accountId]);
  expect(rows).toEqual([{ available: 10_000n - 3n * 40n, reserved: 0n }]);
});

test("months that are gone are made again", async () => {
  const accountId = await newAccount(db, { deposit: 10_000n });
  const months = "select inhrelid::regclass::text as name from pg_inherits where inhparent = 'usage_log'::regclass";
  for (const { name } of (await db.pool.query<{ name: string }>(months)).rows) await db.pool.query(`drop table ${name}`);
  await settleAt(accountId, [new Date()]);
  expect(await offs(accountId)).toEqual([0]);
  expect((await db.pool.query("select 1 from ledger_entry where account_id = $1 and kind = 'usage'", [accountId])).rowCount).toBe(1);
});
