// Settles a batch: as a rule in a statement that is told all sums, for calls that hold what they say and were not settled before; where that
// fails, in one that finds out for each call what there is to do (src/db/functions/ledger_settle.sql).
import { type Field, plainArray, recordArray } from "../db/arrays.ts";
import type { Db } from "../db/connect.ts";
import { ensurePartitions } from "../db/partitions.ts";
import { isTransient } from "../db/transient-error.ts";
import type { Amount } from "../money.ts";
import { isAccountHeld } from "./account-batcher.ts";
import { logColumns, type UsageLogRow } from "./usage-log.ts";

export interface Settlement {
  accountId: bigint;
  id: string;
  /** Its cost is charged; 0 releases the whole hold. */
  log: UsageLogRow;
  /** Its caller owes the charge whatever becomes of the settlement: the answer is out, or the caller left. Absent: it then gets 503 instead. */
  owed?: boolean;
}

/** What a call that was admitted out of a slice takes off it for good. */
export interface Taking {
  slice: string;
  amount: Amount;
}

/** What the calls of a batch take off a slice together. */
export interface SliceSum {
  accountId: bigint;
  id: string;
  taken: Amount;
  /** It ends: `taken` is all that it holds, and these calls were counted for it in advance. */
  unused: readonly UnusedCount[] | null;
}

/** Calls or tokens that were counted in advance, in the window that starts then. */
export interface UnusedCount {
  bucket: string;
  startMs: number;
  amount: number;
}

/** The slices of a batch: what each of its calls takes (undefined: it has a hold of its own), and the sums. */
export interface BatchSlices {
  takings: readonly (Taking | undefined)[];
  sums: readonly SliceSum[];
  /** The batch is not usual: slices may have less than they ought to, and none was ended. */
  notUsual?: () => void;
}

export const settleUsual = `select ledger_settle($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) as balances`;
const noSlices: BatchSlices = { takings: [], sums: [] };
const settleAny = "select account_id, balance from ledger_settle($1, $2, $3, $4, $5)";

/** What the usual form says of a batch that is not usual: a hold, a month or a budget is missing, a call was settled before or came in long ago. */
const notUsual: ReadonlySet<unknown> = new Set(["P0002", "23505", "23514"]);

interface Reports {
  /** Hears of what neither form should meet. */
  onFault(error: unknown, what: string): void;
  /** Counts calls of batches that were not usual. */
  slower?(calls: number): void;
}

/** The balances after the batch, in its order. */
export async function settleBatch(
  db: Db,
  items: readonly Settlement[],
  { onFault, slower }: Reports,
  slices: BatchSlices = noSlices,
): Promise<Amount[]> {
  try {
    return await sendUsual(db, items, slices);
  } catch (error) {
    // It may have been made, or the account is held: the batcher knows what to do. Whatever else it was, nothing was done.
    if (isTransient(error) || isAccountHeld(error)) throw error;
    if (!notUsual.has((error as { code?: unknown }).code)) onFault(error, "the usual settlement");
  }
  slower?.(items.length);
  slices.notUsual?.();
  try {
    return await sendAny(db, items, slices);
  } catch (error) {
    if (!isWithoutMonth(error)) throw error;
    await moveIntoMonths(db, items.map(({ log }) => log)); // prettier-ignore
    return sendAny(db, items, slices);
  }
}

