// Keeps the rollups of the usage log: adds what has come to rest every minute, forgets what is older than the operator wants, and makes them
// again (src/db/functions/usage_roll_up.sql). Nothing waits for it: what is not added yet, a reader sums from the log.
import { keepDoing } from "../../concurrency/keep-doing.ts";
import { type Db, inTransaction, inTransactionOf, type Queries } from "../../db/connect.ts";

const everyMs = 60_000;
const dayMs = 24 * 60 * 60_000;
/** A little more than usage_late_after. */
const settled = "10 minutes 10 seconds";
/** A step is as much of the log's time as gives about so many rows, so that it takes a second and no bad month more. */
const rowsOfStep = 20_000;
const [stepMinMs, stepMaxMs] = [60_000, 31 * dayMs];
const deletedAtOnce = 5_000;
/** A week of very many callers takes longer than a statement may. */
const weekMaxMs = 10 * 60_000;

const kept = [
  "usage_rollup",
  "usage_total_quarters",
  "usage_total_hours",
  "usage_total_days",
  "usage_fact",
  "usage_active",
  "usage_caller",
];

interface RollUpOptions {
  /** For tests: what came in so long ago has come to rest. */
  settled?: string;
}

/** Adds all that has come to rest; returns how many rows of the log. */
export async function rollUp(db: Db | Queries, options: RollUpOptions = {}): Promise<number> {
  let total = 0;
  for (let stepMs = dayMs; ;) {
    const { rows } = await db.pool.query<{ added: bigint; is_done: boolean }>("select * from usage_roll_up($1, $2)", [
      options.settled ?? settled,
      `${stepMs} milliseconds`,
    ]);
    const { added, is_done } = rows[0]!;
    total += Number(added);
    if (is_done) break;
    stepMs = Math.min(stepMaxMs, Math.max(stepMinMs, added < rowsOfStep / 2 ? stepMs * 2 : added > rowsOfStep ? stepMs / 2 : stepMs));
  }
  while (await addWeek(db));
  return total;
}

/** By itself: a week that can't be added leaves the steps before it as they are. */
function addWeek(db: Db | Queries): Promise<boolean> {
  return inTransactionOf(db, async ({ pool }) => {
    await pool.query(`set local statement_timeout = ${weekMaxMs}`);
    const { rows } = await pool.query<{ added: boolean }>("select usage_add_week() as added");
    return rows[0]!.added;
  });
}

/** Makes the sums of all months again that the log still has; readers see the old ones until it is done. Returns how many rows there were. */
export async function rebuild(db: Db, options: RollUpOptions = {}): Promise<number> {
  // Notes what has come to rest, which the transaction can't: it has its id before it looks.
  await db.pool.query("select usage_roll_up($1, interval '0')", [options.settled ?? settled]);
  return inTransaction(db, async (queries) => {
    await queries.pool.query("select usage_forget()");
    return rollUp(queries, options);
  });
}

/** Sums that are older than that many months beside the current one. */
export async function forgetOld({ pool }: Queries, months: number): Promise<number> {
  if (months === 0) return 0;
  const { rows } = await pool.query<{ before: Date; week: Date }>(
    `select before, date_bin('7 days', before + interval '7 days' - interval '1 microsecond', 'epoch') as week
     from (select (date_trunc('month', now() at time zone 'utc') - make_interval(months => $1)) at time zone 'utc' as before) b`,
    [months],
  );
  const { before, week } = rows[0]!;
  // A week that loses its first days is no longer read.
  await pool.query("update usage_rollup_state set callers_since = $1 where callers_since < $1", [week]);
  let total = 0;
  for (const table of kept)
    for (let deleted = deletedAtOnce; deleted === deletedAtOnce; total += deleted) {
      const { rowCount } = await pool.query(
        `delete from ${table} where ctid = any(array(select ctid from ${table} where starts_at < $1 limit $2))`,
        [before, deletedAtOnce],
      );
      deleted = rowCount ?? 0;
    }
  return total;
}

/** Every minute, and once a day. A round that takes longer is not begun again beside itself. */
export function keepRolledUp(db: Db, { months, onFault }: { months: number; onFault: (error: unknown, what: string) => void }) {
  let forgotAt = -Infinity;
  const round = async () => {
    await rollUp(db).catch((error: unknown) => onFault(error, "adding up the usage log"));
    if (performance.now() - forgotAt < dayMs) return;
    forgotAt = performance.now();
    await forgetOld(db, months).catch((error: unknown) => onFault(error, "deleting old sums of the usage log"));
  };
  return keepDoing(everyMs, round);
}
