// The sums of all accounts' requests in a range, and what they say of earnings.
import { getOperatorUsageSummary } from "svc-sdk/operator";
import type { OperatorUsageFigures, OperatorUsageSummary } from "svc-sdk/types";
import { api } from "../lib/api.ts";
import type { Range } from "../lib/range.ts";
import { zoneName } from "../lib/time.ts";

type Query = NonNullable<Parameters<typeof getOperatorUsageSummary>[1]>;

export function readOperatorUsage(
  { from, to }: Range,
  how: Pick<Query, "bucket" | "order" | "group_by" | "limit">,
): Promise<OperatorUsageSummary> {
  return getOperatorUsageSummary(api, { from: from.toISOString(), to: to.toISOString(), timezone: zoneName, ...how });
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
