// Renewing long calls while they are settled: no deadlock; holding again what a process lost while it stood still; and when a process begins to
// sweep.
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { connect, type Db, inTransaction } from "../../src/db/connect.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { type Ledger, openLedger } from "../../src/ledger/ledger.ts";
import { keepHeartbeat } from "../../src/ledger/replica.ts";
import { ledgerTimes } from "../../src/ledger/times.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { untilWaiting } from "../support/locks.ts";
import { quickTimes } from "../support/quick-ledger.ts";
import { newAccount } from "./new-account.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

test("holds that are renewed while they end, in another order: no deadlock", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const owner = randomUUID();
  const ids = [randomUUID(), randomUUID()];
  for (const id of ids)
    await db.pool.query(
      "insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $3, now() + interval '1 minute')",
      [accountId, id, owner],
    );
  const faults: unknown[] = [];
  await inTransaction(db, async ({ pool }) => {
    const end = (id: string) => pool.query("delete from hold where account_id = $1 and id = $2", [accountId, id]);
    await pool.query("select 1 from balance where account_id = $1 for no key update", [accountId]);
    await end(ids[1]!);
    const open = new Map(ids.map((id) => [id, { accountId, since: -Infinity, held: { keyId: null, amount: 1n }, isEnding: true }]));
    const heartbeat = await keepHeartbeat(db, owner, open, new Map(), (error) => faults.push(error), quickTimes);
    await untilWaiting(db, "update hold");
    await end(ids[0]!);
    void heartbeat.stop();
  });
  await expect.poll(async () => (await db.pool.query("select 1 from replica")).rowCount).toBe(0); // the round is over
  expect(faults).toEqual([]);
});

test("a process that has just started sweeps no others until all had the time for a heartbeat", async () => {
  const accountId = await newAccount(db, { deposit: 1_000n });
  const [lives, gone, owner] = [randomUUID(), randomUUID(), randomUUID()] as const;
  for (const id of [lives, gone]) {
    const seen = `now() ${id === lives ? "+" : "-"} interval '1 minute'`;
    await db.pool.query(`insert into replica (id, seen_at) values ($1, ${seen})`, [id]);
    await db.pool.query(
      "insert into hold (account_id, id, amount, owner, expires_at) values ($1, $2, 1, $2, now() + interval '1 minute')",
      [accountId, id],
    );
  }
  const owners = async () => (await db.pool.query<{ owner: string }>("select owner from hold")).rows.map((row) => row.owner);
  const started = performance.now();
  const heartbeat = await keepHeartbeat(db, owner, new Map(), new Map(), (error) => expect.fail(String(error)), quickTimes);
  await expect.poll(owners).toEqual([lives]);
  expect(performance.now() - started).toBeGreaterThan(quickTimes.deadAfterMs);
  await heartbeat.stop();
});

/**
 * Stands still until it is dead, as after SIGSTOP or on a machine that swaps, and the server has swept and then done what is asked. Returns what
 * the account had available in between.
 */
async function standStill(accountId: bigint, then = "null"): Promise<bigint> {
  const dead = `interval '${quickTimes.deadAfterMs / 1_000} seconds'`;
  const sql = `
    do $$ begin
      drop table if exists seen;
      while exists (select 1 from replica where seen_at > clock_timestamp() - ${dead}) loop
        perform pg_sleep(0.1); commit;
      end loop;
      perform ledger_sweep(${dead}); commit;
      create table seen as select available from balance where account_id = ${accountId};
      perform ${then};
    end $$`;
  // The other process's work is all that this one waits for, and nothing else of this one runs meanwhile.
  execFileSync(process.execPath, ["--input-type=module", "--eval", otherProcess, database.url, sql]);
  return (await db.pool.query<{ available: bigint }>("select available from seen")).rows[0]!.available;
}

const otherProcess = `
import pg from "pg";
const client = new pg.Client(process.argv[1]);
await client.connect();
await client.query(process.argv[2]);
await client.end();`;

describe("a process that stood still until others had given back what its calls hold", () => {
  const faults: string[] = [];
  let ledger: Ledger;
  beforeEach(async () => {
    faults.length = 0;
    ledger = await openLedger(db, (error, what) => faults.push(`${what} ${String(error)}`), undefined, quickTimes);
  });
  afterEach(() => ledger.close());
  const balanceOf = async (accountId: bigint) => {
    const { available, reserved } = (await readBalance(db, accountId))!;
    return { available, reserved };
  };

  test("holds it again while they go on, in their slots: nobody can spend it a second time", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const slot = { pool: "speech", poolMax: 1, group: null, groupMax: null };
    const call = { accountId, id: randomUUID(), want: 400n, least: 400n, slot };
    await ledger.reserve(call);
    expect(await standStill(accountId)).toBe(1_000n);
    await expect.poll(() => balanceOf(accountId)).toEqual({ available: 600n, reserved: 400n });
    const other = { accountId, id: randomUUID(), want: 601n, least: 601n };
    expect(await ledger.reserve(other)).toMatchObject({ granted: null, refused: "balance" });
    expect(await ledger.reserve({ ...other, want: 1n, least: 1n, slot })).toMatchObject({ granted: null, refused: "slot" });
    expect(await ledger.raise({ ...call, want: 500n })).toMatchObject({ granted: 500n });
    await db.pool.query("delete from hold where account_id = $1 and id = $2", [accountId, call.id]);
    expect(faults).toEqual([]);
  });

  test("holds what is left of it and says so, once they spent the rest meanwhile", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    const id = randomUUID();
    await ledger.reserve({ accountId, id, want: 400n, least: 400n });
    const spent = `* from ledger_reserve('${randomUUID()}', array[${accountId}], array[gen_random_uuid()], array[700], array[700], array[null]::bigint[],
      array[null]::text[], array[null]::int[], array[null]::text[], array[null]::int[], '1 minute')`;
    expect(await standStill(accountId, spent)).toBe(1_000n);
    await expect.poll(() => balanceOf(accountId)).toEqual({ available: 0n, reserved: 1_000n });
    await expect
      .poll(() => faults)
      .toEqual([`renewing hold ${id} of account ${accountId}, Error: others gave back what it held, and it is spent`]);
  });
});

test("a dead process's reservations come back within 15 s: it is dead after 9, and a round begins every 3 and waits for 2 at most", () => {
  const { deadAfterMs, beatMs, roundWaitMs } = ledgerTimes;
  expect(deadAfterMs + beatMs + roundWaitMs).toBeLessThanOrEqual(15_000);
});
