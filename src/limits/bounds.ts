// The bound of requests that name no model: reads and account operations, and the public ones by address (OPERATOR.md). Exact
// across replicas while the database answers; while it is away they are counted in memory, since what they read may need none.
import { LRUCache } from "lru-cache";
import { tierOf } from "../catalog/tiers.ts";
import type { Catalog } from "../catalog/types.ts";
import type { Amount } from "../money.ts";
import { withTimeout } from "../concurrency/timeout.ts";
import type { Counters, Decision } from "./counters.ts";
import { createLocalCounter } from "./local-counter.ts";
import { failRate, rateHeaders } from "./rate-headers.ts";
import { minuteSeconds } from "./window.ts";

export interface Bounds {
  /** Counts one request within `perMinute`, or fails with rate_limit_exceeded and counts nothing. */
  assertWithin(of: { accountId: bigint; bucket: string }, perMinute: number): Promise<void>;
}

/** Ten times the tier's requests; an account whose calls are blocked may still read why. */
export function requestBound(catalog: Pick<Catalog, "tiers">, purchased: Amount): number {
  return 10 * Math.max(1, tierOf(catalog, purchased).rpm);
}

/** A read waits this long for its count, and then no longer. */
const patienceMs = 500;
/** While the database is away, one request in this time asks for it. */
const awayMs = 1_000;
const exhaustedMax = 50_000;

export function boundReads(counters: Pick<Counters, "take">): Bounds {
  /** When, on the clock of performance.now(), a bound that is exhausted has room again: nothing is ever given back to it, so nobody need ask before. */
  const exhausted = new LRUCache<string, { untilMs: number; decision: Decision }>({ max: exhaustedMax });
  const local = createLocalCounter({ countRefused: false });
  let awayUntil = -Infinity;

  const ask = async (of: { accountId: bigint; bucket: string }, perMinute: number): Promise<Decision | null> => {
    const now = performance.now();
    if (now < awayUntil) return null;
    const wasAway = awayUntil > -Infinity;
    if (wasAway) awayUntil = now + awayMs;
    const taken = counters.take([{ ...of, seconds: minuteSeconds, amount: 1, limit: perMinute }]);
    // Null: no answer in time, or none at all.
    const decision = await withTimeout(
      patienceMs,
      taken.catch(() => null),
      () => null,
    );
    awayUntil = decision === null ? performance.now() + awayMs : -Infinity;
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
      if (decision === null) {
        const decided = local.count(key, perMinute);
        if (!decided.within) failRate(what, decided.waitMs, rateHeaders(perMinute, decided.count));
      } else if (decision.refused !== null) {
        exhausted.set(key, { untilMs: performance.now() + decision.waitMs, decision });
        failRate(what, decision.waitMs, rateHeaders(perMinute, decision.first));
      }
    },
  };
}
