// Recomputes every balance and reservation from the entries and holds alone (docs/behaviour/ledger.md#invariants). Trusts no trigger: it
// reads the facts and compares the projection.
import { type Db, inSnapshot, type Queries } from "../db/connect.ts";
import { accountIdText } from "../ids.ts";
import { toUsd } from "../money.ts";

export interface Audit {
  accounts: number;
  entries: number;
  /** Media holds that are neither settled nor released. */
  holds_open: number;
  /** Calls in flight. */
  reservations_open: number;
  mismatches: Mismatch[];
}

interface Mismatch {
  account_id: string;
  what: string;
  /** USD */
  stored: number;
  /** USD, from the entries. */
  computed: number;
}

export function audit(db: Db): Promise<Audit> {
  return inSnapshot(db, async ({ pool }) => {
    const { rows: counts } = await pool.query<Omit<Audit, "mismatches">>(countsSql);
    const { rows: mismatches } = await pool.query<{ account_id: bigint; what: string; stored: bigint; computed: bigint }>(mismatchesSql);
    return {
      ...counts[0]!,
      mismatches: mismatches.map((row) => ({
        account_id: accountIdText(row.account_id),
        what: row.what,
        stored: toUsd(row.stored),
        computed: toUsd(row.computed),
      })),
    };
  });
}

const countsSql = `
  select (select count(*)::int from balance) as accounts, (select count(*)::float8 from ledger_entry) as entries,
    (select count(*)::int from ledger_entry h where h.kind = 'hold' and not exists (
      select 1 from ledger_entry e where e.account_id = h.account_id and e.id = h.id and e.kind in ('hold_settle', 'hold_release'))) as holds_open,
    (select count(*)::int from hold) as reservations_open`;

const mismatchesSql = `
  with e as (
    select account_id, sum(amount)::bigint as total,
      coalesce(sum(amount) filter (where kind in ('deposit', 'adjustment', 'payment_refund', 'dispute')), 0)::bigint as purchased,
      coalesce(sum(amount) filter (where kind in ('signup_credit', 'bonus', 'refund', 'earned_adjustment')), 0)::bigint as earned,
      coalesce(-sum(amount) filter (where kind = 'usage'), 0)::bigint as spent, max(seq) as last_seq
    from ledger_entry group by account_id
  ), h as (select account_id, sum(amount)::bigint as reserved from hold group by account_id),
  last as (select l.account_id, l.balance_after from e join ledger_entry l on l.account_id = e.account_id and l.seq = e.last_seq),
  compared as (
    select coalesce(b.account_id, e.account_id, h.account_id) as account_id, v.what, v.stored, v.computed
    from balance b full join e on e.account_id = b.account_id full join h on h.account_id = coalesce(b.account_id, e.account_id)
      left join last on last.account_id = coalesce(b.account_id, e.account_id),
    lateral (values
      ('balance', coalesce(b.available + b.reserved, 0), coalesce(e.total, 0)),
      ('reserved', coalesce(b.reserved, 0), coalesce(h.reserved, 0)),
      ('lifetime_purchased', coalesce(b.purchased, 0), coalesce(e.purchased, 0)),
      ('lifetime_earned', coalesce(b.earned, 0), coalesce(e.earned, 0)),
      ('lifetime_spent', coalesce(b.spent, 0), coalesce(e.spent, 0)),
      ('balance_after of the last entry', coalesce(last.balance_after, 0), coalesce(e.total, 0))
    ) v(what, stored, computed)
  ), logged as (
    select l.account_id, 'charge of request ' || l.request_id as what, l.cost as stored, coalesce(-u.amount, 0) as computed
    from usage_log l left join ledger_entry u on u.account_id = l.account_id and u.id = l.id and u.kind = 'usage'
  ), ke as (
    select account_id, key_id, coalesce(-sum(amount) filter (where kind in ('usage', 'refund', 'earned_adjustment')), 0)::bigint as spent,
      coalesce(-sum(amount) filter (where kind in ('hold', 'hold_settle', 'hold_release')), 0)::bigint as reserved
    from ledger_entry where key_id is not null group by account_id, key_id
  ), kh as (select account_id, key_id, sum(amount)::bigint as reserved from hold where key_id is not null group by account_id, key_id),
  keys as (
    select account_id, v.what || ' of key_' || key_id as what, v.stored, v.computed
    from (select account_id, key_id, spent, reserved, period_spent from key_budget) k full join ke using (account_id, key_id) full join kh using (account_id, key_id),
    lateral (values
      ('spent', coalesce(k.spent, 0), coalesce(ke.spent, 0)),
      ('reserved', coalesce(k.reserved, 0), coalesce(ke.reserved, 0) + coalesce(kh.reserved, 0)),
      -- which period it was is not kept: no period spends more than the key's life
      ('spent in a period', coalesce(k.period_spent, 0), least(coalesce(k.period_spent, 0), coalesce(ke.spent, 0)))
    ) v(what, stored, computed)
  ), mk as (
    select k.account_id, k.created_by as person_id, coalesce(sum(ke.spent), 0)::bigint as spent,
      (coalesce(sum(ke.reserved), 0) + coalesce(sum(kh.reserved), 0))::bigint as reserved
    from member_budget m join api_key k on k.account_id = m.account_id and k.created_by = m.person_id
      left join ke on ke.account_id = k.account_id and ke.key_id = k.id left join kh on kh.account_id = k.account_id and kh.key_id = k.id
    group by k.account_id, k.created_by
  ), members as (
    select m.account_id, v.what || ' by the keys of person ' || m.person_id as what, v.stored, v.computed
    from member_budget m left join mk using (account_id, person_id),
    lateral (values
      ('spent', m.spent, coalesce(mk.spent, 0)),
      ('reserved', m.reserved, coalesce(mk.reserved, 0)),
      ('spent in a period', m.period_spent, least(m.period_spent, coalesce(mk.spent, 0)))
    ) v(what, stored, computed)
  ), jobs as (
    select j.account_id, v.what || ' of job ' || j.shown_id as what, v.stored, v.computed from media_job j, lateral (
      select coalesce(-sum(e.amount) filter (where e.kind in ('hold', 'hold_settle', 'hold_release')), 0) as held,
        coalesce(-sum(e.amount) filter (where e.kind in ('usage', 'refund')), 0) as charged
      from ledger_entry e where e.account_id = j.account_id and e.id = j.id
    ) e, lateral (values
      ('hold', case when j.status in ('pending', 'processing') then j.estimated else 0 end, e.held),
      ('charge', coalesce(j.charged, 0), e.charged)
    ) v(what, stored, computed)
    union all
    select h.account_id, 'hold of no job ' || h.ref, 0, -h.amount from ledger_entry h where h.kind = 'hold'
      and not exists (select 1 from ledger_entry e where e.account_id = h.account_id and e.id = h.id and e.kind in ('hold_settle', 'hold_release'))
      and not exists (select 1 from media_job j where j.id = h.id)
  )
  select account_id, what, stored::bigint, computed::bigint
  from (select * from compared union all select * from logged union all select * from keys union all select * from members
    union all select * from jobs) m
  where stored <> computed order by account_id, what limit 1000`;

// Compares balances with the ledger at a low cost, however large it is: a slice of the accounts at a time, plus those with calls in flight. Each
// entry carries the balance after it, so an account costs three lookups; `svc ledger audit` recomputes everything.

interface ParityLook {
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
