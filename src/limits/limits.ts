// Rate limits, decided in Postgres for all replicas together (docs/behaviour/limits.md#windows): puts the parts together.
// src/calls/admit.ts says what a call that names a model takes.
import { createHash } from "node:crypto";
import type { BatcherGauge } from "../db/batcher.ts";
import type { Db } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { type Counters, type Decision, noAccount, openCounters } from "./counters.ts";
import { failRate, laterCount, minuteMs, minuteSeconds, rateHeaders, usedOf, waitMs, type WindowCount } from "./window.ts";
import { boundedMap } from "../concurrency/bounded-map.ts";
import { type TierFacts, tierOf } from "../catalog/tiers.ts";
import type { Catalog } from "../catalog/types.ts";
import { withTimeout } from "../clock.ts";

export interface Limits extends Bounds {
  counters: Counters;
  /** For callers without an account, e.g. ("sign-in", an email address, 10). Fails with rate_limit_exceeded above `perMinute`. */
  throttle(what: string, subject: string, perMinute: number): Promise<void>;
  /** A coarse rate limit for calls that name a model, in this process's memory only; refused calls count as well. */
  assertBelowCeiling(accountId: bigint, perMinute: number): void;
  /** Counts wrong requests by network, e.g. with a wrong signature, in this process's memory, before anything of a request is read. */
  faults: {
    note(what: string, subject: string, perMinute: number): void;
    /** Fails with overloaded above `perMinute`; a legitimate sender in that network retries. */
    assertFew(what: string, subject: string, perMinute: number): void;
  };
  close(): Promise<void>;
}

export function createLimits(db: Db, onFault: (error: unknown, what: string) => void, gauge?: BatcherGauge): Limits {
  const counters = openCounters(db, onFault, gauge);
  const ceiling = createLocalCounter({ countRefused: true });
  const faults = createLocalCounter({ countRefused: false });
  return {
    counters,
    ...boundReads(counters),
    async throttle(what, subject, perMinute) {
      const bucket = `${what}:${createHash("sha256").update(subject).digest("base64url").slice(0, 22)}`;
      const { refused, first, waitMs } = await counters.take([
        { accountId: noAccount, bucket, seconds: minuteSeconds, amount: 1, limit: perMinute },
      ]);
      if (refused !== null) failRate(`${perMinute} per minute`, waitMs, rateHeaders(perMinute, first));
    },
    assertBelowCeiling(accountId, perMinute) {
      const decided = ceiling.count(String(accountId), perMinute);
      if (!decided.within)
        failRate(`${perMinute} requests per minute, refused ones included`, decided.waitMs, rateHeaders(perMinute, decided.count));
    },
    faults: {
      note: (what, subject, perMinute) => void faults.count(`${what}:${subject}`, perMinute),
      assertFew(what, subject, perMinute) {
        const waitMs = faults.waitMs(`${what}:${subject}`, perMinute);
        if (waitMs > 0) fail("overloaded", { retryAfterMs: waitMs });
      },
    },
    close: () => counters.close(),
  };
}

// The rate limit of requests that name no model: reads and account operations by account, public ones by address
// (docs/behaviour/limits.md#counting). Exact across replicas; while the database is unavailable they are counted in this process's memory,
// since what they read may not need it.

interface Bounds {
  /** Counts one request against `perMinute`, or fails with rate_limit_exceeded and counts nothing. */
  assertWithin(of: { accountId: bigint; bucket: string }, perMinute: number): Promise<void>;
}

/** Ten times the tier's requests a minute; an account whose calls are blocked may still read why. */
export function requestBound(catalog: Pick<Catalog, "tiers">, account: TierFacts): number {
  return 10 * Math.max(1, tierOf(catalog, account).rpm);
}

/** The longest that a read waits to be counted. */
const timeoutMs = 500;
/** While the database is unavailable, one request in this time tries it again. */
const retryMs = 1_000;
const exhaustedMax = 50_000;

export function boundReads(counters: Pick<Counters, "take">): Bounds {
  /** When an exhausted limit has room again, by performance.now(): nothing is ever given back to it, so no query can help earlier. */
  const exhausted = boundedMap<string, { untilMs: number; decision: Decision }>(exhaustedMax);
  const local = createLocalCounter({ countRefused: false });
  let outageUntil = -Infinity;
  /** Until then a window counts requests that the database didn't answer, or not in time. */
  let uncountedUntil = -Infinity;

  const ask = async (of: { accountId: bigint; bucket: string }, perMinute: number): Promise<Decision | null> => {
    const now = performance.now();
    if (now < outageUntil) return null;
    const wasOutage = outageUntil > -Infinity;
    if (wasOutage) outageUntil = now + retryMs;
    const taken = counters.take([{ ...of, seconds: minuteSeconds, amount: 1, limit: perMinute }]);
    // Null: no answer in time, or an error.
    const decision = await withTimeout(
      timeoutMs,
      taken.catch(() => null),
      () => null,
    );
    outageUntil = decision === null ? performance.now() + retryMs : -Infinity;
    if (decision === null) uncountedUntil = performance.now() + minuteMs;
    return decision;
  };

  return {
    async assertWithin(of, perMinute) {
      const key = `${of.accountId} ${perMinute} ${of.bucket}`; // a higher tier begins anew
      const what = `${perMinute} requests per minute`;
      const known = exhausted.get(key);
      const leftMs = known === undefined ? 0 : known.untilMs - performance.now();
      if (known !== undefined && leftMs > 0) failRate(what, Math.ceil(leftMs), rateHeaders(perMinute, known.decision.first));
      const decision = await ask(of, perMinute);
      if (decision !== null && decision.refused !== null) {
        exhausted.set(key, { untilMs: performance.now() + decision.waitMs, decision });
        failRate(what, decision.waitMs, rateHeaders(perMinute, decision.first));
      }
      // Also what the database has counted: a limit doesn't begin anew where it is gone or slow, nor once it is back.
      const decided = local.count(key, perMinute);
      if (!decided.within && performance.now() < uncountedUntil) failRate(what, decided.waitMs, rateHeaders(perMinute, decided.count));
    },
  };
}

// The same sliding-window counter in this process's memory: for the coarse rate limit, and for reads while the database is unavailable. Bounded:
// drops the keys that were not used for longest. Uses performance.now(), which setting the clock does not move.

interface LocalCounter {
  /** Counts one more; a refused one counts too if `countRefused` is set. */
  count(key: string, limit: number): LocalDecision;
  /** How long until one more is within the limit; 0: it is. Counts nothing. */
  waitMs(key: string, limit: number): number;
}

interface LocalDecision {
  within: boolean;
  count: WindowCount;
  /** How long until one more is within the limit. */
  waitMs: number;
}

const keysMax = 50_000;

export function createLocalCounter({ countRefused }: { countRefused: boolean }): LocalCounter {
  const counts = boundedMap<string, WindowCount>(keysMax);
  const countOf = (key: string): WindowCount => {
    const atMs = Math.floor(performance.now());
    const known = counts.get(key);
    return known ? laterCount(known, atMs) : { atMs, lengthMs: minuteMs, current: 0, previous: 0 };
  };
  return {
    waitMs(key, limit) {
      const now = countOf(key);
      return usedOf(now) + 1 <= limit ? 0 : waitMs(now, 1, limit);
    },
    count(key, limit) {
      const before = countOf(key);
      const within = usedOf(before) + 1 <= limit;
      const count = within || countRefused ? { ...before, current: before.current + 1 } : before;
      counts.set(key, count);
      return { within, count, waitMs: within ? 0 : waitMs(count, 1, limit) };
    },
  };
}
