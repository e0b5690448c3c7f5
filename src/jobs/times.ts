// How long everything of a job may take. Tests shorten what they would otherwise wait for.
import type { JobKind } from "./types.ts";

export interface JobTimes {
  /** From the asking of a route to the end; then the job has failed with `timeout` (gateway-api.md: image runner 5 minutes). */
  deadlineMs: Record<JobKind, number>;
  /** OPERATOR.md: a lease is 10 s, renewed every 3 s. */
  leaseMs: number;
  renewMs: number;
  /** A runner looks for work so often even when nobody tells it of any. */
  wakeMs: number;
  /** Pauses between two looks at an upstream grow from the first to the second. */
  lookMs: { first: number; last: number };
  /** WIRE.md 15.5: so long a job may wait for a slot, and be found unfinished after its start. */
  queueLifeMs: number;
  runLifeMs: number;
  sweepMs: number;
  /** A job that was given up is looked at again so often, until runLifeMs after it was asked for. */
  lateMs: number;
  /** A submit, and then the reading of what it made, wait so long for a busy account or a Postgres that fails over. */
  submitPatienceMs: number;
  /** gateway-api.md "Genmedia sync wait". */
  runWaitMs: number;
}

export const jobTimes: JobTimes = {
  deadlineMs: { image: 5 * 60_000, video: 20 * 60_000 },
  leaseMs: 10_000,
  renewMs: 3_000,
  wakeMs: 1_000,
  lookMs: { first: 500, last: 2_000 },
  queueLifeMs: 60 * 60_000,
  runLifeMs: 30 * 60_000,
  sweepMs: 10_000,
  lateMs: 30_000,
  submitPatienceMs: 8_000,
  runWaitMs: 25_000,
};

/** As Postgres takes an interval. */
export function interval(ms: number): string {
  return `${ms} milliseconds`;
}
