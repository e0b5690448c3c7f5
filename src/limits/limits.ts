// Rate limits, decided in Postgres for all replicas together (docs/behaviour/limits.md#windows): puts the parts together.
// src/calls/count.ts says what a call that names a model takes.
import { createHash } from "node:crypto";
import type { BatcherGauge } from "../db/batcher.ts";
import type { Db } from "../db/connect.ts";
import { fail } from "../errors/fail.ts";
import { boundReads, type Bounds, createLocalCounter } from "./bounds.ts";
import { type Counters, noAccount, openCounters } from "./counters.ts";
import { failRate, rateHeaders } from "./rate-headers.ts";
import { minuteSeconds } from "./window.ts";

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
