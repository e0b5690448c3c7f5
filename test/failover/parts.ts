// The programs of a cluster as processes: etcd, Patroni, HAProxy, PgBouncer, by the files of deploy/ha that deploy/ha/fill.sh fills. Postgres,
// Patroni and PgBouncer refuse root: there they run as Debian's user postgres.
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { promisify } from "node:util";
import { existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findTool } from "../support/find-tool.ts";
import { processesOf } from "../support/leftovers.ts";

export const programs = {
  etcd: "/usr/bin/etcd",
  patroni: "/opt/patroni/bin/patroni", // not Debian's: deploy/ha/patroni.txt
  patronictl: "/opt/patroni/bin/patronictl",
  haproxy: "/usr/sbin/haproxy",
  pgbouncer: "/usr/sbin/pgbouncer",
  setpriv: "/usr/bin/setpriv",
} as const;
/** What the archive of WAL is tried with; a run without it leaves that out and says so. */
export const pgbackrest = "/usr/bin/pgbackrest";
export const postgresBin = "/usr/lib/postgresql/15/bin";

/** What this machine lacks; null: nothing. */
export function missing(): string | null {
  const paths = [...Object.values(programs), join(postgresBin, "postgres")].filter((path) => !existsSync(path));
  const lacking = [...paths, ...(findTool("nginx") === null ? ["nginx"] : [])];
  return lacking.length === 0 ? null : `${lacking.join(", ")} not installed (npm run tools:install -- failover)`;
}

export const isRoot = process.getuid?.() === 0;
const asPostgres = [programs.setpriv, "--reuid=postgres", "--regid=postgres", "--init-groups"];

export interface Part {
  name: string;
  start(): void;
  /** Resolves at its end. Does nothing where it has ended. */
  end(signal: NodeJS.Signals): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  pid(): number | undefined;
  log(): string;
}

export function part(name: string, folder: string, command: readonly string[]): Part {
  const path = join(folder, `${name}.said`);
  const [program, ...words] = isRoot ? [...asPostgres, ...command] : command;
  let child: ChildProcess | undefined;
  const runs = () => child !== undefined && child.exitCode === null && child.signalCode === null;
  return {
    name,
    start() {
      if (runs()) return;
      const log = openSync(path, "a");
      const { TEST_RUN, TMPDIR } = process.env;
      const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC", HOME: folder, TEST_RUN, TMPDIR };
      child = spawn(program!, words, { cwd: folder, env, stdio: ["ignore", log, log] });
    },
    async end(signal) {
      if (!runs()) return;
      const ended = new Promise<void>((resolve) => child!.once("exit", () => resolve()));
      child!.kill(signal);
      await ended;
    },
    signal: (signal) => void (runs() && child!.kill(signal)),
    pid: () => child?.pid,
    log: () => (existsSync(path) ? readFileSync(path, "utf8") : ""),
  };
}

/** Runs a program to its end, as the parts run; returns what it printed. */
export async function runAsPostgres(command: readonly string[], cwd: string, more: Record<string, string> = {}): Promise<string> {
  const [program, ...words] = isRoot ? [...asPostgres, ...command] : command;
  const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C.UTF-8", HOME: cwd, ...more };
  return (await run(program!, words, { cwd, env, timeout: 240_000 })).stdout; // what it asks goes through this process: it may not stand still
}

const run = promisify(execFile);

const fillScript = fileURLToPath(new URL("../../deploy/ha/fill.sh", import.meta.url));

/** The files of one machine, into `folder`. */
export function fill(machine: string, folder: string): void {
  execFileSync(fillScript, [machine, folder], { stdio: ["ignore", "ignore", "inherit"] });
}

/** All processes of the Postgres in this folder. */
export function signalPostgres(data: string, signal: NodeJS.Signals): void {
  const postmaster = postmasterOf(data);
  if (postmaster === null) return;
  for (const pid of [postmaster, ...childrenOf(postmaster)]) {
    try {
      process.kill(pid, signal);
    } catch {
      // it has just ended
    }
  }
}

/** Ends it at once, but by itself: killed, it would leave its shared memory to the machine. */
export async function quitPostgres(data: string): Promise<void> {
  const postmaster = postmasterOf(data);
  if (postmaster === null) return;
  process.kill(postmaster, "SIGQUIT");
  for (let n = 0; n < 100 && existsSync(`/proc/${postmaster}`); n += 1) await sleep(50);
}

export function postmasterOf(data: string): number | null {
  try {
    const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(data) ? pid : null;
  } catch {
    return null; // it does not run
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Ends what runs in the folder or below, whatever started it. */
export function killWithin(folder: string): void {
  for (const { pid } of processesOf(folder, { withChildren: true })) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // it has just ended
    }
  }
}
