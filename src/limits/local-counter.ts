// The same sliding-window counter in this process's memory: for the cheap ceiling, and for reads while the database is unavailable. Bounded:
// drops the keys that were not used for longest. Uses performance.now(), which setting the clock does not move.
import { LRUCache } from "lru-cache";
import { laterCount, minuteMs, usedOf, waitMs, type WindowCount } from "./window.ts";

interface LocalCounter {
  /** Counts one more; a refused one counts too if `countRefused` is set. */
  count(key: string, limit: number): LocalDecision;
  /** How long until one more is within the limit; 0: it is. Counts nothing. */
  waitMs(key: string, limit: number): number;
}

interface LocalDecision {
  within: boolean;
  count: WindowCount;
  /** How long until one more is within the limit. */
  waitMs: number;
}

const keysMax = 50_000;

export function createLocalCounter({ countRefused }: { countRefused: boolean }): LocalCounter {
  const counts = new LRUCache<string, WindowCount>({ max: keysMax });
  const countOf = (key: string): WindowCount => {
    const atMs = Math.floor(performance.now());
    const known = counts.get(key);
    return known ? laterCount(known, atMs) : { atMs, lengthMs: minuteMs, current: 0, previous: 0 };
  };
  return {
    waitMs(key, limit) {
      const now = countOf(key);
      return usedOf(now) + 1 <= limit ? 0 : waitMs(now, 1, limit);
    },
    count(key, limit) {
      const before = countOf(key);
      const within = usedOf(before) + 1 <= limit;
      const count = within || countRefused ? { ...before, current: before.current + 1 } : before;
      counts.set(key, count);
      return { within, count, waitMs: within ? 0 : waitMs(count, 1, limit) };
    },
  };
}
