// Who waits for the end of a job, woken by what Postgres announces from whichever process ended it.
import { setTimeout as sleep } from "node:timers/promises";

export interface Waiters {
  wait(shownId: string, ms: number, signal: AbortSignal): Promise<void>;
  /** A job has ended. */
  ended(shownId: string): void;
  /** Nobody knows what was announced meanwhile: whoever waits looks for himself. */
  wakeAll(): void;
}

/** More would be more open requests than a process takes; the rest looks again after a second. */
const waitersMax = 10_000;
const blindMs = 1_000;
/** An end that was announced between a caller's look at the row and its wait is still known. */
const rememberMs = 5_000;
const rememberedMax = 10_000;

export function openWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  const ends = new Map<string, number>();
  let count = 0;

  return {
    async wait(shownId, ms, signal) {
      if (signal.aborted || performance.now() - (ends.get(shownId) ?? -Infinity) < rememberMs) return;
      if (count >= waitersMax) return await sleep(Math.min(ms, blindMs), undefined, { signal }).catch(() => undefined);
      count += 1;
      await new Promise<void>((resolve) => {
        const own = waiting.get(shownId) ?? new Set();
        const stop = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", stop);
          if (own.delete(stop)) count -= 1;
          if (own.size === 0 && waiting.get(shownId) === own) waiting.delete(shownId);
          resolve();
        };
        const timer = setTimeout(stop, ms);
        signal.addEventListener("abort", stop, { once: true });
        waiting.set(shownId, own.add(stop));
      });
    },
    ended(shownId) {
      ends.delete(shownId);
      ends.set(shownId, performance.now());
      const [oldest] = ends.keys();
      if (ends.size > rememberedMax) ends.delete(oldest!);
      for (const stop of [...(waiting.get(shownId) ?? [])]) stop();
    },
    wakeAll() {
      for (const own of [...waiting.values()]) for (const stop of [...own]) stop();
    },
  };
}
