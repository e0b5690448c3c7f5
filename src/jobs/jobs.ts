// The engine of media jobs in this process: runner, sweeper, late watch and those who wait for an end (README.md beside this file).
import { randomUUID } from "node:crypto";
import { isDatabaseAway } from "../db/transient-error.ts";
import { listen } from "../db/listen.ts";
import { inSlot, openSlots } from "../concurrency/slots.ts";
import { openAccountTurns } from "./account-mutex.ts";
import { openAnnouncer } from "./announcer.ts";
import { watchLate } from "./late-watch.ts";
import type { JobParts, JobsOptions } from "./parts.ts";
import { startRunner } from "./runner.ts";
import { sweepJobs } from "./sweep.ts";
import { jobTimes } from "./times.ts";
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
