// What /metrics shows, as the text that Prometheus reads: this process's own figures, those of the other workers of the machine
// (worker-figures.ts), and what the database says (database-figures.ts). Nothing here may fail or hold up a scrape.
import { AggregatorRegistry, collectDefaultMetrics, type Metric, Registry } from "prom-client";
import { type CallCounts, countCalls } from "./call-figures.ts";
import { addMetric, type Figures, type MetricFacts, type Sample } from "./plain-metric.ts";
import { type BeginRequest, countRequests } from "./request-figures.ts";

/** The other processes of this machine (worker-figures.ts). */
export interface Gathering {
  /** What this process is asked for. */
  offer(own: () => Promise<Figures[]>): void;
  /** Of every process, this one included. */
  gather(): Promise<Figures[][]>;
  /** Before this process ends: what it has counted stays counted. */
  handOver(): Promise<void>;
}

export interface Metrics extends CallCounts {
  begin: BeginRequest;
  /** Other parts' figures, read at each scrape. */
  add(facts: MetricFacts, read: () => Sample[]): void;
  gauge(name: string, help: string, read: () => number): void;
  /** Figures that are the same in every process: asked for by the one that answers, before it does. `refresh` never rejects. */
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
  collectDefaultMetrics({ register: registry });
  worstOfAll(registry);
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

/** One figure for each of all processes' metrics. */
export function sumOf(processes: readonly Figures[][]): Registry {
  return AggregatorRegistry.aggregate([...processes]);
}

/** Of several workers the one whose loop lags most is the one whose callers wait: their average would hide it. */
function worstOfAll(registry: Registry): void {
  for (const name of ["nodejs_eventloop_lag_seconds", ...["p50", "p90", "p99"].map((p) => `nodejs_eventloop_lag_${p}_seconds`)])
    Object.assign(registry.getSingleMetric(name) as Metric, { aggregator: "max" });
}
