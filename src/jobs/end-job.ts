// Writes the end of a job: one statement moves it, its money and its row of the usage log (src/db/functions/media_finish.sql).
import { persist } from "../ledger/account-batcher.ts";
import { storableText } from "../ledger/usage-log.ts";
import type { Amount } from "../money.ts";
import type { ClaimedJob, JobAttempt } from "./claim.ts";
import type { JobFailure } from "./job-failure.ts";
import { interval, type JobParts } from "./parts.ts";
import { tierLimits } from "./submit-request.ts";
import type { JobOutput } from "./types.ts";

/** What was made, and its cost. */
export interface Delivered {
  output: JobOutput;
  charged: Amount;
  /** In the unit of the job's prices. */
  units: number;
}

export interface FailedEnding {
  failure: JobFailure;
  /** The upstream may still make it. */
  watch: boolean;
}

export type Ending = { delivered: Delivered } | FailedEnding;

/**
 * A restart of Postgres must not lose what is made. The lease may be over by then, but only a runner that takes the job over can end it: the
 * statement itself checks the owner.
 */
const timeoutMs = 60_000;

/** False: the job was no longer this runner's, or an earlier attempt of this call ended it and its answer was lost. */
export async function endJob(
  parts: JobParts,
  job: ClaimedJob,
  ending: Ending,
  attempts: readonly JobAttempt[],
  signal: AbortSignal,
): Promise<boolean> {
  const { db, owner, catalog, times, accountMutex } = parts;
  const done = "delivered" in ending ? ending.delivered : null;
  const failure = "failure" in ending ? ending.failure : null;
  const values = [
    job.id,
    owner,
    done === null ? "failed" : "succeeded",
    done?.charged ?? null,
    done?.units ?? null,
    done === null ? null : JSON.stringify(done.output),
    failure?.code ?? null,
    failure === null ? null : storableText(failure.message),
    failure === null || failure.word === null ? null : storableText(failure.word),
    JSON.stringify(attempts),
    "watch" in ending && ending.watch ? interval(times.lateMs) : null,
    tierLimits(catalog.tiers),
  ];
  const sql = "select media_finish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as done";
  const { rows } = await persist(timeoutMs, signal, () =>
    accountMutex(job.account_id, signal, () => db.pool.query<{ done: boolean }>(sql, values)),
  );
  parts.hasEnded(job.shown_id);
  if (rows[0]!.done) countEnd(parts, job, done, attempts);
  return rows[0]!.done;
}

function countEnd(parts: JobParts, job: ClaimedJob, done: Delivered | null, attempts: readonly JobAttempt[]): void {
  const { counts } = parts;
  const { kind, model, operation, prices } = job;
  const status = done === null ? "failed" : "success";
  counts.countJobEnd(kind, status);
  counts.countCharge({
    ...noTokens,
    model,
    operation,
    status,
    units: done?.units ?? 0,
    unit: prices.unit,
    cost: String(done?.charged ?? 0n),
    attempts,
  });
  logCharge(parts, job, done?.charged ?? 0n);
}

/** A line that comes twice counts once. */
export function logCharge({ chargeLog }: JobParts, job: ClaimedJob, amount: Amount): void {
  chargeLog?.add({ at: new Date(), accountId: job.account_id, id: job.id, requestId: job.request_id, amount });
}

const noTokens = { input_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 0 };
