// The text of /metrics: this process's own metrics (gateway-figures.ts has those of its parts), those of the machine's other workers
// (worker-figures.ts) and the database's (database-figures.ts). Nothing here may fail or delay a scrape.
import { AggregatorRegistry, collectDefaultMetrics, type Metric, Registry } from "prom-client";
import { type CallCounts, countCalls } from "./call-figures.ts";
import {
  addMetric,
  type Buckets,
  countInto,
  entryOf,
  type Figures,
  histogramSamples,
  type Labels,
  type MetricFacts,
  openBuckets,
  type Sample,
} from "./plain-metric.ts";

/** The other processes of this machine (worker-figures.ts). */
export interface Gathering {
  /** The metrics of this process. */
  offer(own: () => Promise<Figures[]>): void;
  /** The metrics of every process, this one included. */
  gather(): Promise<Figures[][]>;
  /** Called before this process ends, to keep its counts. */
  handOver(): Promise<void>;
}

export interface Metrics extends CallCounts {
  begin: BeginRequest;
  /** Metrics of other parts, read at each scrape. */
  add(facts: MetricFacts, read: () => Sample[]): void;
  gauge(name: string, help: string, read: () => number): void;
  /** Metrics that are the same in every process: the process that answers reads them, after `refresh`, which never rejects. */
  addShared(refresh: () => Promise<void>, metrics: readonly (readonly [MetricFacts, () => Sample[]])[]): void;
  contentType: string;
  text(): Promise<string>;
  handOver(): Promise<void>;
}

/** `gathering`: null where this is the machine's only process. */
export function createMetrics(gathering: Gathering | null = null): Metrics {
  const registry = new Registry();
  const shared = new Registry();
  const refreshes: (() => Promise<void>)[] = [];
  for (const metric of processMetrics()) registry.registerMetric(metric);
  gathering?.offer(async () => (await registry.getMetricsAsJSON()) as unknown as Figures[]);
  return {
    begin: countRequests(registry),
    ...countCalls(registry),
    add: (facts, read) => addMetric(registry, facts, read),
    gauge: (name, help, read) => addMetric(registry, { name, help, type: "gauge" }, () => [{ labels: {}, value: read() }]),
    addShared(refresh, metrics) {
      refreshes.push(refresh);
      for (const [facts, read] of metrics) addMetric(shared, facts, read);
    },
    contentType: registry.contentType,
    async text() {
      const [processes] = await Promise.all([gathering?.gather(), ...refreshes.map((refresh) => refresh())]);
      const local = processes === undefined ? registry : sumOf(processes);
      return `${await local.metrics()}\n${await shared.metrics()}`;
    },
    handOver: async () => gathering?.handOver(),
  };
}

/** Aggregates the same metric of all processes. */
export function sumOf(processes: readonly Figures[][]): Registry {
  return AggregatorRegistry.aggregate([...processes]);
}

let measured: Metric[] | undefined;

/** Of memory, garbage and the event loop. They observe the process for good, so there is one set for all gateways in it. */
function processMetrics(): Metric[] {
  if (measured !== undefined) return measured;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Of several workers the one with the largest event-loop lag counts: an average would hide it.
  for (const name of ["nodejs_eventloop_lag_seconds", ...["p50", "p90", "p99"].map((p) => `nodejs_eventloop_lag_${p}_seconds`)])
    Object.assign(registry.getSingleMetric(name) as Metric, { aggregator: "max" });
  return (measured = registry.getMetricsAsArray() as unknown as Metric[]);
}

// Counts requests at the edge: how many, how long, how many are open.

/** From a catalog answer to a long stream. */
const durationBucketsSec = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

const openDurations = () => openBuckets(durationBucketsSec);

/** Counts a request as open. Call the result once at its end; it returns the duration in seconds. */
type BeginRequest = () => (operation: string, status: number) => number;

/** Both labels are bounded: operations are the contract's, statuses are numbers. */
function countRequests(registry: Registry): BeginRequest {
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