export function sendUsual(db: Db, items: readonly Settlement[], slices: BatchSlices = noSlices): Promise<Amount[]> {
  const { funds, budgets, calls, carved } = sumsOf(items, slices.takings);
  const { sums } = slices;
  const unused = sums.flatMap((sum) => (sum.unused ?? []).map((count) => ({ ...count, accountId: sum.accountId })));
  const values = [
    plainArray(funds.map(({ accountId }) => accountId)),
    plainArray(funds.map(({ held }) => held)),
    plainArray(funds.map(({ cost }) => cost)),
    plainArray(budgets.map(({ accountId }) => accountId)),
    plainArray(budgets.map(({ keyId }) => keyId)),
    plainArray(budgets.map(({ held }) => held)),
    plainArray(budgets.map(({ cost }) => cost)),
    recordArray(calls),
    carved,
    plainArray(sums.map(({ accountId }) => accountId)),
    plainArray(sums.map(({ id }) => id)),
    plainArray(sums.map(({ taken }) => taken)),
    plainArray(sums.map((sum) => String(sum.unused !== null))),
    plainArray(unused.map(({ accountId }) => accountId)),
    unused.map(({ bucket }) => bucket),
    unused.map(({ startMs }) => new Date(startMs)),
    plainArray(unused.map(({ amount }) => amount)),
    new Date(Math.min(...items.map(({ log }) => log.created_at.getTime()))),
  ];
  return db.pool.query<{ balances: Amount[] }>(settleUsual, values).then(({ rows }) => {
    const balances = new Map(funds.map(({ accountId }, place) => [accountId, rows[0]!.balances[place]!]));
    return items.map(({ accountId }) => balances.get(accountId)!);
  });
}

interface Sum {
  accountId: bigint;
  held: bigint;
  cost: bigint;
}

/** What the batch moves in each balance, in account order, and in each budget; and its calls as fields of tagged_call. */
function sumsOf(items: readonly Settlement[], takings: BatchSlices["takings"]) {
  const funds = new Map<bigint, Sum & { charged: number }>();
  const budgets = new Map<string, Sum & { keyId: string }>();
  let carved = 0;
  const calls = items.map(({ accountId, log }, place) => {
    const taking = takings[place];
    if (taking !== undefined) carved += 1;
    const [held, cost] = [taking === undefined ? BigInt(log.reserved) : taking.amount, BigInt(log.cost)];
    let fund = funds.get(accountId);
    if (fund === undefined) funds.set(accountId, (fund = { accountId, held: 0n, cost: 0n, charged: 0 }));
    fund.held += held;
    fund.cost += cost;
    if (cost > 0n) fund.charged += 1;
    if (log.key_id !== null) {
      let budget = budgets.get(log.key_id);
      if (budget === undefined) budgets.set(log.key_id, (budget = { accountId, keyId: log.key_id, held: 0n, cost: 0n }));
      budget.held += held;
      budget.cost += cost;
    }
    const fields = new Array<Field>(logColumns.length + 3);
    for (let at = 0; at < logColumns.length; at += 1) fields[at] = log[logColumns[at]!];
    fields[logColumns.length] = fund.charged;
    fields[logColumns.length + 1] = fund.cost;
    fields[logColumns.length + 2] = log.tags;
    return fields;
  });
  return { funds: [...funds.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1)), budgets: [...budgets.values()], calls, carved };
}

export async function sendAny(
  db: Db,
  items: readonly Settlement[],
  { takings }: Pick<BatchSlices, "takings"> = noSlices,
): Promise<Amount[]> {
  const { rows } = await db.pool.query<{ account_id: bigint; balance: Amount }>(settleAny, [
    plainArray(items.map((i) => i.accountId)),
    plainArray(items.map((i) => i.id)),
    `[${items.map((i) => JSON.stringify(i.log)).join(",")}]`,
    plainArray(items.map((_, place) => takings[place]?.slice ?? null)),
    plainArray(items.map((_, place) => takings[place]?.amount ?? null)),
  ]);
  const balances = new Map(rows.map((row) => [row.account_id, row.balance]));
  return items.map((item) => balances.get(item.accountId) ?? 0n);
}

// The last resort for a charge whose usage log row belongs to a month without a partition: makes the months and moves the row to now. Times
// come from the database's clock (src/db/database-checks.ts), so this happens only if that clock jumped or months were dropped. Not a default
// partition: with one, a month can neither be detached concurrently nor attached while the log is read.

/** Postgres names the table and no constraint. */
function isWithoutMonth(error: unknown): boolean {
  const { code, table, constraint } = error as { code?: string; table?: string; constraint?: string };
  return code === "23514" && table === "usage_log" && constraint === undefined;
}

/** Changes the rows themselves, so that a batch that is repeated carries the same times. */
async function moveIntoMonths(db: Db, rows: readonly UsageLogRow[]): Promise<void> {
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
