// Keeps the monthly partitions of the usage log ahead of time. The SQL is migration 0002's; any replica may call it.
import type { Db } from "./connect.ts";

/** A process that nobody restarts for a quarter must not run out of partitions. */
const everyMs = 24 * 60 * 60 * 1000;
const monthsAhead = 3;

export async function ensurePartitions(db: Db): Promise<void> {
  await db.pool.query("select ensure_partitions('usage_log', $1)", [monthsAhead]);
}

export function keepPartitions(db: Db, onFault: (error: unknown, what: string) => void): { stop(): void } {
  const timer = setInterval(() => void ensurePartitions(db).catch((error: unknown) => onFault(error, "making partitions")), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
