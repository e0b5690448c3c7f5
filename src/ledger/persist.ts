// Repeats what a database that is away, or an account that somebody holds, did not do. Only for statements that may run twice.
import { setTimeout as sleep } from "node:timers/promises";
import { isDatabaseAway } from "../db/transient-error.ts";
import { isAccountHeld } from "./account-batcher.ts";

const pauseMs = 200;

/** Until `ms` are over or the signal fires; then the last error is thrown. */
export async function persist<T>(ms: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || performance.now() > giveUpAt || signal.aborted) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

/** The same statement may succeed a moment later. */
export function mayPass(error: unknown): boolean {
  return isDatabaseAway(error) || isAccountHeld(error);
}
