// Reading a job that its caller wants to see ended: it is read once, waited for, and read again.
import type { Context } from "../context.ts";
import type { ReadJob } from "./read-jobs.ts";
import { isFinal } from "./show-job.ts";

interface Waiting {
  shownId: string;
  /** 0: as it stands. */
  ms: number;
  /** Whoever has gone waits no longer. */
  signal: AbortSignal;
}

/** The job as it stands after its end or after `ms`; undefined where `read` finds none. */
export async function awaitEnd(
  { jobs }: Pick<Context, "jobs">,
  { shownId, ms, signal }: Waiting,
  read: () => Promise<ReadJob | undefined>,
): Promise<ReadJob | undefined> {
  const enough = new AbortController();
  try {
    // Begun before the first read, so that no end falls between the two.
    const ended = jobs.ended(shownId, ms, AbortSignal.any([signal, enough.signal]));
    const job = await read();
    if (job === undefined || isFinal(job)) return job;
    await ended;
    return signal.aborted ? job : await read();
  } finally {
    enough.abort();
  }
}
