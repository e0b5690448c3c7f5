// Shares what is scarce, fairly between accounts: amounts that each may hold, and slots, which bound how many of something run at once and how
// many wait (calls of one origin, large bodies, transfers of files). Knows nothing of HTTP. What was taken is given back by the code that took it.

// How much each account may hold, so that one account's flood never takes the last of it. The rule is that of shared packet buffers (dynamic
// thresholds, Choudhury and Hahne 1998): a holder may have at most three times what is still free. One alone gets three quarters, two get
// three sevenths each, and there is always room for the next, without a queue, a list or a clock.

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

export interface Slots {
  /** Runs `start` now or when a slot frees. Returns false where the queue is full, else a function that stops waiting. */
  take(start: () => void, holder?: Holder): false | (() => void);
  /** `holder` as it was taken. */
  release(holder?: Holder): void;
  taken(): number;
  waiting(): number;
}

/** For callers that never waited. One shared function: a closure made here would keep the other caller's data in memory. */
export function alreadyGone(): void {}

/** Waiters without a holder are served first come, first served; holders in turn, each within a fair quota of slots and of the queue. */
export function openSlots(size: number, queue: number): Slots {
  const held = new Map<Holder | undefined, number>();
  let taken = 0;
  let waiting = 0;
  // Sets and maps keep insertion order, which is the order of service, and delete a waiter in constant time, however many give up.
  const queues = new Map<Holder | undefined, Set<() => void>>();

  function isFree(holder: Holder | undefined): boolean {
    const own = held.get(holder) ?? 0;
    return taken < size && (holder === undefined || mayHold(own, 1, size - taken));
  }

  function run(start: () => void, holder: Holder | undefined): void {
    taken += 1;
    held.set(holder, (held.get(holder) ?? 0) + 1);
    start();
  }

  function leave(holder: Holder | undefined, waiter: () => void): void {
    const waiters = queues.get(holder);
    if (waiters?.delete(waiter) !== true) return;
    waiting -= 1;
    if (waiters.size === 0) queues.delete(holder);
  }

  /** Starts the first waiter in turn whose holder is within its quota, and moves that holder to the end. */
  function next(): boolean {
    for (const [holder, waiters] of queues) {
      if (!isFree(holder)) continue;
      const [waiter] = waiters;
      leave(holder, waiter!);
      if (queues.delete(holder)) queues.set(holder, waiters);
      run(waiter!, holder);
      return true;
    }
    return false;
  }

  return {
    take(start, holder) {
      const ahead = queues.get(holder)?.size ?? 0;
      if (ahead === 0 && isFree(holder)) {
        run(start, holder);
        return alreadyGone;
      }
      if (waiting >= queue || (holder !== undefined && !mayHold(ahead, 1, queue - waiting))) return false;
      const waiter = () => start();
      waiting += 1;
      queues.set(holder, (queues.get(holder) ?? new Set()).add(waiter));
      return () => leave(holder, waiter);
    },
    release(holder) {
      taken -= 1;
      const left = (held.get(holder) ?? 0) - 1;
      if (left > 0) held.set(holder, left);
      else held.delete(holder);
      while (taken < size && next());
    },
    taken: () => taken,
    waiting: () => waiting,
  };
}

/**
 * Runs `work` once it has a slot, however long that takes; rejects with the signal's reason if that comes first. For queues without an end.
 */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>, signal: AbortSignal, holder?: Holder): Promise<T> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      if (leave !== false) leave();
      reject(signal.reason as Error);
    };
    let isWaiting = true;
    const leave = slots.take(() => {
      isWaiting = false;
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, holder);
    // A listener that is never removed keeps a composite signal alive for ever.
    if (isWaiting) signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await work();
  } finally {
    slots.release(holder);
  }
}

// Bounds how many pieces of work wait for an account's balance at once. They lock it one after another, and each waiter takes a database
// connection: an account whose balance is locked would soon occupy all of them.

/** The second one waits for the lock while the first one's commit reaches the disk. */
const atOnce = 2;

/** Runs `work` once the account has a slot in this process; rejects with the signal's reason if that comes first. */
export type AccountMutex = <T>(accountId: bigint, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function openAccountMutex(): AccountMutex {
  const accounts = new Map<bigint, Slots>();
  return async (accountId, signal, work) => {
    const slots = accounts.get(accountId) ?? openSlots(atOnce, Infinity); // as many wait as calls and jobs run
    accounts.set(accountId, slots);
    try {
      return await inSlot(slots, work, signal);
    } finally {
      if (slots.taken() === 0 && accounts.get(accountId) === slots) accounts.delete(accountId);
    }
  };
}

// A mutex: one holder at a time, first come first served.

export interface Turns {
  /** Resolves when it is the caller's turn; it ends with `leave`. */
  take(): Promise<void>;
  leave(): void;
}

export function openTurns(): Turns {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    take() {
      if (isTaken) return new Promise((resolve) => waiting.push(resolve));
      isTaken = true;
      return Promise.resolve();
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) isTaken = false;
      else next();
    },
  };
}
