// Requests that wait for the end of a job, woken by the notification from whichever process ended it: how long their caller wants to wait,
// and the error reply of a job that failed meanwhile (docs/behaviour/media-jobs.md#genmedia, #images-client).
import { setTimeout as sleep } from "node:timers/promises";
import type { Caller } from "../accounts/caller.ts";
import { refuseUnpaid } from "../calls/refusals.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { mayPass, persist } from "../ledger/account-batcher.ts";
import { readBalance, readLimitedKey } from "../ledger/balance.ts";
import { type ReadJob, readJob } from "./read-jobs.ts";
import { isFinal } from "./show-job.ts";

export interface Waiters {
  /** False: this process stops, and no more ends are heard of. */
  wait(shownId: string, ms: number, signal: AbortSignal): Promise<boolean>;
  /** The jobs that are waited for. */
  awaited(): string[];
  /** A job has ended. */
  ended(shownId: string): void;
  /** Notifications may have been lost: every waiter reads its row again. */
  wakeAll(): void;
  /** Ends all waits, now and later. */
  close(): void;
}

/** A process can't hold more open requests; further ones wait a second and read again. */
const waitersMax = 10_000;
const blindMs = 1_000;
/** How long an end is remembered, for a caller that read the row just before it and begins to wait just after. */
const rememberMs = 5_000;
const rememberedMax = 10_000;

export function openWaiters(): Waiters {
  const waiting = new Map<string, Set<() => void>>();
  const ends = new Map<string, number>();
  let count = 0;
  let closed = false;

  const wakeAll = () => {
    for (const own of [...waiting.values()]) for (const stop of [...own]) stop();
  };
  return {
    async wait(shownId, ms, signal) {
      if (closed || signal.aborted || performance.now() - (ends.get(shownId) ?? -Infinity) < rememberMs) return !closed;
      if (count >= waitersMax) {
        await sleep(Math.min(ms, blindMs), undefined, { signal }).catch(() => undefined);
        return !closed;
      }
      count += 1;
      await new Promise<void>((resolve) => {
        const own = waiting.get(shownId) ?? new Set();
        const stop = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", stop);
          if (own.delete(stop)) count -= 1;
          if (own.size === 0 && waiting.get(shownId) === own) waiting.delete(shownId);
          resolve();
        };
        const timer = setTimeout(stop, ms);
        signal.addEventListener("abort", stop, { once: true });
        waiting.set(shownId, own.add(stop));
      });
      return !closed;
    },
    awaited: () => [...waiting.keys()],
    ended(shownId) {
      const now = performance.now();
      ends.delete(shownId);
      ends.set(shownId, now);
      for (const [id, at] of ends) {
        if (now - at < rememberMs && ends.size <= rememberedMax) break;
        ends.delete(id);
      }
      for (const stop of [...(waiting.get(shownId) ?? [])]) stop();
    },
    wakeAll,
    close() {
      closed = true;
      wakeAll();
    },
  };
}

// Reads a job whose caller waits for its end: reads it, waits, and reads it again.

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
      if (!(await ended)) return job; // an end would have woken it; a thousand reads would hold up the stop
    }
  } finally {
    enough.abort();
  }
}

const outageMs = 1_000;

/** A job that was just submitted, once it has ended, or as it is after `ms`. */
export async function awaitSubmitted(
  context: Pick<Context, "jobs" | "db" | "catalog">,
  { caller, submitted, ms, signal }: { caller: Caller; submitted: ReadJob; ms: number; signal: AbortSignal },
): Promise<ReadJob> {
  // The job is accepted and held for: a transient error of the database must not become the answer, or its payer would never hear of the job.
  const read = () =>
    persist(outageMs, signal, () => readJob(context, caller, submitted.id)).catch((error: unknown) => {
      if (mayPass(error)) return submitted;
      throw error;
    });
  return (await awaitEnd(context, { shownId: submitted.shown_id, ms, signal }, read)) ?? submitted;
}

type Failing = Pick<Context, "db" | "catalog" | "publicUrl">;

interface Failed {
  job: ReadJob;
  caller: Caller;
  model: Model;
}

/** `inside`: fields inside `error`. */
export async function failedJob(context: Failing, { job, caller, model }: Failed, inside: Record<string, unknown> = {}): Promise<never> {
  if (job.error_code === "insufficient_credits") return refuseMoney(context, { job, caller, model });
  const message = job.error_message === null ? {} : { message: job.error_message };
  return fail(job.error_code ?? "provider_error", { ...message, inside });
}

/** Jobs have one code for an account that can't pay and a key whose budget is too small; refusals have two. */
async function refuseMoney(context: Failing, { job, caller, model }: Failed): Promise<never> {
  const { available = 0n } = (await readBalance(context.db, caller.accountId)) ?? {};
  const key = available < job.estimated || caller.keyId === null ? undefined : await readLimitedKey(context.db, caller.keyId);
  const keyLeft = key?.left ?? null;
  const refused = keyLeft !== null && keyLeft < job.estimated ? "key" : "balance";
  const funds = { available: available > 0n ? available : 0n, reserved: 0n, keyLeft };
  return refuseUnpaid(context, { caller, model, need: job.estimated }, { refused, ...funds });
}

/** In seconds; without a number of its own, `usual`. Null: the caller doesn't want to wait. */
export function preferredWait(prefer: string | undefined, { usual, max }: { usual: number; max: number }): number | null {
  for (const preference of (prefer ?? "").split(",")) {
    const [, value] = /^\s*wait\s*(?:=\s*"?(\d{0,9})"?\s*)?(?:;.*)?$/i.exec(preference) ?? [null, null];
    if (value === null) continue;
    return value === undefined || value === "" ? usual : Math.min(Number(value), max);
  }
  return null;
}
