// What the page can measure and group by, and how the address says it.
import type { UsageFigures, UsageGroup } from "svc-sdk/types";
import { count, usd, usdShort } from "../../lib/money.ts";
import type { RangeSearch } from "../../lib/range.ts";
import { duration } from "../../lib/time.ts";
import type { SumName } from "../../lib/usage.ts";

export type UsageSearch = RangeSearch & Partial<Record<"metric" | "group" | "compare" | "live", string>>;

interface Metric<Name extends string> {
  label: string;
  field: Name;
  /** All digits. */
  text: (value: number | null) => string;
  /** As the headline says it. */
  short: (value: number | null) => string;
}

type DurationName = Extract<keyof UsageFigures, `${string}_ms`>;

/** These are added up; durations are not. */
const sums: Record<string, Metric<SumName>> = {
  cost: { label: "Spend (USD)", field: "cost_usd", text: usd, short: usdShort },
  requests: { label: "Requests", field: "requests", text: count, short: count },
  errors: { label: "Errors", field: "errors", text: count, short: count },
  input: { label: "Input tokens", field: "prompt_tokens", text: count, short: count },
  cached: { label: "Cached input tokens", field: "cached_tokens", text: count, short: count },
  output: { label: "Output tokens", field: "completion_tokens", text: count, short: count },
  reasoning: { label: "Reasoning tokens", field: "reasoning_tokens", text: count, short: count },
};
const durations: Record<string, Metric<DurationName>> = {
  latency: { label: "Duration, median", field: "latency_p50_ms", text: duration, short: duration },
  latency95: { label: "Duration, 95 %", field: "latency_p95_ms", text: duration, short: duration },
  ttft: { label: "First token, median", field: "ttft_p50_ms", text: duration, short: duration },
  ttft95: { label: "First token, 95 %", field: "ttft_p95_ms", text: duration, short: duration },
};

export type Chosen = ({ added: true } & Metric<SumName>) | ({ added: false } & Metric<DurationName>);

/** An unknown word counts as none. */
export function metricOf({ metric = "cost" }: UsageSearch): Chosen {
  const found = durations[metric];
  return found === undefined ? { added: true, ...(sums[metric] ?? (sums["cost"] as Metric<SumName>)) } : { added: false, ...found };
}

const groups: Record<UsageGroup, string> = {
  ...{ model: "Model", key: "API key", member: "Member", operation: "Operation", status: "Status", tag: "Tag" },
};

export function groupOf({ group }: UsageSearch): UsageGroup | null {
  return group !== undefined && group in groups ? (group as UsageGroup) : null;
}

export const groupName = (group: UsageGroup): string => groups[group];

const choices = (named: Record<string, { label: string }>) => Object.entries(named).map(([value, { label }]) => ({ value, label }));
export const metricChoices = [...choices(sums), ...choices(durations)];
export const groupChoices = [{ value: "", label: "Time" }, ...Object.entries(groups).map(([value, label]) => ({ value, label }))];
