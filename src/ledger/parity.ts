// Compares balances with the ledger at a low cost, however large it is: a slice of the accounts at a time, plus those with calls in flight. Each
// entry carries the balance after it, so an account costs three lookups; `svc ledger audit` recomputes everything.
import type { Queries } from "../db/connect.ts";

export interface ParityLook {
  checked: number;
  /** Where the next slice begins; 0: all accounts were seen. */
  next: bigint;
  mismatched: bigint[];
}

interface LookRow {
  checked: number;
  slice: number;
  last: bigint | null;
  mismatched: bigint[];
}

/** One statement, hence one snapshot. `suspects` are compared again, so that repaired accounts are seen. */
export async function lookAtParity(
  { pool }: Queries,
  { after, most, suspects }: { after: bigint; most: number; suspects: readonly bigint[] },
): Promise<ParityLook> {
  const { rows } = await pool.query<LookRow>(lookSql, [after, most, suspects]);
  const { checked, slice, last, mismatched } = rows[0] as LookRow;
  return { checked, next: slice < most ? 0n : (last ?? 0n), mismatched };
}

const lookSql = `
  with slice as materialized (select account_id from balance where account_id > $1::bigint order by account_id limit $2::int),
  chosen as (
    select account_id from slice union (select account_id from hold limit $2::int) union select unnest($3::bigint[])
  ), looked as (
    select b.account_id, b.available + b.reserved <> coalesce(last.balance_after, 0)
      or coalesce(last.balance_after <> coalesce(before.balance_after, 0) + last.amount, false) or b.reserved <> held.amount as differs
    from chosen join balance b using (account_id)
      left join lateral (
        select e.seq, e.amount, e.balance_after from ledger_entry e where e.account_id = b.account_id order by e.seq desc limit 1
      ) last on true
      left join lateral (
        select e.balance_after from ledger_entry e where e.account_id = b.account_id and e.seq = last.seq - 1
      ) before on true,
      lateral (select coalesce(sum(h.amount), 0)::bigint as amount from hold h where h.account_id = b.account_id) held
  )
  select count(*)::int as checked, (select count(*)::int from slice) as slice, (select max(account_id) from slice) as last,
    coalesce(array_agg(account_id) filter (where differs), '{}') as mismatched
  from looked`;
