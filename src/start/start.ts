// `svc start`: the database, the simulator and the demo account around a gateway, or around worker processes (workers.ts); signals.
// The last line it prints says that it is ready.
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Logger } from "pino";
import { exampleModel } from "../catalog/example-models.ts";
import { loadCatalog, type Loaded, shippedCatalogPath } from "../catalog/load.ts";
import { catalogPaths } from "../catalog/paths.ts";
import { catalogSource } from "../catalog/sources.ts";
import type { Catalog } from "../catalog/types.ts";
import { type Config, readConfig } from "../config.ts";
import { connect, type Db, isPooled, isRefusedSetting } from "../db/connect.ts";
import { hostsName, isTrial } from "../db/hosts.ts";
import { type Embedded, startEmbedded } from "../db/embedded.ts";
import { migrate } from "../db/migrate.ts";
import { ensureCurrentMonth } from "../db/partitions.ts";
import { whatWentBack } from "../ledger/head-file.ts";
import { demoKey } from "./demo-account.ts";
import { createLog, type Gateway, type GatewayOptions, startGateway, type Stopping } from "../main.ts";
import { exampleKeys, startSimulator } from "../simulator/simulator.ts";
import { joinWorkers } from "../telemetry/worker-figures.ts";
import { type Ground, retireGraceMs, startWorkers, type WorkerMessage, type Workers } from "./workers.ts";

/**
 * The end of a worker whose first process is gone: no new call reaches it, and it should be gone before a restart. Other things that it
 * waits for, such as a database, may never come. Tests shorten both.
 */
export const orphanTimes = { graceMs: 5_000, endMs: 15_000 };

export async function start(environment: NodeJS.ProcessEnv): Promise<void> {
  const config = readConfig(environment);
  if (cluster.isWorker) return startWorker(config);
  const signals = catchSignals();
  const log = createLog(config);
  const simulator = catalogNames(config, "simulator:") ? await startSimulator({}) : null;
  // Workers are given them with the environment.
  if (catalogNames(config, "SIMULATOR_")) Object.assign(environment, { ...exampleKeys(), ...environment });
  const read = () => readCatalog(config, simulator?.url ?? null, log);
  const { catalog, text: catalogText } = read(); // a wrong file stops the start here, before any database
  const embedded = config.databaseUrl === null ? await startEmbedded({ dataDir: config.dataDir, durable: true }) : null;
  try {
    const databaseUrl = config.databaseUrl ?? (embedded as Embedded).url;
    const demo = await prepareDatabase(config, embedded?.url ?? config.databaseDirectUrl ?? databaseUrl, embedded !== null, log);
    const ground = (text: string): Ground => ({ databaseUrl, simulatorUrl: simulator?.url ?? null, catalogText: text });
    const running =
      config.workers > 1
        ? await startWorkers({ count: config.workers, ground: ground(catalogText), readGround: () => ground(read().text), log })
        : await startAlone(config, { databaseUrl, catalog, simulatorUrl: simulator?.url ?? null, log }, () => read().catalog);
    if (config.smtpUrl === null && (embedded === null || config.publicUrl !== null)) log.warn(isTrial(config) ? mailsPrinted : mailsLost);
    if (demo !== null) printDemo(running.url, demo, config, catalog);
    process.stdout.write(`gateway ready ${running.url}\n`);
    signals.onHangup(running.roll);
    await signals.first;
    await running.stop();
  } finally {
    await simulator?.close();
    await embedded?.stop(); // also after a failed start: nothing of ours keeps running
  }
  process.exit(0);
}

/** With one worker, this process serves. A rolling restart would close its port for a moment and could only load a new catalog. */
async function startAlone(config: Config, options: GatewayOptions & { log: Logger }, readAnew: () => Catalog): Promise<Workers> {
  const { url, stop, useCatalog } = await startGateway(config, options);
  const roll = () => {
    try {
      const isUsed = useCatalog(readAnew());
      options.log.info(
        isUsed
          ? "the catalog was reloaded: its prices apply from now on"
          : "the catalog file was read; a version of the catalog was applied and stays in use: svc catalog history",
      );
    } catch (error) {
      options.log.error(`new catalog refused, the current one stays in use: ${(error as Error).message}`);
    }
  };
  return { url, roll, stop };
}

/** `databaseUrl` is Postgres itself, because migrations take locks and a transaction pooler keeps no session. */
async function prepareDatabase(config: Config, databaseUrl: string, isEmbedded: boolean, log: Logger): Promise<string | null> {
  const db = connect(databaseUrl, { max: 2 });
  try {
    await warnOfPooler(db, isEmbedded ? "the embedded Postgres" : `the Postgres of ${directName(config)} (${hostsName(databaseUrl)})`, log);
    await migrate(db, {
      onWaiting: (migration) => log.warn({ migration }, "the migration waits for a table that an older transaction holds"),
    });
    const back = config.ledgerHeadFile === null ? null : await whatWentBack(db, config.ledgerHeadFile);
    if (back !== null) throw new Error(back);
    await ensureCurrentMonth(db, (error, what) => log.error({ err: error }, `${what} failed`));
    return isEmbedded ? await demoKey(db, config.dataDir) : null;
  } finally {
    await db.close();
  }
}

