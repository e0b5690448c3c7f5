// How many of something run at once and how many wait, and that no account crowds out the others: calls of one origin, big bodies,
// transfers of files. Knows nothing of HTTP; a slot is given back by whoever took it.
import { type Holder, mayHold } from "./fair-quota.ts";

export interface Slots {
  /** Runs `start` now or when a slot frees. Returns false where there is no place to wait, else how to stop waiting. */
  take(start: () => void, holder?: Holder): false | (() => void);
  /** `holder` as it was taken. */
  release(holder?: Holder): void;
  taken(): number;
  waiting(): number;
}

/** For whoever never waited: one for all, since a function made where another starts keeps what that one needs. */
export function alreadyLeft(): void {}

/** What names no holder is served in its order; holders are served in turn, each within its share of the slots and of the places. */
export function openSlots(size: number, queue: number): Slots {
  const held = new Map<Holder | undefined, number>();
  let taken = 0;
  let waiting = 0;
  // Sets and maps keep insertion order, which is the order of turns, and forget a waiter in constant time, however many gave up.
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

  /** The first whose turn it is and who is within his share; he goes to the end. */
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
        return alreadyLeft;
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

/** Runs `work` when it is its turn, however long that takes; rejects with the signal's reason if that comes first. For queues without an end. */
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
    // A listener that nobody takes off keeps a signal made of others for ever.
    if (isWaiting) signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await work();
  } finally {
    slots.release(holder);
  }
}
