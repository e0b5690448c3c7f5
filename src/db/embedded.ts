// The embedded database: a real Postgres in separate processes, on a unix socket that only we can reach.
// It outlives a killed gateway, and the next start attaches to it. Production sets DATABASE_URL instead.
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { type Cluster, launch, startDeadlineMs } from "./embedded-launch.ts";
import {
  chooseRunner,
  findPostgres,
  homeElsewhere,
  type PostgresBinaries,
  type Privileges,
  type Runner,
  shortHash,
} from "./postgres-process.ts";
import { readPostmaster, withLock } from "./postmaster-files.ts";

interface EmbeddedOptions {
  /** SVC_DATA_DIR; the cluster is its folder `postgres`. */
  dataDir: string;
  /** False: no fsync. Tests only; a power cut would destroy the data. */
  durable: boolean;
  /** Forces one way of dropping root's rights; tests only. */
  privileges?: Privileges;
  /** Overrides the programs that findPostgres would choose; tests only. */
  binaries?: PostgresBinaries;
}

export interface Embedded {
  url: string;
  /** The postmaster's process. */
  readonly pid: number;
  /** Stops the server, unless another process uses it. */
  stop(): Promise<void>;
  /** Kills the server as a crash would; tests only. */
  kill9(): void;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const cluster = locate(options);
  let lease = await attachOrStart(cluster);
  let stopped = false;
  let stopping: Promise<void> | undefined;
  let restarting: Promise<void> | undefined;
  const restart = async () => {
    while (!stopped) {
      try {
        lease = await attachOrStart(cluster);
        return watch();
      } catch {
        await sleep(1000, undefined, { ref: false });
      }
    }
  };
  /** A server that died while we attached is started again. */
  const watch = () => void lease.lost.catch(() => undefined).then(() => (restarting = restart()));
  const stop = async () => {
    stopped = true;
    await restarting; // else a server that it has just started would keep running
    await withLock(join(cluster.home, "postgres.lock"), () => stopUnlessUsed(cluster, lease));
  };
  watch();
  return {
    url: urlOf(cluster),
    get pid() {
      return readPostmaster(cluster.folder)?.pid ?? 0;
    },
    stop: () => (stopping ??= stop()),
    kill9() {
      const postmaster = readPostmaster(cluster.folder);
      if (postmaster) process.kill(postmaster.pid, "SIGKILL");
    },
  };
}

/** Whether a database was ever made for this folder. Changes nothing. */
export function hasEmbedded(dataDir: string): boolean {
  if (!existsSync(dataDir)) return false;
  const home = realpathSync(dataDir);
  return [home, homeElsewhere(home)].some((folder) => existsSync(join(folder, "postgres", "PG_VERSION")));
}

function locate(options: EmbeddedOptions): Cluster {
  makeDataDir(options.dataDir);
  const dataDir = realpathSync(options.dataDir);
  let runner: Runner | undefined;
  const choose = () => (runner ??= chooseRunner(options.binaries ?? findPostgres(), dataDir, options.privileges));
  // Running as `nobody` may move the cluster elsewhere, so that is decided first; otherwise attaching needs no decision.
  const fallback = options.privileges === "setuid" || (process.geteuid?.() === 0 && !existsSync(join(dataDir, "postgres")));
  const home = fallback ? choose().home : dataDir;
  if (home !== dataDir) makeOwnFolder(home);
  return { folder: join(home, "postgres"), socketFolder: `/tmp/svc-${shortHash(home)}`, home, durable: options.durable, runner: choose };
}

function makeDataDir(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new Error("SVC_DATA_DIR must be a folder, or a path where one can be made", { cause: error });
  }
}

/** Anyone may create a folder of this name in /var/tmp; only one that we own is accepted. */
function makeOwnFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o755 });
  const { uid } = lstatSync(path);
  if (uid !== process.geteuid?.()) throw new Error(`${path} belongs to user ${uid}; remove it`);
}

/** Sets everything that the environment could otherwise override (PGPORT, PGSSLMODE). */
function urlOf(cluster: Cluster): string {
  return `postgres://postgres@localhost:5432/postgres?host=${encodeURIComponent(cluster.socketFolder)}&sslmode=disable`;
}

