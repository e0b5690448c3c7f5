// Runs this process's share of the jobs: claims due ones, renews their leases, hands them over at the end.
import { isTransient } from "../db/transient-error.ts";
import { persist } from "../ledger/account-batcher.ts";
import { claimJobs, type ClaimedJob, giveBack, renewLeases } from "./claim.ts";
import type { JobParts } from "./parts.ts";
import { type RunEnd, runJob } from "./run-job.ts";

/**
 * A job polled every 2 s costs a process some 0.3 ms of work a second, and Postgres 0.2 ms every 3 s for its lease: 1000 of them take a
 * third of a core here and 7 % of one there; further jobs are for other replicas. It is 26 accounts of the highest tier with every slot
 * full of long videos, so from half of it on, claims go round the accounts.
 */
const runningMax = 1_000;
const shortFrom = runningMax / 2;
/** In one claim, so that replicas that wake together share the jobs. */
const claimMax = 32;
/** A process that stops while the database is unavailable gives nothing back: its leases end by themselves. */
const giveBackMs = 3_000;

interface RunningJob {
  job: ClaimedJob;
  /** Gives the job up without writing anything. */
  drop: AbortController;
  done: Promise<void>;
}

interface Runner {
  /** There may be a job to claim. */
  wake(): void;
  /** The job has been ended by an operator: its run here stops, rather than at the next renewal of its lease. */
  drop(id: string): void;
  stop(graceMs: number): Promise<void>;
}

export function startRunner(parts: JobParts): Runner {
  const running = new Map<string, RunningJob>();
  const handover = new AbortController();
  let claiming: Promise<void> | null = null;
  let again = false;
  let renewing: Promise<void> | null = null;

  const wake = () => {
    again = true;
    claiming ??= claimAll().finally(() => (claiming = null));
  };
  const claimAll = async () => {
    try {
      while (again && !handover.signal.aborted && running.size < runningMax) {
        again = false;
        const most = Math.min(claimMax, runningMax - running.size);
        const jobs = await claimJobs(parts, most, running.size >= shortFrom);
        if (jobs.length === most) again = true;
        for (const job of jobs) take(job);
      }
    } catch (error) {
      if (!isTransient(error)) parts.onFault(error, "claiming jobs");
    }
  };
  const take = (job: ClaimedJob) => {
    // The lease of a job that still runs here was over, e.g. after an outage: this claim has renewed it.
    if (running.has(job.id)) return;
    const drop = new AbortController();
    const run = () => runJob(parts, job, { signal: drop.signal, handover: handover.signal });
    const done = (parts.tracing === null ? run() : parts.tracing.resume(job.request.traceparent ?? null, run))
      .catch((error: unknown): RunEnd => {
        if (isTransient(error)) return "handed over";
        // A retry would fail the same way: the lease ends by itself.
        parts.onFault(error, `ending ${job.shown_id}`);
        return "dropped";
      })
      .then(async (end) => {
        if (end === "handed over") await letGo(parts, [job.id]);
        running.delete(job.id);
        wake(); // another job may have its slot now
      });
    running.set(job.id, { job, drop, done });
  };
  const waking = setInterval(wake, parts.times.wakeMs);
  const renewingTimer = setInterval(() => (renewing ??= renew(parts, running).finally(() => (renewing = null))), parts.times.renewMs);
  wake();

  return {
    wake,
    drop: (id) => running.get(id)?.drop.abort(),
    async stop(graceMs) {
      clearInterval(waking);
      handover.abort();
      await claiming;
      const all = Promise.all([...running.values()].map(({ done }) => done));
      const grace = setTimeout(() => {
        for (const { drop } of running.values()) drop.abort();
      }, graceMs);
      const left = [...running.keys()];
      await all;
      clearTimeout(grace);
      clearInterval(renewingTimer);
      await renewing;
      // Only jobs that were interrupted; the rest is no longer this process's.
      if (left.length > 0) await letGo(parts, left);
    },
  };
}

/** For another runner to take. */
function letGo(parts: JobParts, ids: readonly string[]): Promise<void> {
  return persist(giveBackMs, AbortSignal.timeout(giveBackMs), () => giveBack(parts, ids)).catch((error: unknown) => {
    if (!isTransient(error)) parts.onFault(error, "giving jobs back");
  });
}

async function renew(parts: JobParts, running: ReadonlyMap<string, RunningJob>): Promise<void> {
  const ids = [...running.keys()];
  if (ids.length === 0) return;
  try {
    const ours = await renewLeases(parts, ids);
    for (const id of ids) if (!ours.has(id)) running.get(id)?.drop.abort();
  } catch (error) {
    if (!isTransient(error)) parts.onFault(error, "renewing leases");
  }
}
