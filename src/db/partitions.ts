// Keeps the monthly partitions of the usage log: created ahead of time, dropped when they expire (functions/ensure_partitions.sql,
// functions/drop_partitions.sql). Any process may call it.
import type { Db, Queries } from "./connect.ts";

/** A process that runs for a quarter without a restart must not run out of partitions. */
const everyMs = 24 * 60 * 60 * 1000;
const monthsAhead = 3;

export async function ensurePartitions(db: Queries): Promise<void> {
  await db.pool.query("select ensure_partitions('usage_log', $1)", [monthsAhead]);
}

/** For the start: failing to create future months is reported; a missing current month fails the start. */
export async function ensureCurrentMonth(db: Db, onFault: (error: unknown, what: string) => void): Promise<void> {
  try {
    await ensurePartitions(db);
  } catch (error) {
    const current = "select to_regclass('usage_log' || to_char(now() at time zone 'utc', '_YYYY_MM')) is not null as is_there";
    const { rows } = await db.pool.query<{ is_there: boolean }>(current);
    if (rows[0]?.is_there !== true) throw error;
    onFault(error, "making partitions");
  }
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