async function attachOrStart(cluster: Cluster): Promise<Lease> {
  const deadline = performance.now() + startDeadlineMs;
  let lastError: unknown;
  for (;;) {
    const postmaster = readPostmaster(cluster.folder);
    if (postmaster?.ready) {
      const lease = await leaseCluster(urlOf(cluster)).catch((error: unknown) => void (lastError = error));
      if (lease) return lease;
    }
    if (performance.now() > deadline) {
      const running = postmaster?.alive ? ` (Postgres process ${postmaster.pid} runs, but does not answer at ${cluster.socketFolder})` : "";
      throw new Error(`the embedded database did not start within ${startDeadlineMs / 1000} s${running}`, { cause: lastError });
    }
    // Alive but not ready: the server is starting, recovering or stopping, and another attempt will show which.
    if (postmaster?.alive) await sleep(10);
    else await withLock(join(cluster.home, "postgres.lock"), () => launch(cluster));
  }
}

/** Under the lock, so that no process starts the server while we stop it; another process's lease keeps it alive. */
async function stopUnlessUsed(cluster: Cluster, lease: Lease): Promise<void> {
  const alone = await lease.releaseAndAskIfAlone().catch(() => false);
  const postmaster = readPostmaster(cluster.folder);
  if (alone && postmaster?.alive) {
    process.kill(postmaster.pid, "SIGINT"); // fast shutdown
    for (let waited = 0; waited < 30_000 && readPostmaster(cluster.folder)?.alive; waited += 10) await sleep(10);
  }
  if (!readPostmaster(cluster.folder)?.alive) rmSync(cluster.socketFolder, { recursive: true, force: true });
}

// A connection that each user of the embedded database keeps while it uses it, so that the last user knows
// that it is the last. The shared advisory lock closes the gap between asking and stopping.

interface Lease {
  /** Resolves when the connection breaks unexpectedly. */
  lost: Promise<void>;
  /** Gives up the lease; true when no other lease and no other client is left. */
  releaseAndAskIfAlone(): Promise<boolean>;
}

const lockKey = 7322100;
/** How long to wait for another process's connection, and for one of our own. */
const foreignMs = 1_000;
const ownMs = 10_000;

async function leaseCluster(url: string): Promise<Lease> {
  const client = new pg.Client({ connectionString: url, application_name: "svc-lease", connectionTimeoutMillis: 10_000 });
  let releasing = false;
  const lost = new Promise<void>((resolve) => {
    client.once("end", () => void (releasing || resolve()));
    client.on("error", () => void (releasing || resolve()));
  });
  await client.connect();
  // Waits while another process is about to stop the server, and fails if it stops: the caller then starts a new one.
  await client.query(`select pg_advisory_lock_shared(${lockKey})`).catch(async (error: unknown) => {
    await client.end().catch(() => undefined);
    throw error;
  });
  return {
    lost,
    async releaseAndAskIfAlone() {
      releasing = true;
      await client.query(`select pg_advisory_unlock_shared(${lockKey})`);
      const alone = (await isTrue(client, `select pg_try_advisory_lock(${lockKey}) as yes`)) && (await othersLeave(client));
      // If this is the only user, it keeps the lock until the server's end closes this connection.
      if (!alone) await client.end();
      return alone;
    },
  };
}

/**
 * Our own pools have just closed, but their server processes need a moment to end, seconds on a busy machine; someone's psql may stay open
 * for hours.
 */
async function othersLeave(client: pg.Client): Promise<boolean> {
  const others = `select count(*)::int as all, count(*) filter (where application_name not like 'svc%')::int as foreign
    from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  const since = performance.now();
  for (;;) {
    const { rows } = await client.query<{ all: number; foreign: number }>(others);
    const { all, foreign } = rows[0]!;
    if (all === 0) return true;
    if (performance.now() - since > (foreign > 0 ? foreignMs : ownMs)) return false;
    await sleep(20);
  }
}

async function isTrue(client: pg.Client, query: string): Promise<boolean> {
  return (await client.query<{ yes: boolean }>(query)).rows[0]?.yes === true;
}
