// Which database answers, where it says little of itself: managed ones refuse such questions, each with an error of its own.
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { openLedger } from "../../src/ledger/ledger.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";

let database: TestDatabase;
let operator: Db;
beforeAll(async () => {
  database = await freshDatabase();
  operator = connect(database.url, { max: 1 });
});
afterAll(async () => {
  await operator.close();
  await database.drop();
});

/** Stands before Postgres' own function, for connections from now on. */
async function refuse(signature: string, returns: string, sqlstate: string): Promise<void> {
  await operator.pool.query(`create or replace function public.${signature} returns ${returns} language plpgsql as
    $$ begin raise exception 'not here' using errcode = '${sqlstate}'; end $$`);
}

test.each([
  ["no log position unless the log is logical, as Aurora", "55000"],
  ["no such feature", "0A000"],
  ["no permission", "42501"],
])("a database that tells neither its identifier nor its timeline (%s) is used anyway", async (_, sqlstate) => {
  await refuse("pg_current_wal_lsn()", "pg_lsn", sqlstate);
  await refuse("pg_control_system(out system_identifier bigint)", "bigint", sqlstate);
  await operator.pool.query(
    "do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$",
  );
  const db = connect(database.url, { max: 4, kept: { lifeMs: 60_000, warmUp: () => Promise.resolve(), prepared: [] } });
  const ledger = await openLedger(db, (error) => expect.fail(String(error)));
  expect(db.checks.refusal).toBeNull();
  const { rows } = await db.pool.query("select * from database_identity()");
  expect(rows).toEqual([{ system_id: null, timeline: null, only_reads: false }]);
  await ledger.close();
  await db.close();
});
