// Reads a job whose caller waits for its end: reads it, waits, and reads it again.
import type { Context } from "../context.ts";
import type { ReadJob } from "./read-jobs.ts";
import { isFinal } from "./show-job.ts";

interface Waiting {
  shownId: string;
  ms: number;
  /** The client's: a disconnect ends the wait. */
  signal: AbortSignal;
}

/** The job after its end, after `ms`, or once this process stops; undefined where `read` finds none. */
export async function awaitEnd(
  { jobs }: Pick<Context, "jobs">,
  { shownId, ms, signal }: Waiting,
  read: () => Promise<ReadJob | undefined>,
): Promise<ReadJob | undefined> {
  const until = performance.now() + ms;
  const enough = new AbortController();
  const either = AbortSignal.any([signal, enough.signal]);
  try {
    for (;;) {
      // Begun before the read, so that no end falls between the two.
      const ended = jobs.ended(shownId, Math.max(0, until - performance.now()), either);
      const job = await read();
      if (job === undefined || isFinal(job) || signal.aborted || performance.now() >= until) return job;
      if (!(await ended)) return await read();
    }
  } finally {
    enough.abort();
  }
}
