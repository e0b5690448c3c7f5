// Repeats what fails while a cluster changes, until it succeeds or has failed for too long.
import { setTimeout as sleep } from "node:timers/promises";

export async function eventually<T>(work: () => Promise<T>, forMs: number): Promise<T> {
  for (const giveUpAt = performance.now() + forMs; ;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await sleep(200);
    }
  }
}
