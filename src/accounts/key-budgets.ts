// The budgets of a key: one for its life, one that begins anew with each period. What a request sets, and what stands in key_budget after
// it; what a key spent, what its calls in flight hold and what it has left.
import type { components } from "../../generated/api.d.ts";
import type { Queries } from "../db/connect.ts";
import { failParameter } from "../errors/fail.ts";
import { type Amount, amountFromUsd, toUsd } from "../money.ts";

export type LimitResets = components["schemas"]["LimitResets"];
type BudgetPeriod = "hour" | "day" | "week" | "month";

/** As a request says it. Absent fields stay as they are; null: no limit. */
export interface BudgetChange {
  limit?: Amount | null | undefined;
  resets?: LimitResets | undefined;
  lifetime?: Amount | null | undefined;
}

/** As the database has it. */
export interface StoredBudget {
  limit_amount: Amount | null;
  period: BudgetPeriod | null;
  period_limit: Amount | null;
}

const periods: Record<LimitResets, BudgetPeriod | null> = { never: null, hourly: "hour", daily: "day", weekly: "week", monthly: "month" };
const resetsOf: Record<BudgetPeriod, LimitResets> = { hour: "hourly", day: "daily", week: "weekly", month: "monthly" };

export const limitResets = Object.keys(periods) as LimitResets[];

export const noBudget: StoredBudget = { limit_amount: null, period: null, period_limit: null };

/** As a key's record shows it. */
export function shownBudget({ limit_amount, period, period_limit }: StoredBudget): Required<{
  [Field in "limit" | "lifetime"]: Amount | null;
}> & {
  resets: LimitResets;
} {
  return {
    limit: period === null ? limit_amount : period_limit,
    resets: period === null ? "never" : resetsOf[period],
    lifetime: limit_amount,
  };
}

/** Fails with invalid_parameter where `never` is to have two different limits. */
export function changedBudget(stored: StoredBudget, { limit, resets, lifetime }: BudgetChange): StoredBudget {
  const period: BudgetPeriod | null = resets === undefined ? stored.period : periods[resets];
  const before = shownBudget(stored);
  if (period !== null) {
    const kept = stored.period === null ? null : stored.limit_amount; // what was the only limit is the recurring one now
    return {
      limit_amount: lifetime === undefined ? kept : lifetime,
      period,
      period_limit: limit === undefined ? before.limit : limit,
    };
  }
  if (limit !== undefined && lifetime !== undefined && limit !== lifetime)
    failParameter("lifetime_limit_usd", "it must be the same as limit_usd, or absent, where limit_resets is never");
  const given = limit === undefined ? lifetime : limit;
  return { ...noBudget, limit_amount: given === undefined ? leastOf(stored.limit_amount, stored.period_limit) : given };
}

function leastOf(one: Amount | null, other: Amount | null): Amount | null {
  if (one === null || other === null) return one ?? other;
  return one < other ? one : other;
}

/** Its row came with the key, by a trigger (open_key_budget). A new kind of period has nothing spent. */
export async function setBudget({ pool }: Queries, keyId: bigint, change: BudgetChange): Promise<void> {
  if (change.limit === undefined && change.resets === undefined && change.lifetime === undefined) return;
  const { rows } = await pool.query<StoredBudget>("select limit_amount, period, period_limit from key_budget where key_id = $1", [keyId]);
  const { limit_amount, period, period_limit } = changedBudget(rows[0]!, change);
  await pool.query(
    `update key_budget set limit_amount = $2, period = $3, period_limit = $4,
       period_spent = case when period is distinct from $3 then 0 else period_spent end,
       period_ends = case when period is distinct from $3 then null else period_ends end
     where key_id = $1`,
    [keyId, limit_amount, period, period_limit],
  );
}

interface SentBudget {
  limit_usd?: number | null | undefined;
  limit_resets?: LimitResets | undefined;
  lifetime_limit_usd?: number | null | undefined;
}

/** A figure that the ledger can't hold exactly is refused, not rounded. */
export function readBudget(sent: SentBudget): BudgetChange {
  return {
    limit: readUsd("limit_usd", sent.limit_usd),
    resets: sent.limit_resets,
    lifetime: readUsd("lifetime_limit_usd", sent.lifetime_limit_usd),
  };
}

function readUsd(field: "limit_usd" | "lifetime_limit_usd", usd: number | null | undefined): Amount | null | undefined {
  if (usd == null) return usd;
  return amountFromUsd(usd) ?? failParameter(field, "it may have 8 decimals at most");
}

type KeyUsage = components["schemas"]["ApiKeyUsage"];

interface Row extends StoredBudget {
  spent: Amount;
  reserved: Amount;
  period_spent: Amount;
  starts: Date | null;
  ends: Date | null;
}

/** For its life and in the running period. Undefined: the key has just been deleted. */
export async function readKeySpending(
  db: Queries,
  id: bigint,
): Promise<Pick<KeyUsage, "reserved_usd" | "lifetime" | "period"> | undefined> {
  const { rows } = await db.pool.query<Row>(
    `select b.limit_amount, b.period, b.period_limit, b.spent, b.reserved, case when at < b.period_ends then b.period_spent else 0 end as period_spent,
       date_trunc(b.period, at, 'UTC') as starts, budget_period_ends(b.period, b.period_ends, at) as ends
     from key_budget b join api_key k on k.id = b.key_id, (select clock_timestamp() as at) now where b.key_id = $1 and k.deleted_at is null`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { limit, resets, lifetime } = shownBudget(row);
  const { period, spent, reserved, period_spent, starts, ends } = row;
  return {
    reserved_usd: toUsd(reserved),
    lifetime: {
      limit_usd: lifetime === null ? null : toUsd(lifetime),
      spent_usd: toUsd(spent),
      remaining_usd: leftOf(lifetime, spent + reserved),
    },
    period:
      period === null
        ? null
        : {
            ...{ resets, limit_usd: limit === null ? null : toUsd(limit), spent_usd: toUsd(period_spent) },
            ...{ remaining_usd: leftOf(limit, period_spent + reserved), starts_at: starts!.toISOString(), resets_at: ends!.toISOString() },
          },
  };
}

/** At least 0: a budget may be set below what is spent. */
function leftOf(limit: Amount | null, taken: Amount): number | null {
  if (limit === null) return null;
  return limit > taken ? toUsd(limit - taken) : 0;
}
