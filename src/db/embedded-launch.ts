// Creates the embedded database's cluster if there is none, and starts its server. Called under the lock of
// src/db/embedded.ts, which attaches to a running server.
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ownTree, type Runner, spawnPostgres } from "./postgres-process.ts";
import { makeSocketFolder, readPostmaster, takeOverPidFile } from "./postmaster-files.ts";

export interface Cluster {
  /** The data directory. */
  folder: string;
  socketFolder: string;
  /** Holds the data directory, the lock and the log. */
  home: string;
  durable: boolean;
  /** Found on demand: attaching needs no programs. */
  runner: () => Runner;
}

/** Recovery after a crash under load took 0.5 s; a minute leaves room for a slow disk. */
export const startDeadlineMs = 60_000;

/** Returns when this server, or another process's, takes connections. */
export async function launch(cluster: Cluster): Promise<void> {
  if (readPostmaster(cluster.folder)?.alive) return; // another process was quicker
  const runner = cluster.runner();
  if (!existsSync(join(cluster.folder, "PG_VERSION"))) await initialize(cluster, runner);
  assertVersion(cluster, runner);
  ownTree(cluster.folder, runner.uid);
  makeSocketFolder(cluster.socketFolder, runner.uid);
  takeOverPidFile(cluster.folder);
  await startPostmaster(cluster, runner);
}

const draftPrefix = "postgres-new-";

/** Created in a temporary folder and renamed when complete, so that a kill in between leaves nothing half made. */
async function initialize(cluster: Cluster, runner: Runner): Promise<void> {
  for (const left of readdirSync(cluster.home).filter((name) => name.startsWith(draftPrefix)))
    rmSync(join(cluster.home, left), { recursive: true });
  const draft = mkdtempSync(join(cluster.home, draftPrefix));
  const log = join(cluster.home, "postgres-init.log");
  try {
    ownTree(draft, runner.uid);
    const args = ["-D", draft, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--data-checksums", "--no-instructions"];
    const status = await run(runner, "initdb", cluster.durable ? args : [...args, "--no-sync"], log);
    if (status !== 0) throw new Error(`initdb failed (${status}): ${tail(log)}`);
    renameSync(draft, cluster.folder);
    rmSync(log, { force: true });
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function assertVersion(cluster: Cluster, runner: Runner): void {
  const made = Number.parseInt(readFileSync(join(cluster.folder, "PG_VERSION"), "utf8"), 10);
  if (made === runner.binaries.major) return;
  throw new Error(
    `the embedded database in ${cluster.folder} was made by Postgres ${made}, but the programs in ${runner.binaries.bin} are Postgres ` +
      `${runner.binaries.major}. Install the release that came with Postgres ${made}, or move the folder away to begin with an empty database.`,
  );
}

async function startPostmaster(cluster: Cluster, runner: Runner): Promise<void> {
  const path = join(cluster.home, "postgres.log");
  const tooLong = existsSync(path) && statSync(path).size > 10 * 1024 * 1024;
  const log = openSync(path, tooLong ? "w" : "a", 0o600);
  const child = spawnPostgres(runner, "postgres", serverArguments(cluster), log);
  closeSync(log);
  child.unref();
  let failure: string | undefined;
  child.once("error", (error) => (failure = error.message));
  child.once("exit", (status, signal) => (failure = `it ended with ${signal ?? status}`));
  const deadline = performance.now() + startDeadlineMs;
  while (failure === undefined && performance.now() < deadline) {
    if (readPostmaster(cluster.folder)?.ready) return;
    await sleep(5);
  }
  if (readPostmaster(cluster.folder)?.alive) return; // another postmaster holds the folder; the caller attaches to it
  const said = tail(path);
  if (/shared memory block .* is still in use/s.test(said)) return void (await sleep(100)); // children of a killed postmaster are still exiting
  throw new Error(`the embedded database could not start: ${failure ?? "time-out"}; ${path} ends with: ${said}`);
}

function serverArguments(cluster: Cluster): string[] {
  const settings: Record<string, string> = {
    listen_addresses: "",
    unix_socket_directories: cluster.socketFolder,
    unix_socket_permissions: "0700",
    dynamic_shared_memory_type: "mmap", // /dev/shm is small in containers
    max_connections: cluster.durable ? "100" : "300", // a test run opens a pool for every file
    timezone: "UTC",
    log_timezone: "UTC",
    ...(cluster.durable
      ? {}
      : { fsync: "off", synchronous_commit: "off", full_page_writes: "off", max_wal_size: "1GB", autovacuum_naptime: "1h" }),
  };
  return ["-D", cluster.folder, "-p", "5432", ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
}

function run(runner: Runner, program: string, args: string[], logPath: string): Promise<number | string> {
  const log = openSync(logPath, "w", 0o600);
  const child = spawnPostgres(runner, program, args, log);
  closeSync(log);
  return new Promise((resolve) => {
    child.once("error", (error) => {
      writeFileSync(logPath, error.message);
      resolve("not started");
    });
    child.once("exit", (status, signal) => resolve(status ?? signal ?? "unknown"));
  });
}

function tail(path: string): string {
  return existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").slice(-5).join(" | ").slice(-1500) : "nothing";
}
