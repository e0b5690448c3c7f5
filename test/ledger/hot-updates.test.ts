// Every call updates its balance and its key's budget; with no index over what it changes, Postgres writes neither a new index entry nor a dead
// one for that (a heap-only update). An index of balances below 0 would end it, because the columns of its condition count too.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 1 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

/** Columns of keys, expressions and conditions of a table's indexes. */
async function indexedColumns(table: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    `select distinct a.attname as name from pg_index i
     join pg_depend d on d.classid = 'pg_class'::regclass and d.objid = i.indexrelid and d.refobjid = i.indrelid and d.refobjsubid > 0
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = d.refobjsubid where i.indrelid = to_regclass($1)
     union select a.attname from pg_index i cross join lateral unnest(i.indkey::int[]) k(n)
     join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.n where i.indrelid = to_regclass($1) and k.n > 0 order by 1`,
    [table],
  );
  return rows.map(({ name }) => name);
}

test("no index of balances and budgets is over a column that a call changes", async () => {
  expect(await indexedColumns("balance")).toEqual(["account_id"]);
  // The limits are set by requests about keys, never by a call.
  expect(await indexedColumns("key_budget")).toEqual(["account_id", "key_id", "limit_amount", "period_limit"]);
});

test("the check sees the columns of a condition", async () => {
  await db.pool.query("create index below_zero on balance (account_id) where available + reserved < 0");
  expect(await indexedColumns("balance")).toEqual(["account_id", "available", "reserved"]);
  await db.pool.query("drop index below_zero");
});
