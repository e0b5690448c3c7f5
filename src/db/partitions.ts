// Keeps the monthly partitions of the usage log: made ahead of time, dropped when their time is over. The SQL is in the migrations
// 0002, 0007 and 0011; any replica may call it.
import type { Db } from "./connect.ts";

/** A process that nobody restarts for a quarter must not run out of partitions. */
const everyMs = 24 * 60 * 60 * 1000;
const monthsAhead = 3;

export async function ensurePartitions(db: Db): Promise<void> {
  await db.pool.query("select ensure_partitions('usage_log', $1)", [monthsAhead]);
}

/** Returns the names of the partitions that were dropped. Months that ended more than `keepMonths` months ago; 0: none. */
export async function dropPartitions(db: Db, keepMonths: number): Promise<string[]> {
  if (keepMonths === 0) return [];
  const { rows } = await db.pool.query<{ dropped: string[] }>("select drop_partitions('usage_log', $1) as dropped", [keepMonths]);
  return rows[0]?.dropped ?? [];
}

/** At once and daily. */
export function keepPartitions(
  db: Db,
  { usageLogMonths, onFault }: { usageLogMonths: number; onFault: (error: unknown, what: string) => void },
): { stop(): Promise<void> } {
  const tend = async () => {
    await ensurePartitions(db).catch((error: unknown) => onFault(error, "making partitions"));
    await dropPartitions(db, usageLogMonths).catch((error: unknown) => onFault(error, "dropping partitions"));
  };
  let tending = tend();
  const timer = setInterval(() => void (tending = tend()), everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await tending;
    },
  };
}
