// What the gateway sold in a time, what that cost and how it went: over all accounts, from the sums of the usage log, the log where these have
// nothing yet (src/db/functions/usage_roll_up.sql), and the ledger.
import type { components } from "../../generated/api.d.ts";
import { type Db, inSnapshot, type Queries } from "../db/connect.ts";
import { readBesideCalls, type ReportRow, sumOf } from "../ledger/report.ts";
import { besideSums, ceilQuarter, floorQuarter, piecesOf, readAdded, type Span, sumsWithin } from "../ledger/summary/periods.ts";
import { readSummary } from "../ledger/summary/read-summary.ts";
import { percentilesOf } from "../ledger/summary/show-summary.ts";
import { type Amount, toUsd } from "../money.ts";

type Overview = components["schemas"]["Overview"];

interface Fact {
  kind: "error" | "provider" | "route";
  name: string;
  calls: bigint;
  failures: bigint;
  cost: Amount | null;
}

const [errorsMax, providersMax] = [20, 100];

export async function readOverview(db: Db, from: Date, to: Date): Promise<Overview> {
  return inSnapshot(db, async (queries) => {
    const span = { from, to };
    const buckets = [{ start: from, since: floorQuarter(from) }];
    const { total } = await readSummary(queries, { accountId: null, span, buckets, groups: [], filter: {}, limit: 0 });
    const sources = await sourcesOf(queries, span);
    const facts = await readFacts(queries, sources);
    const { requests, cost: charged, unmatched: lacking, expense } = total;
    const isPartial = requests > 0n && expense === null;
    const calls: ReportRow = { name: null, requests, revenue: charged, unmatched: lacking, cost: expense, isPartial };
    const { revenue, unmatched, cost, margin } = sumOf([calls, ...(await readBesideCalls(queries, span))]);
    const [p50, p95] = percentilesOf(total.latency, [0.5, 0.95]);
    return {
      object: "operator.overview",
      from: from.toISOString(),
      to: to.toISOString(),
      calls: Number(requests),
      failed: Number(total.errors),
      active_accounts: await countActive(queries, sources),
      revenue_usd: toUsd(revenue),
      cost_usd: cost === null ? null : toUsd(cost),
      margin_usd: margin === null ? null : toUsd(margin),
      revenue_without_cost_usd: toUsd(unmatched),
      latency_p50_ms: p50!,
      latency_p95_ms: p95!,
      ...shown(facts),
    };
  });
}

/** The most frequent first. */
function shown(facts: readonly Fact[]): Pick<Overview, "errors" | "providers"> {
  const of = (kind: Fact["kind"], most: number) => facts.filter((fact) => fact.kind === kind).slice(0, most);
  return {
    errors: of("error", errorsMax).map(({ name, calls }) => ({ code: name, calls: Number(calls) })),
    providers: of("provider", providersMax).map(({ name, calls, failures, cost }) => ({
      ...{ provider: name, attempts: Number(calls), failures: Number(failures) },
      cost_usd: cost === null ? null : toUsd(cost),
    })),
  };
}

/** Whole quarters of an hour that have sums over all accounts are read there, and the rest of the span in the log. */
interface Sources {
  values: unknown[];
  /** Relations over these values. */
  periods: string;
  log: string;
}

async function sourcesOf(snapshot: Queries, { from, to }: Span, begins: "wholeSince" | "routesSince" = "wholeSince"): Promise<Sources> {
  const added = await readAdded(snapshot);
  const since = new Date(Math.max(ceilQuarter(from).getTime(), Number(added[begins] ?? Infinity)));
  const last = floorQuarter(to);
  const [first, end] = since < last ? [since, last] : [to, to];
  const pieces = piecesOf([{ start: first, since: first }], { from: first, to: end });
  const times = {
    ...{ since: "$1::timestamptz", wholeSince: "$2::timestamptz", wholeUntil: "$3::timestamptz", until: "$4::timestamptz" },
    addedUntil: "$8::timestamptz",
  };
  return {
    values: [from, first, end, to, pieces.map((p) => p.minutes), pieces.map((p) => p.since), pieces.map((p) => p.before), added.until],
    periods: "select * from unnest($5::int[], $6::timestamptz[], $7::timestamptz[]) p(span, since, before)",
    log: besideSums(
      times,
      added,
      (rows, _of, within) => `select l.account_id, l.error_code, l.attempts, l.cost from ${rows} where ${within}`,
    ),
  };
}

/** The most frequent first. */
async function readFacts({ pool }: Queries, { values, periods, log }: Sources): Promise<Fact[]> {
  const { rows } = await pool.query<Fact>(
    `with period as (${periods}), log_row as (${log})
     select kind, name, sum(calls)::bigint as calls, sum(failures)::bigint as failures, sum(cost)::bigint as cost from (
       select r.kind, r.name, r.calls, r.failures, r.cost from period p cross join ${sumsWithin("usage_fact")}
       union all
       select f.* from log_row l cross join usage_facts(l.error_code, l.attempts) f
     ) fact group by 1, 2 order by 3 desc, 2`,
    values,
  );
  return rows;
}

/** By route, what its calls brought in and what all its attempts cost; some routes in two rows. */
export async function readRouteMoney(db: Db, span: Span): Promise<ReportRow[]> {
  return inSnapshot(db, async (queries) => {
    const { values, periods, log } = await sourcesOf(queries, span, "routesSince");
    const { rows } = await queries.pool.query<ReportRow>(
      `with period as (${periods}), log_row as (${log})
       select name, sum(requests)::bigint as requests, sum(revenue)::bigint as revenue, sum(unmatched)::bigint as unmatched, sum(cost)::bigint as cost,
         bool_or(is_asked and cost is null) as "isPartial"
       from (
         select r.route, r.requests, r.cost, r.unmatched, null::bigint, false
         from period p cross join ${sumsWithin("usage_total")}
         union all
         select attempts -> -1 ->> 'route', 1, cost, case when usage_lacks_cost(attempts) then cost else 0 end, null, false from log_row
         union all
         select r.name, 0, 0, 0, r.cost, true from period p cross join ${sumsWithin("usage_fact", { where: "r.kind = 'route'" })}
         union all
         select f.name, 0, 0, 0, f.cost, true from log_row cross join usage_facts(null, attempts) f where f.kind = 'route'
       ) part(name, requests, revenue, unmatched, cost, is_asked) group by 1`,
      values,
    );
    return [...rows, ...(await readBesideCalls(queries, span, "route"))];
  });
}

/** Hours and days have a bit for each account; of the rest, the accounts that have none there are counted. */
async function countActive({ pool }: Queries, { values, periods, log }: Sources): Promise<number> {
  const { rows } = await pool.query<{ active: bigint }>(
    `with period as (${periods}), marked as materialized (
       select r.block, bit_or(r.accounts) as accounts from period p cross join ${sumsWithin("usage_active")} group by 1
     ), beside as (
       select r.account_id from period p cross join ${sumsWithin("usage_rollup", { where: "p.span = 15 and r.tag_hash = usage_tag_hash(null)" })}
       union select account_id from (${log}) l
     )
     select (select coalesce(sum(bit_count(accounts)), 0) from marked)::bigint
       + (select count(*) from beside left join marked on block = account_id / 32768
          where accounts is null or get_bit(accounts, (account_id % 32768)::int) = 0) as active`,
    values,
  );
  return Number(rows[0]!.active);
}
