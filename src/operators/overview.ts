// What the gateway sold in a time, what that cost and how it went: over all accounts, from the usage log and the ledger.
import type { components } from "../../generated/api.d.ts";
import { type Db, inSnapshot } from "../db/connect.ts";
import { readReport, sumOf } from "../ledger/report.ts";
import { type Amount, toUsd } from "../money.ts";

interface Sums {
  calls: bigint;
  failed: bigint;
  accounts: bigint;
  p50: number | null;
  p95: number | null;
}

export async function readOverview(db: Db, from: Date, to: Date): Promise<components["schemas"]["Overview"]> {
  return inSnapshot(db, async (queries) => {
    const { pool } = queries;
    const span = [from, to];
    const { rows: sums } = await pool.query<Sums>(sumsSql, span);
    const { revenue, unmatched, cost, margin } = sumOf(await readReport(queries, "day", { from, to }));
    const { rows: codes } = await pool.query<{ code: string; calls: bigint }>(errorsSql, span);
    const { rows: providers } = await pool.query<{ provider: string; attempts: bigint; failures: bigint; cost: Amount | null }>(
      providersSql,
      span,
    );
    const { calls, failed, accounts, p50, p95 } = sums[0]!;
    return {
      object: "operator.overview",
      from: from.toISOString(),
      to: to.toISOString(),
      calls: Number(calls),
      failed: Number(failed),
      active_accounts: Number(accounts),
      revenue_usd: toUsd(revenue),
      cost_usd: cost === null ? null : toUsd(cost),
      margin_usd: margin === null ? null : toUsd(margin),
      revenue_without_cost_usd: toUsd(unmatched),
      latency_p50_ms: p50,
      latency_p95_ms: p95,
      errors: codes.map((row) => ({ code: row.code, calls: Number(row.calls) })),
      providers: providers.map((row) => ({
        provider: row.provider,
        attempts: Number(row.attempts),
        failures: Number(row.failures),
        cost_usd: row.cost === null ? null : toUsd(row.cost),
      })),
    };
  });
}

const within = "created_at >= $1 and created_at < $2";

const sumsSql = `
  select count(*) as calls, count(*) filter (where status = 'failed') as failed, count(distinct account_id) as accounts,
    percentile_disc(0.5) within group (order by latency_ms) as p50, percentile_disc(0.95) within group (order by latency_ms) as p95
  from usage_log where ${within}`;

const errorsSql = `
  select error_code as code, count(*) as calls from usage_log where ${within} and error_code is not null
  group by 1 order by 2 desc, 1 limit 20`;

/** What says nothing of the provider is left out: it was not asked, the client disconnected, or the gateway was at fault. */
const providersSql = `
  select split_part(a ->> 'route', '/', 1) as provider, count(*) as attempts,
    count(*) filter (where a ->> 'outcome' not in ('ok', 'rejected', 'refused')) as failures,
    sum((a ->> 'cost')::bigint)::bigint as cost
  from usage_log l, jsonb_array_elements(l.attempts) a
  where l.created_at >= $1 and l.created_at < $2
    and a ->> 'outcome' not in ('breaker_open', 'aborted', 'gateway_error', 'local_overload')
  group by 1 order by 2 desc, 1 limit 100`;
