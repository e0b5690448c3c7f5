// A database whose clock jumps ahead between two heartbeats, as that of a promoted standby may: no process is dead because of it.
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Heartbeat, keepHeartbeat } from "../../src/ledger/replica.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
let accountId: bigint;
let heartbeat: Heartbeat;
const faults: string[] = [];
const owner = randomUUID();

beforeAll(async () => {
  database = await freshDatabase();
  const operator = connect(database.url, { max: 1 });
  accountId = await newAccount(operator, { deposit: 1_000n });
  // For connections from now on these stand before Postgres' own.
  await operator.pool.query(`
    create table ahead (seconds float8 not null); insert into ahead values (0);
    create function public.now() returns timestamptz language sql stable as
      'select pg_catalog.now() + pg_catalog.make_interval(secs => (select seconds from public.ahead))';
    create function public.clock_timestamp() returns timestamptz language sql volatile as
      'select pg_catalog.clock_timestamp() + pg_catalog.make_interval(secs => (select seconds from public.ahead))';
    do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$`);
  await operator.close();
  db = connect(database.url, { max: 6 });
});
afterAll(async () => {
  await heartbeat.stop();
  expect(faults).toEqual([]);
  await db.close();
  await database.drop();
});

async function addHold(its: string): Promise<string> {
  const id = randomUUID();
  const sql = "insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $3, now() + interval '1 hour')";
  await db.pool.query(sql, [accountId, id, its]);
  return id;
}
const isThere = async (id: string) => (await db.pool.query("select 1 from hold where id = $1", [id])).rowCount === 1;

test("after the jump the others have a whole time to beat again before their holds are given back", async () => {
  heartbeat = await keepHeartbeat(db, owner, new Map(), new Map(), (error, what) => faults.push(`${what} ${String(error)}`), quickTimes);
  const dead = await addHold(randomUUID());
  await expect.poll(() => isThere(dead)).toBe(false); // from now on every round sweeps
  for (const jump of [20, 40, 60]) {
    const other = randomUUID();
    await db.pool.query("insert into replica (id, seen_at) values ($1, now() + interval '10 seconds')", [other]); // alive until the jump
    const its = await addHold(other);
    const jumpedAt = performance.now();
    await db.pool.query("update ahead set seconds = $1", [jump]);
    await expect.poll(() => isThere(its)).toBe(false);
    expect(performance.now() - jumpedAt).toBeGreaterThan(quickTimes.deadAfterMs);
  }
});
