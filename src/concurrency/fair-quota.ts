// How much of a scarce resource each account may hold, so that one account's flood never takes the last of it. The rule is that of shared
// packet buffers (dynamic thresholds, Choudhury and Hahne 1998): a holder may have at most three times what is still free. One alone gets
// three quarters, two get three sevenths each, and there is always room for the next, without a queue, a list or a clock.

/** An account, or the network of a caller without one. */
export type Holder = bigint | string;

const timesFree = 3;

/** Whether a holder of `own` may have `more`, of `free` that is left. */
export function mayHold(own: number, more: number, free: number): boolean {
  return more <= free && own + more <= timesFree * free;
}

export interface FairQuota {
  /** Whether `take` would succeed. */
  fits(holder: Holder, amount: number): boolean;
  /** Returns false where nothing was taken. */
  take(holder: Holder, amount: number): boolean;
  giveBack(holder: Holder, amount: number): void;
  taken(): number;
}

export function openFairQuota(size: number): FairQuota {
  const held = new Map<Holder, number>();
  let taken = 0;
  const fits = (holder: Holder, amount: number) => mayHold(held.get(holder) ?? 0, amount, size - taken);
  return {
    fits,
    take(holder, amount) {
      if (!fits(holder, amount)) return false;
      taken += amount;
      held.set(holder, (held.get(holder) ?? 0) + amount);
      return true;
    },
    giveBack(holder, amount) {
      taken -= amount;
      const left = (held.get(holder) ?? 0) - amount;
      if (left > 0) held.set(holder, left);
      else held.delete(holder);
    },
    taken: () => taken,
  };
}
