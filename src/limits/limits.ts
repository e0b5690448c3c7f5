// How often callers may call, decided in Postgres for all replicas together (DATA.md 4): the parts, put together.
// What a call that names a model takes stands in call.ts.
import { createHash } from "node:crypto";
import type { Db } from "../db/connect.ts";
import type { LaneGauge } from "../db/batcher.ts";
import { fail } from "../errors/fail.ts";
import { boundReads, type Bounds } from "./bounds.ts";
import { type Counters, nobody, openCounters } from "./counters.ts";
import { createLocalCounter } from "./local-counter.ts";
import { failRate, rateHeaders } from "./rate-headers.ts";
import { minuteSeconds } from "./window.ts";

export interface Limits extends Bounds {
  counters: Counters;
  /**
   * For callers without an account, e.g. ("sign-in", an email address, 10). Fails with rate_limit_exceeded above so many a minute.
   */
  throttle(what: string, subject: string, perMinute: number): Promise<void>;
  /** The cheap ceiling over calls that name a model: this process's memory alone, and what is refused counts as well. */
  assertBelowCeiling(accountId: bigint, perMinute: number): void;
  /** What a network sent that was wrong, e.g. a signature; in this process's memory alone, before anything of a request is read. */
  faults: {
    note(what: string, subject: string, perMinute: number): void;
    /** Fails with overloaded above so many a minute: whoever is right all the same comes again. */
    assertFew(what: string, subject: string, perMinute: number): void;
  };
  close(): Promise<void>;
}

export function createLimits(db: Db, onFault: (error: unknown, what: string) => void, gauge?: LaneGauge): Limits {
  const counters = openCounters(db, onFault, gauge);
  const ceiling = createLocalCounter({ countRefused: true });
  const faults = createLocalCounter({ countRefused: false });
  return {
    counters,
    ...boundReads(counters),
    async throttle(what, subject, perMinute) {
      const bucket = `${what}:${createHash("sha256").update(subject).digest("base64url").slice(0, 22)}`;
      const { refused, first, waitMs } = await counters.take([
        { accountId: nobody, bucket, seconds: minuteSeconds, amount: 1, limit: perMinute },
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
