// Counts a call against its rate limits and holds its most, all or nothing. As a rule in one statement, for which both must surely fit; where
// they may not, the limits decide first and the money after them, and a call that the money refuses is uncounted.
import { boundedMap } from "../concurrency/bounded-map.ts";
import type { Catalog } from "../catalog/types.ts";
import type { Clock } from "../clock.ts";
import type { Admitted } from "../ledger/admission.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { Reserved, Slot } from "../ledger/reserve.ts";
import type { Counters } from "../limits/counters.ts";
import { minuteMs } from "../limits/window.ts";
import type { Amount } from "../money.ts";
import { type CallTakes, countCall, type CountedCall, type LimitedCall, takesOf } from "./count.ts";

export interface Money {
  /** Fixed for the request's life; settle names it. */
  id: string;
  /** The most that the call may cost. */
  want: Amount;
  /** Refuse if less than this can be held. At most `want`. */
  least: Amount;
  /** Absent: the call needs no slot. */
  slot?: Slot;
  /** The call is found by its hold, as one with an idempotency key is. */
  isNamed?: boolean;
}

export interface AdmittedCall {
  rate: CountedCall;
  /** Null is granted where the money refuses: nothing is held, and the call is uncounted. */
  reserved: Reserved;
}

/**
 * Where its money is known only later, or needs a slot, `money` returns it once the call is counted. Fails with permission_denied,
 * request_too_large, rate_limit_exceeded or overloaded, or as `money` does.
 */
export type AdmitCall = (
  catalog: Pick<Catalog, "tiers">,
  call: LimitedCall,
  money: Omit<Money, "slot"> | (() => Promise<Money>),
) => Promise<AdmittedCall>;

interface Parts {
  ledger: Pick<Ledger, "admit" | "reserve" | "recalling">;
  limits: { counters: Counters };
  clock: Clock;
}

/** Callers and models with a call in this minute. */
const usualMax = 20_000;

export function openAdmission({ ledger, limits, clock }: Parts): AdmitCall {
  /** The minute in which the last call of a caller to a model fitted: its windows are there, and the next call probably fits as well. */
  const fitted = boundedMap<string, number>(usualMax);

  return async (catalog, call, money) => {
    const { accountId, keyId } = call.caller;
    const usual = `${accountId} ${keyId} ${call.model.id}`;
    if (typeof money !== "function" && fitted.get(usual) === minuteOf(clock().getTime())) {
      const { takes, decided } = takesOf({ limits, catalog }, call);
      const { id, want, isNamed = false } = money;
      const admitting = ledger.admit({ accountId, keyId, id, want, isNamed, windows: takes });
      const admitted = admitting instanceof Promise ? await admitting : admitting;
      if (admitted !== null) return usualCall(decided, want, admitted);
      fitted.delete(usual);
    }
    return countCall({ ledger, limits, catalog }, call, async (rate) => {
      const holding = typeof money === "function" ? await money() : money;
      const reserved = await ledger.reserve({ accountId, keyId, ...holding });
      if (reserved.granted === null) rate.giveBack();
      else if (reserved.granted === holding.want && typeof money !== "function") fitted.set(usual, minuteOf(rate.atMs));
      return { rate, reserved };
    });
  };
}

function usualCall(decided: CallTakes["decided"], want: Amount, admitted: Admitted): AdmittedCall {
  const { atMs, count, previous, available, reserved, keyLeft } = admitted;
  const first = { atMs, lengthMs: minuteMs, current: count, previous };
  return { rate: decided({ refused: null, first, waitMs: 0 }), reserved: { granted: want, available, reserved, refused: null, keyLeft } };
}

const minuteOf = (ms: number): number => Math.floor(ms / minuteMs);
