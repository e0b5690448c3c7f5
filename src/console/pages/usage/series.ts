// Rows of the API as what is shown: a series for each group, largest first, and one for what is beyond the most that a chart can tell apart.
import type { UsageGroup, UsageSummaryRow } from "svc-sdk/types";
import type { Range } from "../../lib/range.ts";
import type { noSum } from "../../lib/usage.ts";
import { addUp, type SumName, type Usage } from "../../lib/usage.ts";

export interface Series {
  id: string;
  name: string;
  sum: typeof noSum;
  /** The metric in each hour, day or month; empty with too many groups for it. */
  values: number[];
}

/** How many a chart shows beside "Other". */
const mostSeries = 8;

/** What a key or a member is called, where it is known. */
type NameOf = (id: string) => string | undefined;

export function seriesOf({ range, rows, largest }: Usage, group: UsageGroup, field: SumName, named: NameOf): Series[] {
  const grouped = new Map<string, UsageSummaryRow[]>();
  for (const row of largest ?? rows) {
    const id = row[group] ?? "";
    grouped.set(id, [...(grouped.get(id) ?? []), row]);
  }
  const made = [...grouped].map(([id, own]) => ({
    id,
    name: nameOf(group, id, named),
    sum: addUp(own),
    values: largest === null ? valuesOf(range, own, field) : [],
  }));
  return made.sort((one, other) => other.sum[field] - one.sum[field] || one.name.localeCompare(other.name));
}

function nameOf(group: UsageGroup, id: string, named: NameOf): string {
  if (group === "status") return id === "success" ? "Success" : "Failed";
  if (group === "member") return id === "" ? "No member" : (named(id) ?? `Former member ${id}`);
  if (group !== "key") return id;
  return id === "" ? "Session" : (named(id) ?? `Deleted key ${id}`);
}

/** The metric in each hour, day or month; null where no request had one. */
export function valuesOf(range: Range, rows: readonly UsageSummaryRow[], field: SumName): number[] {
  const found = range.starts.map(() => [] as UsageSummaryRow[]);
  for (const row of rows) found[placeOf(range, row)]?.push(row);
  return found.map((own) => addUp(own)[field]);
}

/** The first one may begin before the range. */
export function placeOf({ starts }: Range, { start }: UsageSummaryRow): number {
  return Math.max(
    0,
    starts.findLastIndex((at) => at.getTime() <= new Date(start).getTime()),
  );
}

/** The largest, and the rest as one. */
export function withOther(series: readonly Series[]): Series[] {
  if (series.length <= mostSeries + 1) return [...series];
  const rest = series.slice(mostSeries);
  const values = (rest[0] as Series).values.map((_, index) => rest.reduce((sum, one) => sum + (one.values[index] ?? 0), 0));
  return [
    ...series.slice(0, mostSeries),
    { id: "\0other", name: `Other (${rest.length})`, sum: addUp(rest.map(({ sum }) => sum)), values },
  ];
}
