// What calls brought in and what they cost the operator in a month, grouped. The sums agree with the ledger to the unit: a call counts when
// it came, a refund when it was given, work that came too late when it was found (docs/behaviour/billing.md#reports).
import type { Queries } from "../db/connect.ts";
import type { Amount } from "../money.ts";

export const reportGroups = ["account", "model", "route", "provider", "key", "day"] as const;
export type ReportGroup = (typeof reportGroups)[number];

interface Known {
  requests: bigint;
  /** Charges less refunds. */
  revenue: Amount;
  /** Of it, what calls brought in whose last route names no cost. */
  unmatched: Amount;
  /** Null: no cost is known. */
  cost: Amount | null;
  /** Some call had such a route. */
  isPartial: boolean;
}

export interface ReportRow extends Known {
  /** Null: a session instead of a key; a call without an attempt has no route; a refund's call may have left the log. */
  name: string | null;
}

interface ReportSum extends Pick<Known, "requests" | "revenue" | "unmatched" | "cost"> {
  /** Null: the cost is unknown. Revenue whose cost is unknown is left out. */
  margin: Amount | null;
}

/** Where something was asked and no route names a cost, it is unknown; where nothing was asked, it is nothing. */
export function sumOf(rows: readonly ReportRow[]): ReportSum {
  const sum = rows.reduce<Known>(
    (one, other) => ({
      requests: one.requests + other.requests,
      revenue: one.revenue + other.revenue,
      unmatched: one.unmatched + other.unmatched,
      cost: one.cost === null ? other.cost : one.cost + (other.cost ?? 0n),
      isPartial: one.isPartial || other.isPartial,
    }),
    { requests: 0n, revenue: 0n, unmatched: 0n, cost: null, isPartial: false },
  );
  const { requests, revenue, unmatched, isPartial } = sum;
  const cost = sum.cost ?? (isPartial ? null : 0n);
  return { requests, revenue, unmatched, cost, margin: cost === null ? null : revenue - unmatched - cost };
}

/** One statement, so that all of it is of one moment. */
export async function readReport(db: Queries, group: ReportGroup, { from, to }: { from: Date; to: Date }): Promise<ReportRow[]> {
  const { rows } = await db.pool.query<ReportRow>(summed(factsOf(group), names[group]), [from, to]);
  return rows;
}

/** What changed these days' sums and was no call of theirs: refunds, and work that came too late. `group` null: in one row. No row: nothing did. */
export async function readBesideCalls(
  db: Queries,
  { from, to }: { from: Date; to: Date },
  group: ReportGroup | null = null,
): Promise<ReportRow[]> {
  const { rows } = await db.pool.query<ReportRow>(summed([refunds, lateWork].join(" union all "), group === null ? "null" : names[group]), [
    from,
    to,
  ]);
  return rows;
}

const summed = (facts: string, name: string) => `
  with facts(account_id, key_id, model, route, at, requests, revenue, cost, lacks_cost) as (${facts})
  select ${name} as name, sum(requests)::bigint as requests, sum(revenue)::bigint as revenue,
    coalesce(sum(revenue) filter (where lacks_cost), 0)::bigint as unmatched, sum(cost)::bigint as cost, bool_or(lacks_cost) as "isPartial"
  from facts group by 1 order by 1`;

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

/** Of a call's last attempt, which has its charge: its route named no cost. */
const lacksCost = (attempts: string) => `usage_lacks_cost(${attempts})`;

const callsAlone = `
  select account_id, key_id, model, null as route, created_at as at, 1 as requests, cost as revenue,
    case when attempts = '[]' then 0 else expense end as cost, ${lacksCost("attempts")} as lacks_cost
  from usage_log where created_at >= $1 and created_at < $2`;

/** Each attempt has its own cost; the last one has the call and its charge. */
const callsByAttempt = `
  select l.account_id, l.key_id, l.model, a.value ->> 'route' as route, l.created_at as at,
    case when a.n = jsonb_array_length(l.attempts) or a.n is null then 1 else 0 end as requests,
    case when a.n = jsonb_array_length(l.attempts) or a.n is null then l.cost else 0 end as revenue,
    case when a.value is null then 0 else (a.value ->> 'cost')::bigint end as cost, coalesce(not a.value ? 'cost', false) as lacks_cost
  from usage_log l left join lateral jsonb_array_elements(l.attempts) with ordinality a(value, n) on true
  where l.created_at >= $1 and l.created_at < $2`;

/** And corrections of refunds. The id of a call, which its refund has, holds its time (UUID version 7): one month of the log is searched. */
const refunds = `
  select e.account_id, e.key_id, l.model, l.attempts -> -1 ->> 'route', e.created_at, 0, -e.amount, null, ${lacksCost("l.attempts")}
  from ledger_entry e
  left join ledger_entry r on r.account_id = e.account_id and r.seq = e.corrects and r.kind = 'refund' and e.kind = 'earned_adjustment'
  cross join lateral (select coalesce(r.id, e.id) as id) call
  cross join lateral (select to_timestamp(('x' || translate(left(call.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) as time) made
  left join usage_log l on l.account_id = e.account_id and l.id = call.id
    and l.created_at between made.time - interval '1 day' and made.time + interval '1 day'
  where e.kind in ('refund', 'earned_adjustment') and (e.kind = 'refund' or r.id is not null) and e.created_at >= $1 and e.created_at < $2`;

const lateWork = `
  select x.account_id, j.key_id, j.model, x.route, x.at, 0, 0, x.amount, false
  from media_expense x join media_job j on j.id = x.job_id where x.at >= $1 and x.at < $2`;

/** Accounts that owe money appear even in a month in which they called nothing. */
const overdrawn = `
  select account_id, null, null, null, null, 0, 0, null, false from balance where available + reserved < 0`;
