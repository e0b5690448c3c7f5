// The engine of jobs on a real database, with the queue adapter, the media store and the simulator behind it; no HTTP server before it.
import pino from "pino";
import { loadCatalog } from "../../src/catalog/load.ts";
import type { Catalog } from "../../src/catalog/types.ts";
import type { Db } from "../../src/db/connect.ts";
import { startJobs } from "../../src/jobs/jobs.ts";
import type { JobsOptions, JobTimes } from "../../src/jobs/parts.ts";
import type { Jobs } from "../../src/jobs/types.ts";
import { openMedia } from "../../src/media/media.ts";
import type { Media } from "../../src/media/types.ts";
import { openAdapters } from "../../src/providers/adapters.ts";
import { connectUpstreams } from "../../src/providers/transport/http.ts";
import { createBreakers } from "../../src/routing/breaker.ts";
import { createMetrics } from "../../src/telemetry/metrics.ts";
import { scratchFolder } from "../support/leftovers.ts";

/** Routes of a model: upstream ids with their directives, of the simulator's queue, and what each costs. */
export type Models = Record<string, { kind: "image" | "video"; routes: string[]; cost?: object }>;

/** The lease is not shortened, so that a machine that stands still for a second costs no job its runner; what waits for its end does so itself. */
const shortTimes: Partial<JobTimes> = {
  lookMs: { first: 10, last: 50 },
  leaseMs: 30_000,
  renewMs: 200,
  wakeMs: 100,
  sweepMs: 200,
  lateMs: 200,
};

export function mediaCatalog(simulatorUrl: string, models: Models): Catalog {
  const rows = Object.entries(models).map(([id, { kind, routes, cost }]) => {
    const pricing = kind === "image" ? "{ mode: per-image, usd_per_image: 0.01 }" : "{ mode: per-second, usd_per_second: 0.02 }";
    const provider = (model: string) => (model.includes("sim-hang") ? "hasty" : "queue");
    const list = routes.map((model) => JSON.stringify({ provider: provider(model), model, cost })).join(", ");
    return `  - { id: ${id}, type: ${kind}, pricing: ${pricing}, routes: [${list}] }\n`;
  });
  const hosts = ["id: queue", "id: hasty, timeout_ms: 1000"].map(
    (host) => `  - { ${host}, protocol: fal, base_url: "${simulatorUrl}/fal" }\n`,
  );
  const text = `providers:\n${hosts.join("")}models:\n${rows.join("")}`;
  return loadCatalog({ text, environment: {} }).catalog;
}

export interface Engine {
  jobs: Jobs;
  media: Media;
  /** What went wrong inside. */
  faults: unknown[];
  stop(graceMs?: number): Promise<void>;
}

export interface EngineOptions {
  db: Db;
  simulatorUrl: string;
  models: Models;
  times?: Partial<JobTimes>;
  /** In place of what would be built. */
  parts?: Partial<JobsOptions>;
  dataDir?: string;
}

export async function startEngine({ db, simulatorUrl, models, times, parts, dataDir }: EngineOptions): Promise<Engine> {
  const upstreams = connectUpstreams();
  const media = await openMedia(
    { dataDir: dataDir ?? scratchFolder("svc-media-"), blobUrl: null, allowPrivateUrls: true },
    { pausesMs: [1] },
  );
  const faults: unknown[] = [];
  const jobs = await startJobs({
    db,
    listenUrl: db.url,
    catalog: mediaCatalog(simulatorUrl, models),
    providers: openAdapters(upstreams, media),
    breakers: createBreakers(),
    media,
    log: pino({ level: "silent" }),
    onFault: (error) => void faults.push(error),
    counts: createMetrics(),
    tracing: null,
    chargeLog: null,
    times: { ...shortTimes, ...times },
    ...parts,
  });
  return {
    jobs,
    media,
    faults,
    async stop(graceMs = 5_000) {
      await jobs.stop(graceMs);
      await upstreams.close();
      await media.close();
    },
  };
}
