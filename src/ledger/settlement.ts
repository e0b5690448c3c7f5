// Settles a batch: as a rule in a statement that is told all sums, for calls that hold what they say and were not settled before; where that
// fails, in one that finds out for each call what there is to do (src/db/functions/ledger_settle.sql).
import { plainArray, recordArray } from "../db/batcher.ts";
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
}

export const settleUsual = "select ledger_settle($1, $2, $3, $4, $5, $6, $7, $8) as balances";
const settleAny = "select account_id, balance from ledger_settle($1, $2, $3)";

/** What the usual form says of a batch that is not usual: a hold is missing, a call was settled before, a month or a budget is not there. */
const notUsual: ReadonlySet<unknown> = new Set(["P0002", "23505", "23514"]);

interface Reports {
  /** Hears of what neither form should meet. */
  onFault(error: unknown, what: string): void;
  /** Counts calls of batches that were not usual. */
  slower?(calls: number): void;
}

/** The balances after the batch, in its order. */
export async function settleBatch(db: Db, items: readonly Settlement[], { onFault, slower }: Reports): Promise<Amount[]> {
  try {
    return await sendUsual(db, items);
  } catch (error) {
    // It may have been made, or the account is held: the batcher knows what to do. Whatever else it was, nothing was done.
    if (isTransient(error) || isAccountHeld(error)) throw error;
    if (!notUsual.has((error as { code?: unknown }).code)) onFault(error, "the usual settlement");
  }
  slower?.(items.length);
  try {
    return await sendAny(db, items);
  } catch (error) {
    if (!isWithoutMonth(error)) throw error;
    await moveIntoMonths(db, items.map(({ log }) => log)); // prettier-ignore
    return sendAny(db, items);
  }
}

export async function sendUsual(db: Db, items: readonly Settlement[]): Promise<Amount[]> {
  const { funds, budgets, calls } = sumsOf(items);
  const { rows } = await db.pool.query<{ balances: Amount[] }>(settleUsual, [
    plainArray(funds.map(({ accountId }) => accountId)),
    plainArray(funds.map(({ held }) => held)),
    plainArray(funds.map(({ cost }) => cost)),
    plainArray(budgets.map(({ accountId }) => accountId)),
    plainArray(budgets.map(({ keyId }) => keyId)),
    plainArray(budgets.map(({ held }) => held)),
    plainArray(budgets.map(({ cost }) => cost)),
    recordArray(calls),
  ]);
  const balances = new Map(funds.map(({ accountId }, place) => [accountId, rows[0]!.balances[place]!]));
  return items.map(({ accountId }) => balances.get(accountId)!);
}

interface Sum {
  accountId: bigint;
  held: bigint;
  cost: bigint;
}

/** What the batch moves in each balance, in account order, and in each budget; and its calls as fields of settled_call. */
function sumsOf(items: readonly Settlement[]) {
  const funds = new Map<bigint, Sum & { charged: number }>();
  const budgets = new Map<string, Sum & { keyId: string }>();
  const calls = items.map(({ accountId, log }) => {
    const [held, cost] = [BigInt(log.reserved), BigInt(log.cost)];
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
    return [...logColumns.map((column) => log[column]), fund.charged, fund.cost];
  });
  return { funds: [...funds.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1)), budgets: [...budgets.values()], calls };
}

export async function sendAny(db: Db, items: readonly Settlement[]): Promise<Amount[]> {
  const { rows } = await db.pool.query<{ account_id: bigint; balance: Amount }>(settleAny, [
    plainArray(items.map((i) => i.accountId)),
    plainArray(items.map((i) => i.id)),
    `[${items.map((i) => JSON.stringify(i.log)).join(",")}]`,
  ]);
  const balances = new Map(rows.map((row) => [row.account_id, row.balance]));
  return items.map((item) => balances.get(item.accountId) ?? 0n);
}

// The last resort for a charge whose usage log row belongs to a month without a partition: makes the months and moves the row to now. Times
// come from the database's clock (src/db/standing.ts), so this happens only if that clock jumped or months were dropped. Not a default
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
