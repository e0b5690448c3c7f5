// The engine of media jobs in this process: runner, sweep, late watch and waiters (README.md beside this file).
import { randomUUID } from "node:crypto";
import { keepDoing } from "../concurrency/keep-doing.ts";
import { inSlot, openAccountMutex, openSlots } from "../concurrency/slots.ts";
import type { Queries } from "../db/connect.ts";
import { listen } from "../db/listen.ts";
import { isTransient } from "../db/transient-error.ts";
import { mayPass } from "../ledger/account-batcher.ts";
import { watchLate } from "./late-watch.ts";
import { interval, type JobParts, type JobsOptions, jobTimes } from "./parts.ts";
import { parseJobId } from "./read-jobs.ts";
import { startRunner } from "./runner.ts";
import { tierLimits } from "./submit-request.ts";
import type { Jobs } from "./types.ts";
import { openWaiters, type Waiters } from "./waiters.ts";

/** In one statement. */
const lookedForMax = 1_000;
/** Files that this process moves at once: each may be tens of megabytes on their way to the store. */
const transfersMax = 8;

export async function startJobs({ times, listenUrl, ...options }: JobsOptions): Promise<Jobs> {
  const waiters = openWaiters();
  const publisher = openPublisher(options);
  const transfers = openSlots(transfersMax, Infinity); // as many wait as jobs run
  const parts: JobParts = {
    ...options,
    times: { ...jobTimes, ...times },
    owner: randomUUID(),
    inTransfer: (work, signal) => inSlot(transfers, work, signal),
    accountMutex: openAccountMutex(),
    hasEnded(shownId) {
      waiters.ended(shownId);
      publisher.publish(shownId);
    },
  };
  const stopping = new AbortController();
  const runner = startRunner(parts);
  const listener = await listen(
    listenUrl,
    ["media_turn", "media_job", "media_cancel"],
    (channel, payload) => {
      if (channel === "media_job") waiters.ended(payload);
      else if (channel === "media_cancel") runner.drop(payload);
      else runner.wake();
    },
    () => {
      runner.wake();
      waiters.wakeAll();
    },
    parts.db.checks,
  );
  const sweepAndWake = async () => {
    if (await sweepJobs(parts)) runner.wake();
  };
  const sweeping = keepDoing(parts.times.sweepMs, () => sweepAndWake().catch(reportLasting("sweeping jobs", parts)));
  const watch = () => watchLate(parts, stopping.signal).catch(reportLasting("watching late jobs", parts));
  const watching = keepDoing(Math.min(parts.times.lateMs, 5_000), watch);

  const look = () => lookForEnds(parts.db, waiters).catch(reportLasting("looking for ended jobs", parts));
  const looking = keepDoing(parts.times.endsMs, look);

  let stopped: Promise<void> | undefined;
  const stop = async (graceMs: number) => {
    stopping.abort();
    waiters.close(); // a long poll must not delay the server's shutdown
    await Promise.all([sweeping.stop(), watching.stop(), looking.stop(), runner.stop(graceMs)]);
    await publisher.drained();
    await listener.close();
  };
  return {
    ended: waiters.wait,
    wake: runner.wake,
    useCatalog: (catalog) => void (parts.catalog = catalog),
    accountMutex: parts.accountMutex,
    submitTimeoutMs: parts.times.submitTimeoutMs,
    runWaitMs: parts.times.runWaitMs,
    stop: (graceMs) => (stopped ??= stop(graceMs)),
  };
}

/** A database that is away for a moment is no fault: the next run does it. */
function reportLasting(what: string, { onFault }: Pick<JobParts, "onFault">) {
  return (error: unknown) => {
    if (!isTransient(error)) onFault(error, what);
  };
}

/** Of all jobs that are waited for, however many wait for each. */
async function lookForEnds({ pool }: Queries, waiters: Waiters): Promise<void> {
  const ids = waiters.awaited();
  while (ids.length > 0) {
    const { rows } = await pool.query<{ shown_id: string }>(
      "select shown_id from media_job where id = any($1) and completed_at is not null",
      [ids.splice(0, lookedForMax).map((shownId) => parseJobId(shownId)?.id)],
    );
    for (const { shown_id } of rows) waiters.ended(shown_id);
  }
}

// The sweep: ends jobs that waited too long or that no process runs, and fills slots that stayed free, e.g. after a deposit that raised the tier.

type Sweeping = Pick<JobParts, "db" | "catalog" | "times" | "onFault">;

/** One transaction for each account; an account whose balance is held waits for the next round. Returns false if there was nothing to do. */
async function sweepJobs({ db, catalog, times, onFault }: Sweeping): Promise<boolean> {
  const values = [tierLimits(catalog.tiers), interval(times.queueLifeMs), interval(times.runLifeMs)];
  const { rows } = await db.pool.query<{ account_id: bigint }>("select account_id from media_untidy($1, $2, $3) u(account_id)", values);
  for (const { account_id } of rows) {
    try {
      await db.pool.query("select media_tidy($1, $2, $3, $4)", [account_id, ...values]);
    } catch (error) {
      if (isTransient(error)) throw error;
      if (!mayPass(error)) onFault(error, `tidying the jobs of account ${account_id}`);
    }
  }
  return rows.length > 0;
}

// Notifies every process of ended jobs, a moment after their end: Postgres lets one notifying transaction commit at a time, so if each end
// notified by itself, all others would wait for its disk.

interface Publisher {
  publish(shownId: string): void;
  drained(): Promise<void>;
}

/** A notification that is lost with a process or a connection delays waiters elsewhere until they next read the row. */
function openPublisher({ db, onFault }: Pick<JobParts, "db" | "onFault">): Publisher {
  let waiting: string[] = [];
  let publishing: Promise<void> | null = null;

  const publishAll = async () => {
    while (waiting.length > 0) {
      const ids = waiting;
      waiting = [];
      await db.pool.query(publishSql, [ids]).catch(reportLasting("publishing ended jobs", { onFault }));
    }
  };
  return {
    publish(shownId) {
      waiting.push(shownId);
      publishing ??= publishAll().finally(() => (publishing = null));
    },
    drained: async () => void (await publishing),
  };
}

/** Writes nothing, so it need not wait for the disk. */
const publishSql = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true))
  select pg_notify('media_job', id) from quick, unnest($1::text[]) id`;
