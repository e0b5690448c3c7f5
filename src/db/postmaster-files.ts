// The embedded database's files beside its data: postmaster.pid, the socket's folder, and the lock for starting and stopping it.
import { chownSync, closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

interface Postmaster {
  pid: number;
  /** The process lives and is the server of this very folder. */
  alive: boolean;
  /** The pid file says that the server takes connections. */
  ready: boolean;
}

export function readPostmaster(folder: string): Postmaster | undefined {
  const lines = readLines(join(folder, "postmaster.pid"));
  const pid = Number(lines?.[0]);
  if (!lines || !Number.isInteger(pid) || pid <= 0) return undefined;
  const alive = isPostmaster(pid, folder);
  return { pid, alive, ready: alive && lines[7]?.trim() === "ready" };
}

/**
 * A pid file whose process is a zombie (PID 1 of a container may not reap) or some other program with a re-used pid
 * keeps Postgres from starting. With its parent's pid in the first line Postgres goes on, and still refuses when
 * the shared memory named further down is in use; deleting the file would lose that check.
 */
export function takeOverPidFile(folder: string): void {
  const path = join(folder, "postmaster.pid");
  const lines = readLines(path);
  if (lines) writeFileSync(path, [String(process.pid), ...lines.slice(1)].join("\n"));
}

/** Created at each start: /tmp is shared, and a killed server's socket lock there would prevent the next start. */
export function makeSocketFolder(path: string, uid: number): void {
  try {
    rmSync(path, { recursive: true, force: true });
    mkdirSync(path, { mode: 0o700 });
  } catch (cause) {
    throw new Error(`the embedded database needs the folder ${path} for itself; remove it`, { cause });
  }
  if (process.geteuid?.() !== uid) chownSync(path, uid, uid);
}

function readLines(path: string): string[] | undefined {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return undefined;
  }
}

function isPostmaster(pid: number, folder: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPERM") return false;
  }
  if (process.platform !== "linux") return true;
  try {
    // Empty for a zombie. Not `exe`: that link needs rights which a process in another user namespace denies.
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(folder);
  } catch {
    return false;
  }
}

// Lets one process at a time do a short piece of work, by a file that only one can create.
// The work must still tolerate a second process: a lock whose owner died is broken, and two may break it at once.

export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  while (!take(path)) {
    if (ownerIsDead(path)) rmSync(path, { force: true });
    else await sleep(10);
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    const file = openSync(path, "wx", 0o600);
    writeSync(file, String(process.pid));
    closeSync(file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function ownerIsDead(path: string): boolean {
  let owner: number;
  try {
    owner = Number(readFileSync(path, "utf8"));
  } catch {
    return false; // gone meanwhile
  }
  if (!Number.isInteger(owner) || owner <= 0) return false; // just created, its pid not yet written
  try {
    process.kill(owner, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ESRCH";
  }
  return process.platform === "linux" && isZombie(owner);
}

function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\)/, ""));
  } catch {
    return true;
  }
}
