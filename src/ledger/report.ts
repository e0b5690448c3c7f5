// What a month's calls brought in and what they cost the operator, grouped. The sums agree with the ledger to the unit: a call counts when it
// came, a refund when it was given, work that came too late when it was found (docs/behaviour/billing.md#reports).
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

export const reportGroups = ["account", "model", "route", "provider", "key", "day"] as const;
export type ReportGroup = (typeof reportGroups)[number];

export interface ReportRow {
  /** Null: a session instead of a key; a call without an attempt has no route; a refund's call may have left the log. */
  name: string | null;
  requests: bigint;
  /** Charges less refunds. */
  revenue: Amount;
  cost: Amount;
}

/** One statement, so that all of it is of one moment. */
export async function readReport(db: Queries, group: ReportGroup, { from, to }: { from: Date; to: Date }): Promise<ReportRow[]> {
  const { rows } = await db.pool.query<ReportRow>(
    `with facts as (${factsOf(group)})
     select ${names[group]} as name, sum(requests)::bigint as requests, sum(revenue)::bigint as revenue, sum(cost)::bigint as cost
     from facts group by 1 order by 1`,
    [from, to],
  );
  return rows;
}

/** Model and key of a call; its route is the last one that was asked, which answered if any did. */
const names: Record<ReportGroup, string> = {
  account: "account_id::text",
  model: "model",
  route: "route",
  provider: "split_part(route, '/', 1)",
  key: "key_id::text",
  day: "to_char(at at time zone 'utc', 'YYYY-MM-DD')",
};

function factsOf(group: ReportGroup): string {
  const calls = group === "route" || group === "provider" ? callsByAttempt : callsAlone;
  return [calls, refunds, lateWork, ...(group === "account" ? [overdrawn] : [])].join(" union all ");
}

const callsAlone = `
  select account_id, key_id, model, null as route, created_at as at, 1 as requests, cost as revenue, coalesce(expense, 0) as cost
  from usage_log where created_at >= $1 and created_at < $2`;

/** Each attempt has its own cost; the last one has the call and its charge. */
const callsByAttempt = `
  select l.account_id, l.key_id, l.model, a.value ->> 'route' as route, l.created_at as at,
    case when a.n = jsonb_array_length(l.attempts) or a.n is null then 1 else 0 end as requests,
    case when a.n = jsonb_array_length(l.attempts) or a.n is null then l.cost else 0 end as revenue,
    coalesce((a.value ->> 'cost')::bigint, 0) as cost
  from usage_log l left join lateral jsonb_array_elements(l.attempts) with ordinality a(value, n) on true
  where l.created_at >= $1 and l.created_at < $2`;

/** And corrections of refunds. The id of a call, which its refund has, holds its time (UUID version 7): one month of the log is searched. */
const refunds = `
  select e.account_id, e.key_id, l.model, l.attempts -> -1 ->> 'route', e.created_at, 0, -e.amount, 0
  from ledger_entry e
  left join ledger_entry r on r.account_id = e.account_id and r.seq = e.corrects and r.kind = 'refund' and e.kind = 'earned_adjustment'
  cross join lateral (select coalesce(r.id, e.id) as id) call
  cross join lateral (select to_timestamp(('x' || translate(left(call.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) as time) made
  left join usage_log l on l.account_id = e.account_id and l.id = call.id
    and l.created_at between made.time - interval '1 day' and made.time + interval '1 day'
  where e.kind <> 'usage' and (e.kind = 'refund' or r.id is not null) and e.created_at >= $1 and e.created_at < $2`;

const lateWork = `
  select x.account_id, j.key_id, j.model, x.route, x.at, 0, 0, x.amount
  from media_expense x join media_job j on j.id = x.job_id where x.at >= $1 and x.at < $2`;

/** Accounts that owe money appear even in a month in which they called nothing. */
const overdrawn = `
  select account_id, null, null, null, null, 0, 0, 0 from balance where available + reserved < 0`;
