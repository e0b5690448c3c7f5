// Runs Postgres programs without root's rights, which Postgres refuses to have: in a user namespace, or as `nobody`.
// Knows nothing of data directories but who must own them.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { chownSync, cpSync, lstatSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { createHash } from "node:crypto";
import { dirname, join, resolve } from "node:path";
import type { PostgresBinaries } from "./postgres-binaries.ts";

/** plain: we aren't root. namespace: root looks like uid 1000 to Postgres, files stay root's. setuid: where namespaces are forbidden. */
export type Privileges = "plain" | "namespace" | "setuid";

export interface Runner {
  privileges: Privileges;
  binaries: PostgresBinaries;
  /** The user that must own the files. */
  uid: number;
  /** A folder for the cluster which that user reaches. */
  home: string;
}

const nobody = 65_534;
/** Nothing of ours: provider keys don't belong into a server's environment. */
const environment = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", LC_ALL: "C", TZ: "UTC" };

/** Decides how to run Postgres for the embedded database kept in `home`. `forced` is for the tests of the fallbacks. */
export function chooseRunner(binaries: PostgresBinaries, home: string, forced?: Privileges): Runner {
  const privileges = forced ?? (process.geteuid?.() !== 0 ? "plain" : namespacesWork() ? "namespace" : "setuid");
  if (privileges !== "setuid") return { privileges, binaries, uid: process.geteuid?.() ?? 0, home };
  return {
    privileges,
    binaries: reachableByOthers(binaries.root) ? binaries : copyOfBinaries(binaries),
    uid: nobody,
    home: reachableByOthers(home) ? home : homeElsewhere(home),
  };
}

/** Where the cluster of a folder lives that its user doesn't reach. */
export function homeElsewhere(home: string): string {
  return `/var/tmp/svc-${shortHash(home)}`;
}

export function spawnPostgres(runner: Runner, program: string, args: string[], log: number): ChildProcess {
  const path = join(runner.binaries.bin, program);
  const [command, ...rest] = runner.privileges === "namespace" ? ["unshare", ...namespaceFlags, path, ...args] : [path, ...args];
  return spawn(command!, rest, {
    cwd: "/",
    detached: true, // a Ctrl-C at the terminal is for the gateway, which then decides
    stdio: ["ignore", log, log],
    env: environment,
    ...(runner.privileges === "setuid" ? { uid: nobody, gid: nobody } : {}),
  });
}

/** Gives a tree to the user who will run Postgres; a cluster may have been made under other privileges. */
export function ownTree(path: string, uid: number): void {
  if (process.geteuid?.() !== 0 || lstatSync(path).uid === uid) return;
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) ownTree(join(path, name), uid);
  chownSync(path, uid, uid); // the top last: it is what says that the work is done
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const namespaceFlags = ["--user", "--map-user=1000", "--map-group=1000"];

function namespacesWork(): boolean {
  return spawnSync("unshare", [...namespaceFlags, "true"], { env: environment, stdio: "ignore", timeout: 5000 }).status === 0;
}

/** Whether a user without any rights of ours gets through every folder on the way. */
function reachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function copyOfBinaries(binaries: PostgresBinaries): PostgresBinaries {
  const root = `/tmp/svc-postgres-${binaries.major}-${shortHash(binaries.root)}`;
  const copied = lstatSync(root, { throwIfNoEntry: false });
  // Anyone may make a folder of this name; only one that is root's is ours.
  if (copied && copied.uid !== 0) throw new Error(`${root} belongs to user ${copied.uid}, not to root; remove it`);
  if (!copied) {
    const draft = mkdtempSync(`${root}-`);
    cpSync(binaries.root, draft, { recursive: true, verbatimSymlinks: true });
    spawnSync("chmod", ["-R", "a+rX", draft]);
    try {
      renameSync(draft, root);
    } catch {
      rmSync(draft, { recursive: true }); // another process was quicker
    }
  }
  return { ...binaries, root, bin: join(root, "bin") };
}
