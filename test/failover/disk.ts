// The disk of a machine: a file system of its own, so that it can be full while the others' are not. It is one in memory, which only root may
// mount, and not in every container.
import { spawnSync } from "node:child_process";
import { mkdirSync, statfsSync } from "node:fs";

export interface Disk {
  /** From here on it has no free block; what is written to blocks that files have already still succeeds. */
  fill(): void;
  /** Makes it as large as it was. */
  free(): void;
  unmount(): void;
}

/** More than a machine of a whole run needs. What is not written takes no memory. */
const bytes = 2 ** 31;

const mounted = new Set<string>();
// Of a run that is ended from outside. Before the run removes its folder: this module is loaded first.
process.once("exit", () => mounted.forEach(unmount));

/** Makes this folder; null: it is an ordinary one, since nothing can be mounted here. */
export function mountDisk(path: string): Disk | null {
  mkdirSync(path);
  if (process.getuid?.() !== 0 || !mount("-t", "tmpfs", "-o", `size=${bytes},mode=755`, "tmpfs", path)) return null;
  mounted.add(path);
  const resize = (size: number) => mount("-o", `remount,size=${size}`, path);
  return {
    fill() {
      // Beside what writes at the same moment: it can't be made smaller than what is in it.
      for (let n = 0; n < 100; n += 1) {
        const { blocks, bfree, bsize } = statfsSync(path);
        if (resize((blocks - bfree) * bsize)) return;
      }
      throw new Error(`${path} could not be filled`);
    },
    free() {
      if (!resize(bytes)) throw new Error(`${path} could not be emptied`);
    },
    unmount: () => unmount(path),
  };
}

const mount = (...words: string[]) => spawnSync("mount", words, { stdio: "ignore" }).status === 0;

function unmount(path: string): void {
  if (mounted.delete(path)) spawnSync("umount", ["--lazy", path], { stdio: "ignore" }); // what still runs there is ended next
}
