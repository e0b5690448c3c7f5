// The figures of this process's parts, read at each scrape of /metrics: batchers, connections, upstream calls, circuit breakers, notices.
import type { BatcherGauge } from "../db/batcher.ts";
import type { DatabaseChecks, Doubt } from "../db/database-checks.ts";
import type { Upstream } from "../providers/transport/types.ts";
import type { Breakers } from "../routing/breaker.ts";
import type { Metrics } from "./metrics.ts";
import { histogramSamples, type Sample } from "./plain-metric.ts";

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

// Counts how deliveries of notices ended.

const outcomes = ["delivered", "failed", "retried", "untold"] as const;

export function countNotices({ add }: Pick<Metrics, "add">): (outcome: (typeof outcomes)[number]) => void {
  const counts = { delivered: 0, failed: 0, retried: 0, untold: 0 };
  add({ name: "svc_notice_deliveries_total", help: "Attempts to deliver a notice, by how they ended", type: "counter" }, () =>
    outcomes.map((outcome) => ({ labels: { outcome }, value: counts[outcome] })),
  );
  return (outcome) => void (counts[outcome] += 1);
}
