// Reads balances and the budgets of keys. Writes nothing.
import type { Db, Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

export interface Balance {
  /** What a new call may spend; below 0 only after a settlement above its reservation. */
  available: Amount;
  /** Held by calls in flight. available + reserved is the balance. */
  reserved: Amount;
  purchased: Amount;
  /** The number of the tier that an operator gave the account; null: none. */
  assignedTier: number | null;
  earned: Amount;
  spent: Amount;
}

export async function readBalance(db: Queries, accountId: bigint): Promise<Balance | undefined> {
  const { rows } = await db.pool.query<Balance>(
    `select b.available, b.reserved, b.purchased, a.assigned_tier as "assignedTier", b.earned, b.spent
     from balance b join account a on a.id = b.account_id where b.account_id = $1`,
    [accountId],
  );
  return rows[0];
}

/** The sum of the account's open media holds. They are entries, so the balance is already net of them. */
export async function readMediaHolds(db: Db, accountId: bigint): Promise<Amount> {
  const { rows } = await db.pool.query<{ held: Amount }>(
    // A job's hold is open as long as the job runs, which the audit compares: of the entries a large account has very many.
    `select coalesce(sum(estimated), 0)::bigint as held from media_job where account_id = $1 and status in ('pending', 'processing')`,
    [accountId],
  );
  return (rows[0] as { held: Amount }).held;
}

// What a single key may spend. Triggers keep table key_budget up to date (src/db/functions/apply_entries.sql).

interface LimitedKey {
  prefix: string;
  last4: string;
  /** The budget that has the least left: what it is, and its period with its end; null: the one of all time. */
  limit: Amount | null;
  period: string | null;
  resetsAt: Date | null;
  /** UUID of the member who has it; null: the key itself. */
  member: string | null;
  /** What it may still spend; below 0 if its budget was set below what it had spent; null: no budget. */
  left: Amount | null;
}

/** The key in a refusal for want of budget. */
export async function readLimitedKey(db: Queries, keyId: bigint): Promise<LimitedKey | undefined> {
  const { rows } = await db.pool.query<LimitedKey>(
    `select k.prefix, k.last4, l."left", l."limit", l.period, case when l.period is not null then budget_period_ends(l.period, l.ends, at) end as "resetsAt",
       (select user_id from account where id = l.member_id) as member
     from api_key k join key_budget b on b.key_id = k.id
     left join member_budget m on m.account_id = b.account_id and m.person_id = b.member_id,
     lateral (select clock_timestamp() as at) now, lateral (values
       (1, budget_left(null, 0, b.reserved, b.period_limit, b.period_spent, b.period_ends, at), b.period_limit, b.period, b.period_ends, null::bigint),
       (2, b.limit_amount - b.spent - b.reserved, b.limit_amount, null, null, null),
       (3, budget_left(null, 0, m.reserved, m.period_limit, m.period_spent, m.period_ends, at), m.period_limit, m.period, m.period_ends, m.person_id),
       (4, m.limit_amount - m.spent - m.reserved, m.limit_amount, null, null, m.person_id)
     ) l(place, "left", "limit", period, ends, member_id)
     where k.id = $1 order by l."left" nulls last, l.place limit 1`,
    [keyId],
  );
  return rows[0];
}
