// What all keys that a member created in a workspace may spend together, and have spent: a row of member_budget where the workspace set it. The
// ledger's functions keep to it as to the budget of a key (src/ledger/README.md#budgets-and-slots).
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";
import { type BudgetChange, changedBudget, type LimitResets, noBudget, shownBudget, type StoredBudget } from "./key-budgets.ts";

export interface MemberSpending {
  limit: Amount | null;
  resets: LimitResets;
  /** In the running period, or in all. */
  spent: Amount;
  /** Held by calls in flight. */
  reserved: Amount;
  resetsAt: Date | null;
}

interface Row extends StoredBudget {
  personId: bigint;
  spent: Amount;
  reserved: Amount;
  resetsAt: Date | null;
}

/** Of each of these persons, in an account. */
export async function readMemberSpending(
  { pool }: Queries,
  accountId: bigint,
  personIds: readonly bigint[],
): Promise<Map<bigint, MemberSpending>> {
  const { rows } = await pool.query<Row>(
    `select p.id as "personId", m.limit_amount, m.period, m.period_limit, coalesce(k.reserved, 0)::bigint as reserved,
       case when m.period is null then coalesce(k.spent, 0)::bigint when at < m.period_ends then m.period_spent else 0 end as spent,
       case when m.period is not null then budget_period_ends(m.period, m.period_ends, at) end as "resetsAt"
     from (select clock_timestamp() as at) now, unnest($2::bigint[]) p(id)
     left join member_budget m on m.account_id = $1 and m.person_id = p.id
     left join (select a.created_by, sum(b.spent) as spent, sum(b.reserved) as reserved from api_key a join key_budget b on b.key_id = a.id
       where a.account_id = $1 and a.created_by = any($2) group by a.created_by) k on k.created_by = p.id`,
    [accountId, personIds],
  );
  return new Map(
    rows.map(({ personId, spent, reserved, resetsAt, ...stored }) => {
      const { limit, resets } = shownBudget(stored);
      return [personId, { limit, resets, spent, reserved, resetsAt }];
    }),
  );
}

/**
 * In a transaction that has locked the account's row, so that no key is made meanwhile. It locks the balance too: what the keys spent and hold
 * stands still until the row has it. A new kind of period has nothing spent; without a limit there is no row.
 */
export async function setMemberBudget(
  { pool }: Queries,
  member: { accountId: bigint; personId: bigint },
  change: BudgetChange,
): Promise<void> {
  if (change.limit === undefined && change.resets === undefined) return;
  const ids = [member.accountId, member.personId];
  await pool.query("select 1 from balance where account_id = $1 for no key update", [member.accountId]);
  const { rows } = await pool.query<StoredBudget>(
    "select limit_amount, period, period_limit from member_budget where account_id = $1 and person_id = $2",
    ids,
  );
  const { limit, resets } = shownBudget(rows[0] ?? noBudget);
  const wanted = { limit: change.limit === undefined ? limit : change.limit, resets: change.resets ?? resets };
  const keys = "(select id from api_key where account_id = $1 and created_by = $2)";
  if (wanted.limit === null) {
    await pool.query(`update key_budget set member_id = null where key_id in ${keys} and $2::bigint = member_id`, ids);
    await pool.query("delete from member_budget where account_id = $1 and person_id = $2", ids);
    return;
  }
  const { limit_amount, period, period_limit } = changedBudget(noBudget, wanted);
  await pool.query(
    `insert into member_budget as m (account_id, person_id, limit_amount, period, period_limit, spent, reserved)
       select $1, $2, $3, $4, $5, coalesce(sum(spent), 0), coalesce(sum(reserved), 0) from key_budget where key_id in ${keys}
     on conflict (account_id, person_id) do update set limit_amount = excluded.limit_amount, period = excluded.period,
       period_limit = excluded.period_limit, period_spent = case when m.period is distinct from excluded.period then 0 else m.period_spent end,
       period_ends = case when m.period is distinct from excluded.period then null else m.period_ends end`,
    [...ids, limit_amount, period, period_limit],
  );
  await pool.query(`update key_budget set member_id = $2 where key_id in ${keys} and member_id is null`, ids);
}
