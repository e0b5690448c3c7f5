// A credential that expires: obtained once for all calls that wait for it, and renewed before it ends.
import { type Clock, systemClock } from "../../clock.ts";

export interface Expiring<Value> {
  value: Value;
  /** Null: it doesn't expire. */
  expiresAt: Date | null;
}

export interface Renewed<Value> {
  /** Rejects with what `obtain` threw, where there is none that still holds. */
  get(): Promise<Value>;
  /** The provider refused it. One that is younger than half a minute stays: a refusal then has another reason. */
  forget(): void;
}

/** This long before its end a new one is obtained; the old one still serves meanwhile. */
const earlyMs = 300_000;
/** Too close to its end for a call that is on its way. */
const lastMs = 30_000;
/** After a renewal while the old one holds, since it may fail or bring the same again, and before a refused one is replaced. */
const restMs = 30_000;

export function openRenewed<Value>(obtain: () => Promise<Expiring<Value>>, clock: Clock = systemClock): Renewed<Value> {
  let held: (Expiring<Value> & { since: number }) | null = null;
  let renewing: Promise<Value> | null = null;
  let restsUntil = 0;

  function renew(): Promise<Value> {
    renewing ??= obtain()
      .then((got) => {
        held = { ...got, since: clock().getTime() };
        return got.value;
      })
      .finally(() => {
        restsUntil = clock().getTime() + restMs;
        renewing = null;
      });
    return renewing;
  }

  return {
    get() {
      const now = clock().getTime();
      const leftMs = held === null ? 0 : (held.expiresAt?.getTime() ?? Infinity) - now;
      if (held === null || leftMs <= lastMs) return renew();
      if (leftMs <= earlyMs && now >= restsUntil) renew().catch(() => undefined); // the old one holds for a while
      return Promise.resolve(held.value);
    },
    forget() {
      if (held !== null && clock().getTime() - held.since >= restMs) held = null;
    },
  };
}
