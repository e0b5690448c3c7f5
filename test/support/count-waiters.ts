// How many wait for the end of a media job inside the gateway.
import type { Gateway } from "./gateway.ts";

export interface Waiters {
  now: number;
  restore(): void;
}

/** Each waits `times` as long as its caller asked for: on a busy machine a thousand of them may not arrive within that. */
export function countWaiters({ context }: Gateway, { times = 1 } = {}): Waiters {
  const { jobs } = context;
  const counted = { now: 0, restore: () => void (context.jobs = jobs) };
  context.jobs = {
    ...jobs,
    async ended(shownId, ms, signal) {
      counted.now += 1;
      return await jobs.ended(shownId, ms * times, signal).finally(() => (counted.now -= 1));
    },
  };
  return counted;
}
