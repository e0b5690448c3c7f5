// The sums of all accounts' requests in a range: rows of the API, all pages of them up to a bound, and what they add up to.
import { getOperatorUsageSummary } from "svc-sdk/operator";
import type { OperatorUsageFigures, OperatorUsageGroup, OperatorUsageSummaryRow } from "svc-sdk/types";
import { api } from "../lib/api.ts";
import type { Bucket, Range } from "../lib/range.ts";
import { zoneName } from "../lib/time.ts";

interface OperatorUsage {
  rows: OperatorUsageSummaryRow[];
  /** Of all requests, also of rows that were not read. */
  total: OperatorUsageFigures;
  /** Whether every row was read. */
  whole: boolean;
}

/** Of a thousand rows each; what is beyond is left out, and the page says so. */
const mostPages = 5;

export async function readOperatorUsage(range: Range, bucket: Bucket, group?: OperatorUsageGroup): Promise<OperatorUsage> {
  const query = {
    ...{ from: range.from.toISOString(), to: range.to.toISOString(), bucket, timezone: zoneName },
    ...(group === undefined ? {} : { group_by: [group] }),
  };
  let page = await getOperatorUsageSummary(api, query);
  const { total } = page;
  const rows = [...page.data];
  for (let read = 1; page.has_more && page.last_id !== null && read < mostPages; read += 1) {
    page = await getOperatorUsageSummary(api, { ...query, after: page.last_id });
    rows.push(...page.data);
  }
  return { rows, total, whole: !page.has_more };
}

export interface Earnings {
  requests: number;
  errors: number;
  charged: number;
  /** Null: no route names its cost. */
  cost: number | null;
  margin: number | null;
  /** Of `charged`, what no route names the cost of. */
  unmatched: number;
}

type Figures = Pick<
  OperatorUsageFigures,
  "requests" | "errors" | "cost_usd" | "provider_cost_usd" | "margin_usd" | "revenue_without_cost_usd"
>;

export const earningsOf = ({ requests, errors, cost_usd, provider_cost_usd, margin_usd, revenue_without_cost_usd }: Figures): Earnings => ({
  ...{ requests, errors, charged: cost_usd, cost: provider_cost_usd, margin: margin_usd, unmatched: revenue_without_cost_usd },
});

/** Exact: money is added in the ledger's unit. */
export function addEarnings(rows: readonly Figures[]): Earnings {
  const money = (amounts: readonly (number | null)[]) => {
    const known = amounts.filter((amount) => amount !== null);
    return known.length === 0 ? null : known.reduce((sum, amount) => sum + Math.round(amount * 1e8), 0) / 1e8;
  };
  return {
    requests: rows.reduce((sum, row) => sum + row.requests, 0),
    errors: rows.reduce((sum, row) => sum + row.errors, 0),
    charged: money(rows.map((row) => row.cost_usd)) ?? 0,
    cost: money(rows.map((row) => row.provider_cost_usd)),
    margin: money(rows.map((row) => row.margin_usd)),
    unmatched: money(rows.map((row) => row.revenue_without_cost_usd)) ?? 0,
  };
}
