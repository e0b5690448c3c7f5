// Counts a call against its rate limits and holds its most, all or nothing. As a rule in one statement, for which both must surely fit; where
// they may not, the limits decide first and the money after them, and a call that the money refuses is uncounted.
import { LRUCache } from "lru-cache";
import type { Catalog } from "../catalog/types.ts";
import type { Clock } from "../clock.ts";
import type { Ledger, Reserved } from "../ledger/ledger.ts";
import { type CountedCall, type LimitedCall, orGiveBack, takesOf } from "../limits/call.ts";
import type { Counters } from "../limits/counters.ts";
import { minuteMs } from "../limits/window.ts";
import type { Amount } from "../money.ts";

interface Money {
  /** Fixed for the request's life; settle names it. */
  id: string;
  /** The most that the call may cost. */
  want: Amount;
  /** Refuse if less than this can be held. At most `want`. */
  least: Amount;
}

export interface AdmittedCall {
  rate: CountedCall;
  /** Null is granted where the money refuses: nothing is held, and the call is uncounted. */
  reserved: Reserved;
}

/** Fails with permission_denied, request_too_large, rate_limit_exceeded or overloaded. */
export type AdmitCall = (catalog: Pick<Catalog, "tiers">, call: LimitedCall, money: Money) => Promise<AdmittedCall>;

interface Parts {
  ledger: Pick<Ledger, "admit" | "reserve">;
  limits: { counters: Counters };
  clock: Clock;
}

/** Callers and models with a call in this minute. */
const usualMax = 20_000;

export function openAdmission({ ledger, limits, clock }: Parts): AdmitCall {
  /** The minute in which the last call of a caller to a model fitted: its windows are there, and the next call probably fits as well. */
  const fitted = new LRUCache<string, number>({ max: usualMax });

  return async (catalog, call, { id, want, least }) => {
    const { accountId, keyId } = call.caller;
    const { takes, decided } = takesOf({ limits, catalog }, call);
    const usual = `${accountId} ${keyId} ${call.model.id}`;
    if (fitted.get(usual) === minuteOf(clock().getTime())) {
      const admitted = await ledger.admit({ accountId, keyId, id, want, windows: takes });
      if (admitted !== null) {
        const { atMs, count, previous, available, reserved, keyLeft } = admitted;
        const first = { atMs, lengthMs: minuteMs, current: count, previous };
        return {
          rate: decided({ refused: null, first, waitMs: 0 }),
          reserved: { granted: want, available, reserved, refused: null, keyLeft },
        };
      }
      fitted.delete(usual);
    }
    const rate = decided(await limits.counters.take(takes));
    const reserved = await orGiveBack(rate, ledger.reserve({ accountId, keyId, id, want, least }));
    if (reserved.granted === null) rate.giveBack();
    else if (reserved.granted === want) fitted.set(usual, minuteOf(rate.atMs));
    return { rate, reserved };
  };
}

const minuteOf = (ms: number): number => Math.floor(ms / minuteMs);
