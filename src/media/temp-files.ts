// Where files lie while they are loaded and looked at. Each name says whose it is, so that what a dead process left is found.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** Set anew by every process: in a container that starts again, host and process id are the old ones. */
const thisProcess = randomUUID();
const host = hostname().replace(/[^A-Za-z0-9-]/g, "-");

/** Longer than any file is worked on; only then is one of another machine, whose processes can't be seen, thought dead. */
const abandonedMs = 6 * 3_600_000;

/** Runs `work` with a path where no file lies; whatever lies there afterwards is removed. */
export type WithTempFile = <T>(work: (path: string) => Promise<T>) => Promise<T>;

/** Makes the folder, and removes what dead processes left in it. */
export async function openTempFiles(folder: string): Promise<WithTempFile> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await sweep(folder);
  return async (work) => {
    const path = join(folder, `${host}.${process.pid}.${thisProcess}.${randomUUID()}`);
    try {
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  };
}

async function sweep(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process that starts now sweeps the same folder.
    const found = await stat(path).catch(() => null);
    if (found?.isFile() && (isOfTheDead(name) || Date.now() - found.mtimeMs > abandonedMs)) await rm(path, { force: true });
  }
}

function isOfTheDead(name: string): boolean {
  const [owner, pid, token] = name.split(".");
  if (owner !== host || token === thisProcess) return false;
  return Number(pid) === process.pid || !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// How much of what callers name by an address may lie on this disk at once, all requests together: each is bounded, and so is how many an
// account has at a time, but accounts are many and the disk is also the database's.

export interface DiskRoom {
  /** False: there is none. */
  take(path: string, bytes: number): boolean;
  /** The file at `path` goes. */
  release(path: string): void;
}

/** As for files that come in forms. */
export const diskRoomBytes = 4_294_967_296;

export function openDiskRoom(bytesMax: number): DiskRoom {
  const held = new Map<string, number>();
  let all = 0;
  return {
    take(path, bytes) {
      if (all + bytes > bytesMax) return false;
      all += bytes;
      held.set(path, (held.get(path) ?? 0) + bytes);
      return true;
    },
    release(path) {
      all -= held.get(path) ?? 0;
      held.delete(path);
    },
  };
}
