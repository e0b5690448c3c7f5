// Waiting until somebody else waits: for tests in which two statements meet.
import { expect } from "vitest";
import type { Db } from "../../src/db/connect.ts";

/** Until so many statements of this database that contain the text wait for a lock. */
export async function untilWaiting(db: Db, text: string, count = 1): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and position($1 in query) > 0`;
  await expect.poll(async () => (await db.pool.query(waiting, [text])).rowCount).toBe(count);
}
