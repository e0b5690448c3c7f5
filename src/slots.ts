// How many of something run at once and how many wait, first come first served: calls of one origin, transfers of files.
// Knows nothing of HTTP; a slot is given back by whoever took it.

export interface Slots {
  /** Runs `start` now or when a slot frees. Returns false where the queue is full, else how to stop waiting. */
  take(start: () => void): false | (() => void);
  release(): void;
  taken(): number;
  waiting(): number;
}

export function openSlots(size: number, queue: number): Slots {
  let taken = 0;
  // A set keeps insertion order and forgets a waiter in constant time, however many gave up.
  const waiters = new Set<() => void>();

  return {
    take(start) {
      if (taken < size) {
        taken += 1;
        start();
        return () => undefined;
      }
      if (waiters.size >= queue) return false;
      const waiter = () => start();
      waiters.add(waiter);
      return () => waiters.delete(waiter);
    },
    release() {
      const [next] = waiters;
      if (next === undefined) {
        taken -= 1;
        return;
      }
      waiters.delete(next);
      next(); // the slot passes from hand to hand
    },
    taken: () => taken,
    waiting: () => waiters.size,
  };
}

/** Runs `work` when it is its turn, however long that takes; rejects with the signal's reason if that comes first. For queues without an end. */
export async function inSlot<T>(slots: Slots, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const onAbort = () => {
      if (leave !== false) leave();
      reject(signal.reason as Error);
    };
    const leave = slots.take(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
    signal.addEventListener("abort", onAbort, { once: true });
  });
  try {
    return await work();
  } finally {
    slots.release();
  }
}
