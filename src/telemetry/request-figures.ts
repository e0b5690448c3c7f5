// What the edge counts of each request: how many, how long, how many are open.
import type { Registry } from "prom-client";
import { addMetric, type Buckets, countInto, entryOf, histogramSamples, type Labels, openBuckets, type Sample } from "./plain-metric.ts";

/** From a catalog answer to a long stream. */
const durationBucketsSec = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const openDurations = () => openBuckets(durationBucketsSec);

/** Counts a request as open; call the result once when it is over: it returns the seconds that took. */
export type BeginRequest = () => (operation: string, status: number) => number;

/** Operations are the contract's and statuses are numbers, so both are few. */
export function countRequests(registry: Registry): BeginRequest {
  const operations = new Map<string, Map<number, Buckets>>();
  let open = 0;
  const samples = (read: (labels: Labels, buckets: Buckets) => Sample[]) =>
    [...operations].flatMap(([operation, statuses]) =>
      [...statuses].flatMap(([status, buckets]) => read({ operation, status: String(status) }, buckets)),
    );
  addMetric(registry, { name: "svc_http_requests_total", help: "Requests answered", type: "counter" }, () =>
    samples((labels, { counts }) => [{ labels, value: counts.reduce((sum, count) => sum + count, 0) }]),
  );
  const durations = "svc_http_request_duration_seconds";
  addMetric(registry, { name: durations, help: "From the request's head to the end of its answer", type: "histogram" }, () =>
    samples((labels, buckets) => histogramSamples(durations, labels, durationBucketsSec, buckets)),
  );
  addMetric(registry, { name: "svc_http_requests_in_flight", help: "Requests being answered", type: "gauge" }, () => [
    { labels: {}, value: open },
  ]);
  return () => {
    open += 1;
    const startedAt = performance.now();
    return (operation, status) => {
      open -= 1;
      const seconds = (performance.now() - startedAt) / 1000;
      countInto(entryOf(operations, operation, status, openDurations), durationBucketsSec, seconds);
      return seconds;
    };
  };
}
