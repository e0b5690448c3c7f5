// How many wait for the end of a media job inside the gateway.
import type { Gateway } from "./gateway.ts";

export interface Waiters {
  now: number;
  restore(): void;
}

export function countWaiters({ context }: Gateway): Waiters {
  const { jobs } = context;
  const counted = { now: 0, restore: () => void (context.jobs = jobs) };
  context.jobs = {
    ...jobs,
    async ended(...of) {
      counted.now += 1;
      return await jobs.ended(...of).finally(() => (counted.now -= 1));
    },
  };
  return counted;
}
