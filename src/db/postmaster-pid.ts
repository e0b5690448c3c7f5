// Reads and minds what a running Postgres leaves in the file system: postmaster.pid and the socket's folder.
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

interface Postmaster {
  pid: number;
  /** The process lives and is the server of this very folder. */
  alive: boolean;
  /** It says that it takes connections. */
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

/** Made anew at each start: /tmp is shared, and a killed server's socket lock there would keep the next from starting. */
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