const directName = (config: Config) => (config.databaseDirectUrl === null ? "DATABASE_URL" : "DATABASE_DIRECT_URL");

/** Behind a pooler that ignores our settings everything works, but notifications are up to a second late. */
async function warnOfPooler(db: Db, name: string, log: Logger): Promise<void> {
  const missing = "DATABASE_URL leads through a transaction pooler: set DATABASE_DIRECT_URL to the Postgres behind it";
  const client = await db.pool.connect().catch((error: unknown) => {
    throw new Error(isRefusedSetting(error) ? missing : `${name} takes no connection`, { cause: error });
  });
  try {
    if (await isPooled(client)) log.warn(`${missing}; until then a revoked key and the end of a job are seen up to a second late`);
  } finally {
    client.release();
  }
}

function readCatalog(config: Config, simulatorUrl: string | null, log: Logger): Loaded {
  const source = catalogSource(config.catalogPath, config.environment);
  const loaded = loadCatalog({ ...source, environment: config.environment, simulatorUrl });
  if (source.vendors.length > 0)
    log.info(`keys are set for ${source.vendors.join(", ")}: real models are served beside the simulator's, and calls of them cost money`);
  for (const warning of loaded.warnings) log.warn(warning);
  return loaded;
}

/** The simulator runs if the catalog names it as an upstream. readCatalog reports a file that can't be read. */
function catalogNames({ catalogPath }: Config, word: string): boolean {
  try {
    return catalogPaths(catalogPath ?? shippedCatalogPath).some((path) => readFileSync(path, "utf8").includes(word));
  } catch {
    return false;
  }
}

const mailsPrinted = "SMTP_URL is not set: mails are printed to this log, with links that sign in anyone who reads them";
const mailsLost = "SMTP_URL is not set: no mail is sent, so no address can be verified and no password set";

interface Signals {
  /** Ctrl-C and SIGTERM shut it down gracefully; further ones change nothing. */
  first: Promise<void>;
  /** Called for each SIGHUP from now on, and once for those that came before. */
  onHangup(work: () => void): void;
}

function catchSignals(): Signals {
  const { promise, resolve } = Promise.withResolvers<void>();
  let early = false;
  let hangUp = (): void => void (early = true);
  process.on("SIGTERM", () => resolve());
  process.on("SIGINT", () => resolve());
  process.on("SIGHUP", () => hangUp());
  return {
    first: promise,
    onHangup(work) {
      hangUp = work;
      if (early) work();
    },
  };
}

/** Signals sent to a worker directly change nothing: the first process tells it what to do, or is gone. */
async function startWorker(config: Config): Promise<void> {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
  const given = Promise.withResolvers<Ground>();
  const leaving = Promise.withResolvers<Partial<Stopping>>();
  let gateway: Gateway | null = null;
  const leave = (how: Partial<Stopping>) => {
    leaving.resolve(how);
    void gateway?.stop(how);
  };
  process.on("message", (message: WorkerMessage | { svc: "figures" }) => {
    if (message === "retire") leave({ graceMs: retireGraceMs, keepsIdle: true });
    else if (message === "stop") leave({});
    else if ("ground" in message) given.resolve(message.ground);
  });
  const worker = cluster.worker as Worker;
  worker.exitedAfterDisconnect = true; // else Node ends a worker at once when the first process is gone
  process.on("disconnect", () => {
    // A worker that is still starting would wait forever, because the first process opens its port.
    if (gateway === null) process.exit(0);
    setTimeout(() => process.exit(1), orphanTimes.endMs);
    leave({ graceMs: orphanTimes.graceMs });
  });
  const ground = await Promise.race([given.promise, leaving.promise.then(() => null)]);
  if (ground === null) process.exit(0);
  const { databaseUrl, simulatorUrl, catalogText: text } = ground;
  const { catalog } = loadCatalog({ path: config.catalogPath ?? shippedCatalogPath, text, environment: config.environment, simulatorUrl });
  gateway = await startGateway(config, { databaseUrl, catalog, simulatorUrl, gathering: joinWorkers() });
  process.send?.(gateway.url);
  await gateway.stop(await leaving.promise);
  await leaveFirst(worker);
  process.exit(0);
}

/**
 * Exits once the first process has confirmed: until then it may be handing over a connection, which would end with this process.
 * The first process takes back connections that arrive after the port was closed.
 */
async function leaveFirst(worker: Worker): Promise<void> {
  if (!process.connected) return;
  const left = once(process, "disconnect");
  worker.disconnect();
  await left;
}

function printDemo(url: string, key: string, { catalogPath, environment }: Config, catalog: Catalog): void {
  const simulated = catalogPath === null && catalogSource(null, environment).vendors.length === 0;
  const model = exampleModel(catalog);
  const authorization = `-H "Authorization: Bearer ${key}"`;
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "Hello!" }] });
  process.stdout.write(`
Demo key (embedded database${simulated ? ", simulated models" : ""}): ${key}

${
  model === undefined
    ? `curl ${url}/v1/models ${authorization}`
    : `curl ${url}/v1/chat/completions \\
  ${authorization} -H "Content-Type: application/json" \\
  -d '${body}'`
}

`);
}
