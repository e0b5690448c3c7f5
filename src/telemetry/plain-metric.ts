// A metric over plain values that are kept elsewhere and read at a scrape: counting then costs one addition, while prom-client's
// own counters hash their labels each time (microseconds).
import type { Metric, Registry } from "prom-client";

export type Labels = Record<string, string>;

export interface Sample {
  labels: Labels;
  value: number;
  /** The name suffix of a histogram's part. */
  metricName?: string;
}

export interface MetricFacts {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  /** How the values of one machine's processes are combined (prom-client's aggregators); absent: their sum. */
  aggregator?: "sum" | "max";
}

/** A metric in prom-client's own form. */
export interface Figures extends MetricFacts {
  values: Sample[];
}

export function addMetric(registry: Registry, facts: MetricFacts, read: () => Sample[]): void {
  const whole = { aggregator: "sum" as const, ...facts };
  const metric = { ...whole, get: async (): Promise<Figures> => ({ ...whole, values: read() }) };
  registry.registerMetric(metric as unknown as Metric);
}

export interface Buckets {
  /** The count of each single bucket; the last one is above all bounds. */
  counts: number[];
  sum: number;
}

export function openBuckets(bounds: readonly number[]): Buckets {
  return { counts: new Array<number>(bounds.length + 1).fill(0), sum: 0 };
}

export function countInto(buckets: Buckets, bounds: readonly number[], value: number): void {
  let at = 0;
  while (at < bounds.length && value > (bounds[at] as number)) at += 1;
  buckets.counts[at] = (buckets.counts[at] as number) + 1;
  buckets.sum += value;
}

/** Rendered as the text format's cumulative buckets. */
export function histogramSamples(name: string, labels: Labels, bounds: readonly number[], { counts, sum }: Buckets): Sample[] {
  let below = 0;
  const buckets = counts.map((count, at) => {
    below += count;
    const le = at < bounds.length ? String(bounds[at]) : "+Inf";
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: below };
  });
  return [...buckets, { metricName: `${name}_sum`, labels, value: sum }, { metricName: `${name}_count`, labels, value: below }];
}

/** The value under two keys, created if it is missing. */
export function entryOf<First, Second, Value>(all: Map<First, Map<Second, Value>>, first: First, second: Second, open: () => Value): Value {
  let inner = all.get(first);
  if (inner === undefined) all.set(first, (inner = new Map<Second, Value>()));
  let value = inner.get(second);
  if (value === undefined) inner.set(second, (value = open()));
  return value;
}
