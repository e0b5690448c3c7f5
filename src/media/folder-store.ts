// Files in a folder of this machine. A file appears under its name complete and synced, or not at all.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Store } from "./types.ts";

/** Bytes of one read: a video of 100 MB takes 400 reads. */
const readBytes = 256 * 1024;

export function openFolderStore(folder: string): Store {
  // 256 folders, so that none holds millions of files.
  const pathOf = (name: string) => join(folder, name.slice(0, 2), name);

  return {
    async put(name, path) {
      const target = pathOf(name);
      await mkdir(dirname(target), { recursive: true });
      await sync(path);
      try {
        await rename(path, target);
      } catch (error) {
        if (codeOf(error) !== "EXDEV") throw error;
        await copyIn(path, target);
      }
      await sync(dirname(target));
    },
    async open(name, range) {
      const file = await ifThere(open(pathOf(name)));
      if (file === null) return null;
      try {
        const { size } = await file.stat();
        const part = range === null ? {} : { start: range.from, end: Math.min(range.to, size - 1) };
        return { size, stream: file.createReadStream({ highWaterMark: readBytes, ...part }) };
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    size: async (name) => (await ifThere(stat(pathOf(name))))?.size ?? null,
    remove: (name) => rm(pathOf(name), { force: true }),
    close: () => Promise.resolve(),
  };
}

/** The folder is on another disk than the file: copies it beside its final path, under a name that is never served, then renames it. */
async function copyIn(path: string, target: string): Promise<void> {
  const beside = join(dirname(target), `.${randomUUID()}`);
  try {
    await copyFile(path, beside, constants.COPYFILE_EXCL);
    await sync(beside);
    await rename(beside, target);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}

async function sync(path: string): Promise<void> {
  const file = await open(path);
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
