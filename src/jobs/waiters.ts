// Who waits for the end of a job, woken by what Postgres announces from whichever process ended it.
import { setTimeout as sleep } from "node:timers/promises";

export interface Waiters {
  /** False: no more ends are heard of here. */
  wait(shownId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** A job has ended. */
  ended(shownId: string): void;
  /** Nobody knows what was announced meanwhile: whoever waits looks for himself. */
  wakeAll(): void;
  /** Nobody waits any more, from now on. */
  close(): void;
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
  let closed = false;

  const wakeAll = () => {
    for (const own of [...waiting.values()]) for (const stop of [...own]) stop();
  };
  return {
    async wait(shownId, ms, signal) {
      if (closed || signal.aborted || performance.now() - (ends.get(shownId) ?? -Infinity) < rememberMs) return !closed;
      if (count >= waitersMax) {
        await sleep(Math.min(ms, blindMs), undefined, { signal }).catch(() => undefined);
        return !closed;
      }
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
      return !closed;
    },
    ended(shownId) {
      const now = performance.now();
      ends.delete(shownId);
      ends.set(shownId, now);
      for (const [id, at] of ends) {
        if (now - at < rememberMs && ends.size <= rememberedMax) break;
        ends.delete(id);
      }
      for (const stop of [...(waiting.get(shownId) ?? [])]) stop();
    },
    wakeAll,
    close() {
      closed = true;
      wakeAll();
    },
  };
}
