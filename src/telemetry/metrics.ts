// The text of /metrics: this process's own metrics, those of the machine's other workers (worker-figures.ts) and the database's
// (database-figures.ts). Nothing here may fail or delay a scrape.
import { AggregatorRegistry, collectDefaultMetrics, type Metric, Registry } from "prom-client";
import type { BatcherGauge } from "../db/batcher.ts";
import type { DatabaseChecks, Doubt } from "../db/database-checks.ts";
import type { Upstream } from "../providers/transport/types.ts";
import type { Breakers } from "../routing/breaker.ts";
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

// Metrics of this process's parts, read at each scrape: batchers, connections, upstream calls, circuit breakers.

interface Parts {
  batchers: Record<string, BatcherGauge>;
  upstreams: Pick<Upstream, "gauge">;
  breakers: Pick<Breakers, "failing">;
  database: { totalCount: number; idleCount: number; waitingCount: number };
  checks: Pick<DatabaseChecks, "skewMs" | "doubts">;
  commitAgeMs: () => number;
  catalogs: { catalog: { source: { version: number } }; refused: number | null };
}

export function addGatewayFigures(metrics: Metrics, parts: Parts): void {
  const { batchers, upstreams, breakers, database, checks, commitAgeMs, catalogs } = parts;
  addBatchers(metrics, batchers);
  metrics.gauge("svc_upstream_calls", "Calls to upstreams in progress", () => upstreams.gauge().calls);
  metrics.gauge("svc_upstream_waiting", "Calls that wait for a connection to their upstream", () => upstreams.gauge().waiting);
  metrics.gauge("svc_upstream_sockets", "Connections to upstreams", () => upstreams.gauge().sockets);
  const help = "Routes whose last attempt failed; 1: passed over. Of several workers: by how many";
  metrics.add({ name: "svc_breaker_open", help, type: "gauge" }, () =>
    breakers.failing().map(({ routeId, isOpen }) => ({ labels: { route: routeId }, value: isOpen ? 1 : 0 })),
  );
  metrics.add({ name: "svc_database_connections", help: "Connections of the pool", type: "gauge" }, () => [
    { labels: { state: "busy" }, value: database.totalCount - database.idleCount },
    { labels: { state: "idle" }, value: database.idleCount },
  ]);
  metrics.gauge("svc_database_connections_waiting", "Queries that wait for a connection", () => database.waitingCount);
  const skewHelp = "By how much this machine's clock is off the database's, at least";
  metrics.add({ name: "svc_clock_skew_seconds", help: skewHelp, type: "gauge", aggregator: "max" }, () => [
    { labels: {}, value: Math.abs(checks.skewMs) / 1000 },
  ]);
  const versionHelp = "The applied version of the catalog in use; 0: the file, and none was ever applied";
  metrics.add({ name: "svc_catalog_version", help: versionHelp, type: "gauge", aggregator: "max" }, () => [
    { labels: {}, value: catalogs.catalog.source.version },
  ]);
  const refusedHelp = "1: a process can't load the version of the catalog in use and keeps another one; its log says why";
  metrics.add({ name: "svc_catalog_refused", help: refusedHelp, type: "gauge", aggregator: "max" }, () => [
    { labels: {}, value: catalogs.refused === null ? 0 : 1 },
  ]);
  const ageHelp = "Time since the database last confirmed a commit; checked every 3 s";
  metrics.add({ name: "svc_database_commit_age_seconds", help: ageHelp, type: "gauge", aggregator: "max" }, () => [
    { labels: {}, value: commitAgeMs() / 1000 },
  ]);
  const doubtHelp = "1: new calls are refused, because of clock skew or because the database identity check failed";
  metrics.add({ name: "svc_database_doubted", help: doubtHelp, type: "gauge", aggregator: "max" }, () =>
    doubts.map((doubt) => ({ labels: { doubt }, value: checks.doubts.has(doubt) ? 1 : 0 })),
  );
}

const doubts: readonly Doubt[] = ["clock", "identity", "lost"];

function addBatchers(metrics: Metrics, batchers: Record<string, BatcherGauge>): void {
  const ofEach = (read: (gauge: BatcherGauge) => number) => (): Sample[] =>
    Object.entries(batchers).map(([batcher, gauge]) => ({ labels: { batcher }, value: read(gauge) }));
  metrics.add(
    { name: "svc_batcher_waiting", help: "Items that wait for the batcher's next batch", type: "gauge" },
    ofEach(({ waiting }) => waiting),
  );
  metrics.add(
    { name: "svc_batcher_busy_seconds_total", help: "Time with a batch in progress: a rate of 1 is a fully used batcher", type: "counter" },
    ofEach(({ busyMs }) => busyMs / 1000),
  );
  const name = "svc_batcher_batch_size";
  metrics.add({ name, help: "Items in a batch", type: "histogram" }, () =>
    Object.entries(batchers).flatMap(([batcher, { batches, bounds, items }]) =>
      histogramSamples(name, { batcher }, bounds, { counts: [...batches, 0], sum: items }),
    ),
  );
}
