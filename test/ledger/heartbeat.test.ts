// A process's heartbeat beside its rounds: neither waits for the other, and a process without one sweeps no others.
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { type Heartbeat, keepHeartbeat } from "../../src/ledger/replica.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
/** Without our timeouts, like psql. */
let operator: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 6 });
  operator = connect(database.url, { max: 2, statementTimeoutMs: 0 });
});
afterAll(async () => {
  await operator.close();
  await db.close();
  await database.drop();
});

/** Seconds. */
const deadAfter = quickTimes.deadAfterMs / 1_000;
let owner: string;
let accountId: bigint;
let heartbeat: Heartbeat;
let givenUp: Parameters<typeof keepHeartbeat>[3];
const faults: string[] = [];
beforeEach(async () => {
  owner = randomUUID();
  accountId = await newAccount(db, { deposit: 1_000n });
  givenUp = new Map();
});
afterEach(async () => {
  await heartbeat.stop();
  expect(faults).toEqual([]);
});

const begin = async (open: Parameters<typeof keepHeartbeat>[2]) => {
  heartbeat = await keepHeartbeat(db, owner, open, givenUp, (error, what) => faults.push(`${what} ${String(error)}`), quickTimes);
};

async function addHold(its: string): Promise<string> {
  const id = randomUUID();
  const sql = "insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $3, now() + interval '10 minutes')";
  await db.pool.query(sql, [accountId, id, its]);
  return id;
}

const secondsOf = async (what: string) =>
  Number(
    (await db.pool.query<{ s: number }>(`select extract(epoch from ${what})::float8 as s from replica where id = $1`, [owner])).rows[0]!.s,
  );
const isThere = async (id: string) => (await db.pool.query("select 1 from hold where id = $1", [id])).rowCount === 1;

/** As addHold makes it. */
const held = { keyId: null, amount: 1n };

/** A round from its begin to its giving back, at least. */
async function untilRound(): Promise<void> {
  for (let times = 0; times < 2; times++) {
    const id = await addHold(owner);
    givenUp.set(id, { accountId, since: performance.now(), unheard: null });
    await expect.poll(() => isThere(id)).toBe(false);
  }
}

test("while a round hangs the heartbeats go on: no other process takes this one for dead", async () => {
  const call = await addHold(owner);
  await inTransaction(operator, async ({ pool }) => {
    await pool.query("select 1 from hold where id = $1 for update", [call]);
    await begin(new Map([[call, { accountId, since: -Infinity, held }]]));
    const begun = await secondsOf("seen_at");
    await untilWaiting(db, "update hold"); // its first renewal
    await expect.poll(async () => (await secondsOf("seen_at")) - begun).toBeGreaterThan(deadAfter + 1);
    await untilWaiting(db, "update hold");
    const sweepable = async () => (await db.pool.query("select id from ledger_sweepable($1)", [`${deadAfter} seconds`])).rows;
    await expect.poll(sweepable).toEqual([]); // at the latest after the next one
  });
});

test("a process whose own heartbeats fail sweeps no process, not even its own calls, until they have come again for as long as one takes to be dead", async () => {
  await begin(new Map());
  const { own, dead } = await inTransaction(operator, async ({ pool }) => {
    await pool.query("select 1 from replica where id = $1 for update", [owner]);
    await expect.poll(() => secondsOf("clock_timestamp() - seen_at")).toBeGreaterThan(deadAfter + 1);
    const [own, dead] = [await addHold(owner), await addHold(randomUUID())];
    await untilRound();
    expect([await isThere(own), await isThere(dead)]).toEqual([true, true]);
    return { own, dead };
  });
  await expect.poll(() => isThere(dead)).toBe(false);
  expect(await isThere(own)).toBe(true);
});
