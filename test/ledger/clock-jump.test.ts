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
const [owner, other] = [randomUUID(), randomUUID()];
const givenUp: Parameters<typeof keepHeartbeat>[3] = new Map();

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
const beats = () => db.pool.query("insert into replica (id) values ($1) on conflict (id) do update set seen_at = now()", [other]);

/** From its begin to its giving back: the sweep of the round before is over. */
async function untilRounds(): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const id = await addHold(owner);
    givenUp.set(id, { accountId, since: performance.now(), unheard: null });
    await expect.poll(() => isThere(id), { timeout: 20_000 }).toBe(false);
  }
}

test("the others keep their holds until they could beat again; what was dead before stays dead", { timeout: 60_000 }, async () => {
  const times = { ...quickTimes, deadAfterMs: 6_000 };
  heartbeat = await keepHeartbeat(db, owner, new Map(), givenUp, (error, what) => faults.push(`${what} ${String(error)}`), times);
  const beating = setInterval(() => void beats(), 500);
  const dead = await addHold(randomUUID());
  await expect.poll(() => isThere(dead), { timeout: 30_000 }).toBe(false); // from now on every round sweeps
  const its = await addHold(other);
  clearInterval(beating);
  await beats();
  await db.pool.query("update ahead set seconds = 20");
  await untilRounds();
  expect(await isThere(its)).toBe(true);
  await beats();
  const long = await addHold(randomUUID());
  const again = setInterval(() => void beats(), 500);
  await expect.poll(() => isThere(long), { timeout: 30_000 }).toBe(false);
  clearInterval(again);
  expect(await isThere(its)).toBe(true);
});
