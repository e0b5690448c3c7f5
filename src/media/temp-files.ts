// Temporary files for downloads and checks. Each name says which process owns it, so that files of a dead process are found and removed.
import { randomUUID } from "node:crypto";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";

/** New for every process: in a restarted container, host name and process id are the same as before. */
const thisProcess = randomUUID();
const host = hostname().replace(/[^A-Za-z0-9-]/g, "-");

/** Longer than any file is in use. A file of another machine, whose processes can't be seen, counts as abandoned only after that. */
const abandonedMs = 6 * 3_600_000;

/** Runs `work` with a fresh path and removes whatever is there afterwards. */
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
    // Another process that starts now may sweep the same folder.
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

// Bounds how much all requests together may download to this disk. Each file is bounded, and the number for each account, but there are
// many accounts, and the database may use the same disk.

export interface DiskRoom {
  /** False: there is no room. */
  take(path: string, bytes: number): boolean;
  /** The file at `path` is removed: its room is free again. */
  release(path: string): void;
}

/** The same bound as for uploaded files. */
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
