// What the engine of jobs is given, and what it passes to its steps. Types only.
import type { Logger } from "pino";
import type { Catalog } from "../catalog/types.ts";
import type { Db } from "../db/connect.ts";
import type { Media } from "../media/types.ts";
import type { Adapters } from "../providers/adapters.ts";
import type { Breakers } from "../routing/breaker.ts";
import type { CallCounts } from "../telemetry/call-figures.ts";
import type { Tracing } from "../tracing.ts";
import type { AccountMutex } from "./account-mutex.ts";
import type { JobTimes } from "./times.ts";

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
