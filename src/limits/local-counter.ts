// The same counter in this process's memory, for what one process decides alone: the cheap ceiling, and reads while the
// database is away. Bounded: the keys longest unused are forgotten. Its time is performance.now(), which no clock that is set moves.
import { LRUCache } from "lru-cache";
import { laterCount, minuteMs, usedOf, waitMs, type WindowCount } from "./window.ts";

interface LocalCounter {
  /** Counts one more; what is refused counts too where `countRefused` says so. */
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
