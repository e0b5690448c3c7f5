// Reads balances and the budgets of keys. Writes nothing.
import type { Db, Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

export interface Balance {
  /** What a new call may spend; below 0 only after a settlement above its reservation. */
  available: Amount;
  /** Held by calls in flight. available + reserved is the balance. */
  reserved: Amount;
  purchased: Amount;
  earned: Amount;
  spent: Amount;
}

export async function readBalance(db: Queries, accountId: bigint): Promise<Balance | undefined> {
  const { rows } = await db.pool.query<Balance>("select available, reserved, purchased, earned, spent from balance where account_id = $1", [
    accountId,
  ]);
  return rows[0];
}

/** The sum of the account's open media holds. They are entries, so the balance is already net of them. */
export async function readMediaHolds(db: Db, accountId: bigint): Promise<Amount> {
  const { rows } = await db.pool.query<{ held: Amount }>(
    // By the index of entries other than usage: see readEntries.
    `select coalesce(-sum(h.amount), 0)::bigint as held from ledger_entry h
     where h.account_id = $1 and h.kind <> 'usage' and h.kind || '' = 'hold' and not exists (
       select 1 from ledger_entry e where e.account_id = h.account_id and e.id = h.id and e.kind in ('hold_settle', 'hold_release'))`,
    [accountId],
  );
  return (rows[0] as { held: Amount }).held;
}

// What a single key may spend. Triggers keep table key_budget up to date (src/db/functions/apply_entries.sql).

interface LimitedKey {
  prefix: string;
  last4: string;
  /** The budget that has the least left: what it is, and its period with its end; null: the one of the key's life. */
  limit: Amount | null;
  period: string | null;
  resetsAt: Date | null;
  /** What it may still spend; below 0 if its budget was set below what it had spent; null: no budget. */
  left: Amount | null;
}

/** The key in a refusal for want of budget. */
export async function readLimitedKey(db: Queries, keyId: bigint): Promise<LimitedKey | undefined> {
  const { rows } = await db.pool.query<LimitedKey>(
    `select prefix, last4, least(life_left, period_left) as "left", case when is_period then period_limit else limit_amount end as "limit",
       case when is_period then period end as period, case when is_period then budget_period_ends(period, period_ends, at) end as "resetsAt"
     from (select k.prefix, k.last4, b.*, coalesce(b.period_left <= b.life_left, b.life_left is null) and b.period is not null as is_period
       from api_key k join (select *, limit_amount - spent - reserved as life_left,
         budget_left(null, spent, reserved, period_limit, period_spent, period_ends, at) as period_left
         from key_budget, lateral (select clock_timestamp() as at) now) b on b.key_id = k.id where k.id = $1) k`,
    [keyId],
  );
  return rows[0];
}
