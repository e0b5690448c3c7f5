// The last resort of a charge whose row of the usage log belongs to a month that has no table: the months are made, and the row is moved to now.
// Times come from the database's clock (src/db/standing.ts), so that this is for a clock of the database that leapt, or months that somebody
// dropped. Not a default partition: with one, a month could neither be detached concurrently nor attached while somebody reads the log.
import type { Db } from "../db/connect.ts";
import { ensurePartitions } from "../db/partitions.ts";
import type { UsageLogRow } from "./usage-log.ts";

/** Postgres names the table and no constraint. */
export function isWithoutMonth(error: unknown): boolean {
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string };
  return code === "23514" && table === "usage_log" && constraint === undefined;
}

/** Changes the rows: a batch that is repeated carries the same times. */
export async function moveIntoMonths(db: Db, rows: readonly UsageLogRow[]): Promise<void> {
  await ensurePartitions(db);
  const times = [...new Set(rows.map((row) => row.created_at.getTime()))];
  const { rows: known } = await db.pool.query<{ time: number; now: Date; is_there: boolean }>(
    `select t.time, now() as now, exists (
       select 1 from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_log'::regclass
         and c.relname = 'usage_log' || to_char(to_timestamp(t.time / 1000) at time zone 'utc', '_YYYY_MM')) as is_there
     from unnest($1::float8[]) t(time)`,
    [times],
  );
  const moved = new Map(known.filter((one) => !one.is_there).map(({ time, now }) => [time, now]));
  for (const row of rows) row.created_at = moved.get(row.created_at.getTime()) ?? row.created_at;
}
