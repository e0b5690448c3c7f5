// The engine of media jobs in this process: runner, sweeper, late watch and those who wait for an end (README.md beside this file).
import { randomUUID } from "node:crypto";
import { inSlot, openSlots } from "../concurrency/slots.ts";
import { listen } from "../db/listen.ts";
import { isDatabaseAway } from "../db/transient-error.ts";
import { mayPass } from "../ledger/persist.ts";
import { openAccountTurns } from "./account-mutex.ts";
import { watchLate } from "./late-watch.ts";
import type { JobParts, JobsOptions } from "./parts.ts";
import { startRunner } from "./runner.ts";
import { tierLimits } from "./tiers.ts";
import { interval, jobTimes } from "./times.ts";
import type { Jobs } from "./types.ts";
import { openWaiters } from "./waiters.ts";

/** Where nobody hears of an end, whoever waits looks again soon; else an announcement that was lost with its process costs so much. */
const deafMs = 1_000;
const lookMs = 5_000;
/** Files that this process moves at once: each may be tens of megabytes on their way to the store. */
const transfersMax = 8;

export async function startJobs({ times, listenUrl, ...options }: JobsOptions): Promise<Jobs> {
  const waiters = openWaiters();
  const announcer = openAnnouncer(options);
  const transfers = openSlots(transfersMax, Infinity); // as many wait as jobs run
  const parts: JobParts = {
    ...options,
    times: { ...jobTimes, ...times },
    owner: randomUUID(),
    inTransfer: (work, signal) => inSlot(transfers, work, signal),
    inTurn: openAccountTurns(),
    hasEnded(shownId) {
      waiters.ended(shownId);
      announcer.announce(shownId);
    },
  };
  const stopping = new AbortController();
  const runner = startRunner(parts);
  const listener = await listen(
    listenUrl,
    ["media_turn", "media_job"],
    (channel, payload) => (channel === "media_job" ? waiters.ended(payload) : runner.wake()),
    () => {
      runner.wake();
      waiters.wakeAll();
    },
    parts.db.standing,
  );
  const sweeping = keepDoing(parts.times.sweepMs, parts, "sweeping jobs", async () => {
    if (await sweepJobs(parts)) runner.wake();
  });
  const watching = keepDoing(Math.min(parts.times.lateMs, 5_000), parts, "watching late jobs", () => watchLate(parts, stopping.signal));

  let stopped: Promise<void> | undefined;
  const stop = async (graceMs: number) => {
    stopping.abort();
    waiters.close(); // a long poll must not hold up the end of its server
    await Promise.all([sweeping.stop(), watching.stop(), runner.stop(graceMs)]);
    await announcer.drained();
    await listener.close();
  };
  const isDeaf = () => listener.heardUntil === -Infinity;
  return {
    ended: (shownId, ms, signal) => waiters.wait(shownId, Math.min(ms, isDeaf() ? deafMs : lookMs), signal),
    wake: runner.wake,
    useCatalog: (catalog) => void (parts.catalog = catalog),
    inTurn: parts.inTurn,
    submitPatienceMs: parts.times.submitPatienceMs,
    runWaitMs: parts.times.runWaitMs,
    stop: (graceMs) => (stopped ??= stop(graceMs)),
  };
}

/** One at a time. */
function keepDoing(
  everyMs: number,
  { onFault }: Pick<JobParts, "onFault">,
  what: string,
  work: () => Promise<void>,
): { stop(): Promise<void> } {
  let running: Promise<void> | null = null;
  const once = () =>
    work()
      .catch((error: unknown) => {
        if (!isDatabaseAway(error)) onFault(error, what);
      })
      .finally(() => (running = null));
  const timer = setInterval(() => (running ??= once()), everyMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}

// Ends jobs that waited too long or that nobody runs, and fills slots that stayed free, as after a deposit that raised the tier.

type Sweeping = Pick<JobParts, "db" | "catalog" | "times" | "onFault">;

/** Account by account, each in its own transaction; one that somebody holds waits for the next round. False: there was nothing to do. */
async function sweepJobs({ db, catalog, times, onFault }: Sweeping): Promise<boolean> {
  const values = [tierLimits(catalog.tiers), interval(times.queueLifeMs), interval(times.runLifeMs)];
  const { rows } = await db.pool.query<{ account_id: bigint }>("select account_id from media_untidy($1, $2, $3) u(account_id)", values);
  for (const { account_id } of rows) {
    try {
      await db.pool.query("select media_tidy($1, $2, $3, $4)", [account_id, ...values]);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (!mayPass(error)) onFault(error, `tidying the jobs of account ${account_id}`);
    }
  }
  return rows.length > 0;
}

// Tells every process which jobs have ended, a moment after their end: Postgres lets one transaction that notifies commit at a time, so an
// end that announced itself would make all others wait for its disk.

interface Announcer {
  announce(shownId: string): void;
  drained(): Promise<void>;
}

/** What is lost with a process or a connection costs whoever waits elsewhere until its next look at the row (jobs.ts). */
function openAnnouncer({ db, onFault }: Pick<JobParts, "db" | "onFault">): Announcer {
  let waiting: string[] = [];
  let telling: Promise<void> | null = null;

  const tellAll = async () => {
    while (waiting.length > 0) {
      const ids = waiting;
      waiting = [];
      await db.pool.query(announceSql, [ids]).catch((error: unknown) => {
        if (!isDatabaseAway(error)) onFault(error, "announcing ended jobs");
      });
    }
  };
  return {
    announce(shownId) {
      waiting.push(shownId);
      telling ??= tellAll().finally(() => (telling = null));
    },
    drained: async () => void (await telling),
  };
}

/** Nothing is written, so nothing is waited for. */
const announceSql = `
  with quick as materialized (select set_config('synchronous_commit', 'off', true))
  select pg_notify('media_job', id) from quick, unnest($1::text[]) id`;
