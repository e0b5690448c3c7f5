// How many files this process moves at once: each may be tens of megabytes on their way to the store.
import { openSlots, type Slots } from "../providers/slots.ts";

const transfersMax = 8;

/** Runs `work` when it is its turn; rejects with the signal's reason if that comes first. */
export function openTransfers(): <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T> {
  const slots = openSlots(transfersMax, Infinity); // as many wait as jobs run
  return (work, signal) => inSlot(slots, work, signal);
}

/** Waits however long it takes, but for the signal. */
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
