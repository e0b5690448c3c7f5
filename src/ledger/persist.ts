// Retries transient errors: an unavailable database, or an account whose balance is held. Only for statements that may run twice.
import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "../db/transient-error.ts";
import { isAccountHeld } from "./account-batcher.ts";

const pauseMs = 200;

/** Retries until `ms` have passed or the signal fires, then throws the last error. */
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

/** Whether the same statement may succeed a moment later. */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || isAccountHeld(error);
}
