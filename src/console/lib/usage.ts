// The sums of usage in a range, by what they are grouped by: rows of the API, and their total.
import { queryOptions } from "@tanstack/react-query";
import { getUsageSummary } from "svc-sdk/functions";
import type { UsageFigures, UsageGroup, UsageSummaryRow } from "svc-sdk/types";
import { api } from "./api.ts";
import { type Preset, type Range, rangeOf, type RangeSearch } from "./range.ts";
import { zoneName } from "./time.ts";

export interface Usage {
  range: Range;
  /** By time, and by group unless there are too many. */
  rows: UsageSummaryRow[];
  /** With too many groups for `rows`: those with the highest cost, each over the whole range. */
  largest: UsageSummaryRow[] | null;
  total: UsageFigures;
}

/** Of a thousand rows each. */
const mostPages = 5;

export function usageQueryOf(range: Range, group: UsageGroup | null) {
  return {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    bucket: range.bucket,
    timezone: zoneName,
    ...(group === null ? {} : { group_by: [group] }),
  };
}

export async function readUsage(range: Range, group: UsageGroup | null): Promise<Usage> {
  const query = usageQueryOf(range, group);
  const first = await getUsageSummary(api, query);
  const rows = [...first.data];
  let page = first;
  for (let read = 1; page.has_more && page.last_id !== null && read < mostPages; read += 1) {
    page = await getUsageSummary(api, { ...query, after: page.last_id });
    rows.push(...page.data);
  }
  if (!page.has_more) return { range, rows, largest: null, total: first.total };
  const [together, largest] = await Promise.all([
    getUsageSummary(api, usageQueryOf(range, null)),
    getUsageSummary(api, { ...query, bucket: "all", order: "cost" }),
  ]);
  return { range, rows: together.data, largest: largest.data, total: together.total };
}

/** What Home shows where its address says no other range. */
export const homePreset: Preset = "7d";

export function spendQuery({ range, from, to }: RangeSearch) {
  const search = { range, from, to } as RangeSearch;
  return queryOptions({ queryKey: ["usage", "home", search], queryFn: () => readUsage(rangeOf(search, homePreset), null) });
}

/** The time before the range, as long as it. */
export function rangeBefore({ from, to, bucket }: Range): Range {
  return { from: new Date(2 * from.getTime() - to.getTime()), to: from, bucket, starts: [] };
}

type Sum = Pick<
  UsageFigures,
  "requests" | "errors" | "prompt_tokens" | "cached_tokens" | "cache_write_tokens" | "completion_tokens" | "reasoning_tokens" | "cost_usd"
>;
export type SumName = keyof Sum;

export const noSum: Sum = {
  ...{ requests: 0, errors: 0, prompt_tokens: 0, cached_tokens: 0, cache_write_tokens: 0 },
  ...{ completion_tokens: 0, reasoning_tokens: 0, cost_usd: 0 },
};

/** Exact: money is added in the ledger's unit. */
export function addUp(rows: readonly Sum[]): Sum {
  const sum = { ...noSum };
  let units = 0;
  for (const row of rows) {
    for (const name of Object.keys(noSum) as SumName[]) if (name !== "cost_usd") sum[name] += row[name];
    units += Math.round(row.cost_usd * 1e8);
  }
  return { ...sum, cost_usd: units / 1e8 };
}
