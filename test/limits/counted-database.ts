// A database with its rate windows, used as by replicas: each with a pool and a batcher of its own.
import { test } from "vitest";
import { connect, type Db } from "../../src/db/connect.ts";
import { type Counters, openCounters, type Take } from "../../src/limits/counters.ts";
import { freshDatabase } from "../support/database.ts";

export interface CountedDatabase {
  db: Db;
  url: string;
  faults: unknown[];
  /** A further replica's. */
  open(): Counters;
  /** Moves all windows into the past. */
  pass(seconds: number): Promise<void>;
  /** All windows of a bucket, newest first. */
  windows(bucket: string): Promise<number[]>;
  close(): Promise<void>;
}

export async function countedDatabase(): Promise<CountedDatabase> {
  const database = await freshDatabase();
  const db = connect(database.url, { max: 3 });
  const opened: Counters[] = [];
  const pools: Db[] = [db];
  const faults: unknown[] = [];
  const open = () => {
    const pool = connect(database.url, { max: 3 });
    pools.push(pool);
    const counters = openCounters(pool, (error) => faults.push(error));
    opened.push(counters);
    return counters;
  };
  return {
    db,
    url: database.url,
    faults,
    open,
    pass: async (seconds) =>
      void (await db.pool.query("update rate_window set starts_at = starts_at - make_interval(secs => $1)", [seconds])),
    async windows(bucket) {
      const { rows } = await db.pool.query<{ n: bigint }>("select n from rate_window where bucket = $1 order by starts_at desc", [bucket]);
      return rows.map(({ n }) => Number(n));
    },
    async close() {
      for (const counters of opened) await counters.close();
      for (const pool of pools) await pool.close();
      await database.drop();
    },
  };
}

export function take(bucket: string, limit: number | null, amount = 1, accountId = 7n): Take {
  return { accountId, bucket, seconds: 60, amount, limit };
}

/** A test that counts within one minute doesn't begin at the end of one. */
export async function awayFromMinuteEdge(neededMs = 10_000): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < neededMs) await new Promise((resolve) => setTimeout(resolve, left + 50));
}

/**
 * For what counts within one minute and may take long on a busy machine: done again where it failed and the minute had ended meanwhile. `work`
 * asks about new subjects each time.
 */
export async function withinOneMinute(work: () => Promise<void>, neededMs?: number): Promise<void> {
  const minute = () => Math.floor(Date.now() / 60_000);
  for (let left = 5; ; left -= 1) {
    await awayFromMinuteEdge(neededMs);
    const begun = minute();
    try {
      return await work();
    } catch (error) {
      if (minute() === begun || left === 0) throw error;
    }
  }
}

/** For files whose tests each count calls of new accounts within a minute. */
export function minuteTest(title: string, work: () => Promise<void>): void {
  test(title, () => withinOneMinute(work, 15_000));
}
