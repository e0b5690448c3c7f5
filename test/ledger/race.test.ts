// Exact counts under concurrency, over several processes.
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { audit } from "../../src/ledger/audit.ts";
import { readBalance } from "../../src/ledger/balance.ts";
import { verifyChain } from "../../src/ledger/verify.ts";
import { newAccount, newKey } from "./new-account.ts";
import { freshDatabase, type TestDatabase } from "../support/database.ts";
import { type Counts, startLock, startWorker, type Worker } from "./start-worker.ts";

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await freshDatabase();
  db = connect(database.url, { max: 4 });
});
afterAll(async () => {
  expect((await verifyChain(db)).broken).toBeNull();
  await db.close();
  await database.drop();
});

async function total(workers: readonly { counts: Promise<Counts> }[]): Promise<Counts> {
  const counts = await Promise.all(workers.map((worker) => worker.counts));
  const sum = (key: keyof Counts) => counts.reduce((all, count) => all + count[key], 0);
  return { admitted: sum("admitted"), refused: sum("refused"), broken: sum("broken") };
}

describe("a key's budget that pays k calls", () => {
  test("admits exactly 200 of 10,000 that come at once from 4 processes; the account's other key and its own money are not touched", async () => {
    const cost = 100n;
    const accountId = await newAccount(db, { deposit: 10_000_000n });
    const keyId = await newKey(db, accountId, 200n * cost + 99n);
    const other = await newKey(db, accountId);
    const limited = Array.from({ length: 4 }, () => startWorker(database.url, { accountId, keyId, count: 2_500, cost }));
    const free = startWorker(database.url, { accountId, keyId: other, count: 500, cost });
    expect(await total(limited)).toEqual({ admitted: 200, refused: 9_800, broken: 0 });
    expect(await total([free])).toEqual({ admitted: 500, refused: 0, broken: 0 });
    const { rows } = await db.pool.query("select spent, reserved from key_budget where account_id = $1 order by key_id", [accountId]);
    expect(rows).toEqual([
      { spent: 200n * cost, reserved: 0n },
      { spent: 500n * cost, reserved: 0n },
    ]);
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("a limit that is set while calls are in flight counts those, too", async () => {
    const accountId = await newAccount(db, { deposit: 10_000_000n });
    const keyId = await newKey(db, accountId);
    const waiting = startWorker(database.url, { accountId, keyId, count: 64, cost: 100n, upstreamMs: 3_000 });
    const used = async () =>
      (await db.pool.query<{ used: bigint }>("select reserved + spent as used from key_budget where key_id = $1", [keyId])).rows[0]!.used;
    while ((await used()) < 6_400n) await sleep(20);
    await db.pool.query("update key_budget set limit_amount = 7000 where key_id = $1", [keyId]);
    const more = startWorker(database.url, { accountId, keyId, count: 100, cost: 100n });
    expect(await total([more])).toEqual({ admitted: 6, refused: 94, broken: 0 });
    expect(await total([waiting])).toEqual({ admitted: 64, refused: 0, broken: 0 });
  });
});

describe("slots", () => {
  test("never more calls at once than the pool and its group have, over 4 processes; every slot is used and comes back", async () => {
    const accountId = await newAccount(db, { deposit: 10_000_000n });
    await countSlots(db);
    const slot = (pool: string) => ({ pool, poolMax: 3, group: "audio", groupMax: 5 });
    const workers = await startTogether(() =>
      ["speech", "speech", "transcription", "transcription"].map((pool) =>
        startWorker(database.url, { accountId, slot: slot(pool), count: 3_000, cost: 1n, upstreamMs: 20 }),
      ),
    );
    const { admitted, refused, broken } = await total(workers);
    const { rows } = await db.pool.query(
      "select max(speech) as speech, max(transcription) as transcription, max(audio) as audio from slots_used",
    );
    expect({ ...rows[0], all: admitted + refused, broken }).toEqual({ speech: 3, transcription: 3, audio: 5, all: 12_000, broken: 0 });
    expect((await audit(db)).reservations_open).toBe(0);
  });

  /** Writes down how many calls run after each batch of reservations: its account is locked, so that no count is missed. */
  async function countSlots({ pool }: Db): Promise<void> {
    await pool.query(`
      create table slots_used (speech int, transcription int, audio int);
      create function count_slots() returns trigger language plpgsql as $$
      begin
        insert into slots_used select count(*) filter (where h.pool = 'speech'), count(*) filter (where h.pool = 'transcription'), count(*)
          from hold h where h.account_id in (select a.account_id from added a) and h.pool is not null;
        return null;
      end $$;
      create trigger slots_counted after insert on hold referencing new table as added for each statement execute function count_slots()`);
  }

  /** None begins before all are ready. */
  async function startTogether(start: () => Worker[]): Promise<Worker[]> {
    const client = await db.pool.connect();
    try {
      await client.query("select pg_advisory_lock($1)", [startLock]);
      const workers = start();
      await Promise.all(workers.map(({ ready }) => ready));
      return workers;
    } finally {
      await client.query("select pg_advisory_unlock($1)", [startLock]);
      client.release();
    }
  }
});

describe("a balance that pays k calls", () => {
  test.each([
    { k: 1_000, calls: 50_000, rest: 0n },
    { k: 10, calls: 500, rest: 99n },
  ])("admits exactly $k of $calls that come at once from 4 processes", async ({ k, calls, rest }) => {
    const cost = 100n;
    const accountId = await newAccount(db, { deposit: BigInt(k) * cost + rest });
    const workers = Array.from({ length: 4 }, () => startWorker(database.url, { accountId, count: calls / 4, cost }));
    expect(await total(workers)).toEqual({ admitted: k, refused: calls - k, broken: 0 });
    expect(await readBalance(db, accountId)).toMatchObject({ available: rest, reserved: 0n, spent: BigInt(k) * cost });
    expect((await audit(db)).mismatches).toEqual([]);
  });

  test("the check can fail: a gate that reads first and writes later lets too many through", async () => {
    const accountId = await newAccount(db, { deposit: 1_000n });
    let admitted = 0;
    const racy = async () => {
      const balance = await readBalance(db, accountId);
      if (balance === undefined || balance.available < 100n) return;
      await db.pool.query(
        "insert into ledger_entry (account_id, created_at, id, kind, amount, ref) values ($1, now(), gen_random_uuid(), 'usage', -100, 'racy')",
        [accountId],
      );
      admitted += 1;
    };
    await Promise.all(Array.from({ length: 50 }, racy));
    expect(admitted).toBeGreaterThan(10);
  });
});
