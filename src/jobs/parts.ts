// What the engine of jobs is given, what it passes to its steps, and its times.
import type { Logger } from "pino";
import type { Catalog } from "../catalog/types.ts";
import type { AccountMutex } from "../concurrency/slots.ts";
import type { Db } from "../db/connect.ts";
import type { ChargeLog } from "../ledger/charge-log.ts";
import type { JobKind } from "./types.ts";
import type { Media } from "../media/types.ts";
import type { Adapters } from "../providers/adapters.ts";
import type { Breakers } from "../routing/breaker.ts";
import type { CallCounts } from "../telemetry/call-figures.ts";
import type { Tracing } from "../tracing.ts";

export interface JobsOptions {
  db: Db;
  /** A direct address of Postgres, without a transaction pooler. */
  listenUrl: string;
  catalog: Catalog;
  providers: Pick<Adapters, "images" | "videos" | "queues">;
  breakers: Breakers;
  media: Pick<Media, "keep" | "store">;
  log: Logger;
  onFault: (error: unknown, what: string) => void;
  /** For /metrics: attempts at upstreams, the cost of ended jobs. */
  counts: Pick<CallCounts, "countAttempt" | "countFailure" | "countCharge" | "countExpense" | "countJobEnd">;
  /** Null: charges have none. */
  chargeLog: Pick<ChargeLog, "add"> | null;
  times?: Partial<JobTimes>;
  /** Null: off. */
  tracing: Tracing | null;
}

/** What each step of a job may use. */
export interface JobParts extends Omit<JobsOptions, "times" | "listenUrl"> {
  times: JobTimes;
  /** This process's name in every lease. */
  owner: string;
  /** For work that locks an account's balance. */
  accountMutex: AccountMutex;
  /** Notifies the waiters of every process. */
  hasEnded: (shownId: string) => void;
  /** For storing files, of which only so many run at once in this process. */
  inTransfer: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/** How long a job is this runner's. */
export interface Held {
  /** Fires when the lease is lost or the process stops: nothing more is written. */
  signal: AbortSignal;
  /** Fires when this process stops: hand over what another one can continue. */
  handover: AbortSignal;
}

// All times of a job (docs/behaviour/media-jobs.md#times). Tests shorten the ones that they would have to wait for.

export interface JobTimes {
  /** From the asking of a route to the end; after that the job has failed with `timeout`. */
  deadlineMs: Record<JobKind, number>;
  /** The length of a lease, which is renewed about three times within it. */
  leaseMs: number;
  renewMs: number;
  /** How often a runner looks for due jobs without being notified. */
  wakeMs: number;
  /** Pauses between two polls of an upstream grow from the first to the last. */
  lookMs: { first: number; last: number };
  /** How long a job may wait for a slot, and how long after its start it may still be unfinished. */
  queueLifeMs: number;
  runLifeMs: number;
  sweepMs: number;
  /** How often a process looks whether jobs that are waited for have ended, since a notification may be lost. */
  endsMs: number;
  /** How often a job that was given up is polled, until runLifeMs after its route was asked. */
  lateMs: number;
  /** How long a submit, and then the read of its job, retries while an account is busy or Postgres fails over. */
  submitTimeoutMs: number;
  /** How long `POST /v1/genmedia/run` waits for its job. */
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
  endsMs: 1_000,
  lateMs: 30_000,
  submitTimeoutMs: 8_000,
  runWaitMs: 25_000,
};

/** As a Postgres interval. */
export function interval(ms: number): string {
  return `${ms} milliseconds`;
}
