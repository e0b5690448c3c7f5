// One process at a time through a short piece of work, by a file that only one can create.
// The work must stand a second process all the same: a lock whose owner died is broken, and two may break it at once.
import { closeSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

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
  if (!Number.isInteger(owner) || owner <= 0) return false; // created this instant, its number not yet written
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
