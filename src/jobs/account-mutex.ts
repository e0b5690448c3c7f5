// Bounds how many of an account's submits and ends wait for its balance at once. They lock it one after another, and each waiter takes a
// connection: an account whose balance is held would soon occupy all of them.
import { inSlot, openSlots, type Slots } from "../concurrency/slots.ts";

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
