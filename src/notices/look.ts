// Finds low balances, budgets that are used up and keys that expire soon: statements over a bounded part of a table by its index, so that a
// call pays nothing for them. Each writes its notices and what it remembers of them in one statement, so that many processes at once write one.
import type { Queries } from "../db/connect.ts";
import { type EventName, lowBalance } from "./events.ts";

/** Rows a statement. */
const part = 10_000;

type Look = (queries: Queries, at: Date, after: bigint, most: number) => Promise<{ last: bigint | null }>;

export async function lookForCauses(queries: Queries, at: Date, most = part): Promise<void> {
  for (const look of [lookAtBalances, lookAtBudgets(ofKeys), lookAtBudgets(ofMembers)]) {
    for (let after: bigint | null = 0n; after !== null;) ({ last: after } = await look(queries, at, after, most));
  }
  await lookAtExpiries(queries, at, most);
}

/** A balance below its threshold is told where it was seen at or above it before. */
const lookAtBalances: Look = async ({ pool }, at, after, most) => {
  const { rows } = await pool.query<{ last: bigint | null }>(balancesSql, [after, most, at, lowBalance]);
  return rows[0]!;
};

/** Of the armed, as many after the same account are all that the part can have: unbounded, each part would read all of them. */
const balancesSql = `
  with part as materialized (
    select b.account_id, b.available + b.reserved as balance, case when p.account_id is null then $4::bigint else p.low_balance end as threshold,
      a.account_id is not null as armed
    from (select account_id, available, reserved from balance where account_id > $1 order by account_id limit $2::bigint) b
    left join notice_preference p on p.account_id = b.account_id
    left join (select account_id from balance_armed where account_id > $1 order by account_id limit $2::bigint) a on a.account_id = b.account_id
  ), armed as (
    insert into balance_armed select account_id, $3::timestamptz from part where not armed and balance >= threshold on conflict do nothing
  ), crossed as (
    delete from balance_armed a using part where part.account_id = a.account_id and part.armed and part.balance < part.threshold
    returning a.account_id, a.armed_at, part.balance, part.threshold
  ), noted as (
    insert into notice (account_id, id, event, cause, data, created_at)
    select account_id, gen_random_uuid(), 'balance.low', 'balance.low:' || extract(epoch from armed_at),
      jsonb_build_object('balance_usd', trim_scale(balance / 1e8), 'threshold_usd', trim_scale(threshold / 1e8)), $3::timestamptz
    from crossed on conflict (account_id, cause) do nothing
  )
  select case when count(*) = $2::bigint then max(account_id) end as last from part`;

/** Budgets that are looked at alike. */
interface Budgets {
  table: string;
  told: string;
  /** Whose budget it is, beside the account. */
  owner: string;
  /** What parts follow: a column by which an index has the budgets. */
  order: string;
  event: EventName;
  /** Joins what a notice says of the owner of the budget `r`. */
  about: string;
  says: string;
}

const ofKeys: Budgets = {
  ...{ table: "key_budget", told: "budget_told", owner: "key_id", order: "key_id", event: "key.budget_reached" },
  about: "join api_key k on k.id = r.key_id and k.deleted_at is null",
  says: "'key_id', 'key_' || r.key_id, 'key_name', k.name",
};

/** Of a member the id alone: a notice outlives the address of who deletes the own account. */
const ofMembers: Budgets = {
  ...{ table: "member_budget", told: "member_budget_told", owner: "person_id", order: "account_id", event: "member.budget_reached" },
  about: "join account p on p.id = r.person_id and p.deleted_at is null",
  says: "'member_id', 'usr_' || replace(p.user_id::text, '-', '')",
};

/** The highest share that is reached, once for each limit and period. A period that is over has nothing spent. */
function lookAtBudgets(budgets: Budgets): Look {
  const sql = budgetsSql(budgets);
  return async ({ pool }, at, after, most) => (await pool.query<{ last: bigint | null }>(sql, [after, most, at])).rows[0]!;
}

/** A part ends with all budgets of an account, which has no more than the members that it set one for. */
const budgetsSql = ({ table, told, owner, order, event, about, says }: Budgets) => `
  with part as materialized (
    select account_id, ${owner}, limit_amount, spent, period, period_limit, period_ends,
      case when period_ends > $3 then period_spent else 0 end as period_spent
    from ${table} where ${order} > $1 and (limit_amount is not null or period_limit is not null)
    order by ${order} fetch first ($2::bigint) rows with ties
  ), span as (
    select account_id, ${owner}, 'life' as span, limit_amount as most, spent, null::timestamptz as period_ends from part where limit_amount > 0
    union all
    select account_id, ${owner}, 'period', period_limit, period_spent, period_ends from part where period is not null and period_limit > 0
  ), reached as (
    select s.*, p.percent from span s
    join lateral (select case when spent >= most then 100 when spent * 5 >= most::numeric * 4 then 80 else 50 end as percent) p on true
    left join ${told} t on t.account_id = s.account_id and t.${owner} = s.${owner} and t.span = s.span
    where spent * 2::numeric >= most
      and (t.${owner} is null or t.limit_amount <> most or t.period_ends is distinct from s.period_ends or t.percent < p.percent)
  ), told as (
    insert into ${told} as t (account_id, ${owner}, span, limit_amount, period_ends, percent)
    select account_id, ${owner}, span, most, period_ends, percent from reached order by account_id, ${owner}, span
    on conflict (account_id, ${owner}, span) do update
      set limit_amount = excluded.limit_amount, period_ends = excluded.period_ends, percent = excluded.percent
      where t.limit_amount <> excluded.limit_amount or t.period_ends is distinct from excluded.period_ends or t.percent < excluded.percent
    returning account_id, ${owner}, span, percent
  ), noted as (
    insert into notice (account_id, id, event, cause, data, created_at)
    select r.account_id, gen_random_uuid(), '${event}',
      concat_ws(':', '${event}', r.${owner}, r.span, r.most, extract(epoch from r.period_ends), r.percent),
      jsonb_build_object(${says}, 'percent', r.percent, 'spent_usd', trim_scale(r.spent / 1e8),
        'limit_usd', trim_scale(r.most / 1e8), 'period_ends', to_char(r.period_ends at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), $3::timestamptz
    from told join reached r using (account_id, ${owner}, span) ${about}
    on conflict (account_id, cause) do nothing
  )
  select case when count(*) >= $2::bigint then max(${order}) end as last from part`;

/** Seven days before, and one; a key that was made for less is not told of the longer one. */
async function lookAtExpiries({ pool }: Queries, at: Date, most: number): Promise<void> {
  await pool.query(expiriesSql, [at, most]);
}

const expiriesSql = `
  insert into notice (account_id, id, event, cause, data, created_at)
  select k.account_id, gen_random_uuid(), 'key.expiring', w.cause,
    jsonb_build_object('key_id', 'key_' || k.id, 'key_name', k.name,
      'expires_at', to_char(k.expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')), $1::timestamptz
  from api_key k
  join lateral (
    select case when k.expires_at <= $1::timestamptz + interval '1 day' then 1 else 7 end as days
  ) d on true
  join lateral (select concat_ws(':', 'key.expiring', k.id, extract(epoch from k.expires_at), d.days) as cause) w on true
  where k.deleted_at is null and k.enabled and k.expires_at > $1 and k.expires_at <= $1::timestamptz + interval '7 days'
    and k.created_at < k.expires_at - make_interval(days => d.days)
    and not exists (select 1 from notice n where n.account_id = k.account_id and n.cause = w.cause)
  order by k.expires_at limit $2::bigint
  on conflict (account_id, cause) do nothing`;
