// `svc start`: the database, the simulator and the demo account around a gateway; worker processes; signals.
// The last line it prints says that it is ready (OPERATOR.md "Start").
import cluster, { type Worker } from "node:cluster";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { loadCatalog } from "./catalog/load.ts";
import type { Catalog } from "./catalog/types.ts";
import { type Config, readConfig } from "./config.ts";
import { connect } from "./db/connect.ts";
import { type Embedded, startEmbedded } from "./db/embedded.ts";
import { migrate } from "./db/migrate.ts";
import { ensurePartitions } from "./db/partitions.ts";
import { demoKey } from "./demo-account.ts";
import { createLog, type Gateway, startGateway } from "./main.ts";
import { startSimulator } from "./simulator/simulator.ts";
import { joinWorkers, keepWorkersFigures } from "./telemetry/worker-figures.ts";

/** What the first process found or made, handed to its workers. */
interface Ground {
  databaseUrl: string;
  simulatorUrl: string | null;
}

const groundVariable = "SVC_INTERNAL_GROUND";
const shippedCatalog = fileURLToPath(new URL("catalog/default.yaml", import.meta.url));
/** A worker that fails again and again must not turn into a loop of forks. */
const restartPauseMs = 1_000;

export async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  if (cluster.isWorker) return startWorker(config, JSON.parse(environment[groundVariable] as string) as Ground);
  const signals = catchSignals();
  const log = createLog(config);
  const simulator = needsSimulator(config) ? await startSimulator({}) : null;
  const catalog = readCatalog(config, simulator?.url ?? null, log); // a wrong file stops the start here, before any database
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataDir: config.dataDir, durable: true }) : null;
  try {
    const ground: Ground = { databaseUrl: config.databaseUrl ?? (embedded as Embedded).url, simulatorUrl: simulator?.url ?? null };
    const demo = await prepareDatabase(config, embedded?.url ?? config.databaseDirectUrl ?? ground.databaseUrl, embedded !== null);
    const running = config.workers > 1 ? await startWorkers(config, ground, log) : await startGateway(config, { ...ground, catalog, log });
    if (demo !== null) printDemo(running.url, demo, config, catalog);
    process.stdout.write(`gateway ready ${running.url}\n`);
    await signals.first;
    await running.stop();
  } finally {
    await simulator?.close();
    await embedded?.stop(); // also after a start that failed: nothing of ours is left running
  }
  process.exit(0);
}

/** `databaseUrl`: Postgres itself: migrations lock, and a transaction pooler keeps no session. */
async function prepareDatabase(config: Config, databaseUrl: string, isEmbedded: boolean): Promise<string | null> {
  const db = connect(databaseUrl, { max: 2 });
  try {
    await migrate(db);
    await ensurePartitions(db);
    return isEmbedded ? await demoKey(db, config.dataDir) : null;
  } finally {
    await db.close();
  }
}

function readCatalog(config: Config, simulatorUrl: string | null, log: Logger): Catalog {
  const { catalog, warnings } = loadCatalog({ path: config.catalogPath ?? shippedCatalog, environment: config.environment, simulatorUrl });
  for (const warning of warnings) log.warn(warning);
  return catalog;
}

/** The simulator runs where the catalog names it as an upstream. A missing file is readCatalog's to report. */
function needsSimulator({ catalogPath }: Config): boolean {
  return catalogPath === null || (existsSync(catalogPath) && readFileSync(catalogPath, "utf8").includes("simulator:"));
}

/** Ctrl-C and SIGTERM end it in order; more of them change nothing. */
function catchSignals(): { first: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.on("SIGTERM", () => resolve());
  process.on("SIGINT", () => resolve());
  return { first: promise };
}

interface Running {
  url: string;
  stop(): Promise<void>;
}

async function startWorkers(config: Config, ground: Ground, log: Logger): Promise<Running> {
  let serving = false;
  let stopping = false;
  const failed = Promise.withResolvers<never>();
  keepWorkersFigures();
  const fork = () => cluster.fork({ [groundVariable]: JSON.stringify(ground) });
  cluster.on("exit", (worker, code, signal) => {
    if (stopping) return;
    // It has said why on standard error, and so would the next one.
    if (!serving) return failed.reject(new Error("a worker could not start"));
    log.error({ pid: worker.process.pid, code, signal }, "a worker ended and is replaced");
    setTimeout(() => stopping || fork(), restartPauseMs);
  });
  const first = Array.from({ length: config.workers }, fork);
  const urls = first.map(
    (worker) => new Promise<string>((resolve) => worker.on("message", (message) => typeof message === "string" && resolve(message))),
  );
  const [url] = await Promise.race([Promise.all(urls), failed.promise]).catch((error: unknown) => {
    stopping = true;
    for (const worker of first) worker.process.kill("SIGKILL"); // none has served anybody yet
    throw error;
  });
  serving = true;
  return {
    url: url as string,
    async stop() {
      stopping = true;
      const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
      await Promise.all(
        workers.map((worker) => {
          const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
          worker.send("stop", () => undefined); // one that has just ended can't be told, and needn't
          return ended;
        }),
      );
    },
  };
}

/** Signals sent to a worker directly change nothing: the first process says when to stop, or is gone. */
async function startWorker(config: Config, ground: Ground): Promise<void> {
  process.on("SIGTERM", () => undefined).on("SIGINT", () => undefined);
  const stopping = Promise.withResolvers<void>();
  process.on("message", (message) => message === "stop" && stopping.resolve());
  (cluster.worker as Worker).exitedAfterDisconnect = true; // else Node ends a worker at once when the first process is gone
  process.on("disconnect", () => stopping.resolve());
  const log = createLog(config);
  const gateway: Gateway = await startGateway(config, {
    databaseUrl: ground.databaseUrl,
    catalog: readCatalog(config, ground.simulatorUrl, log),
    log,
    gathering: joinWorkers(),
  });
  process.send?.(gateway.url);
  await stopping.promise;
  await gateway.stop();
  process.exit(0);
}

function printDemo(url: string, key: string, { catalogPath }: Config, catalog: Catalog): void {
  const model = exampleModel(catalog);
  const authorization = `-H "Authorization: Bearer ${key}"`;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  process.stdout.write(`
Demo key (embedded database${catalogPath === null ? ", simulated models" : ""}): ${key}

${
  model === undefined
    ? `curl ${url}/v1/models ${authorization}`
    : `curl ${url}/v1/chat/completions \\
  ${authorization} -H "Content-Type: application/json" \\
  -d '${body}'`
}

`);
}

/** One that answers a chat in this very catalog: an operator's own need not have the shipped one's alias. */
function exampleModel({ aliases, models, listed }: Catalog): string | undefined {
  const best = models.get(aliases.get("best") ?? "");
  if (best?.type === "language" && best.state.kind === "active") return "best";
  return listed.find(({ type }) => type === "language")?.id;
}
