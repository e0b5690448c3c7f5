// Limits a thread by a core's time, not by the clock's: where others keep all cores busy, a thread gets a small part of one and comes late, but
// comes. For threads in which nothing waits: one that never ends uses a core.
import type { Worker } from "node:worker_threads";

/** Calls `tooLong` once the thread has used a core for so long from now on, before it has used twice that. Ended by what it returns. */
export function limitCore(worker: Worker, maxMs: number, tooLong: () => void): () => void {
  let first: number | undefined;
  const look = async () => {
    const used = await coreMs(worker);
    first ??= used ?? 0; // it has not begun yet
    if (used !== null && used - first >= maxMs) tooLong();
  };
  void look();
  const looking = setInterval(() => void look(), maxMs);
  return () => clearInterval(looking);
}

/** Null: the thread does not run yet, or no longer. */
async function coreMs(worker: Worker): Promise<number | null> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000;
  } catch {
    return null;
  }
}
