// An account's turn at its own balance. Submits and ends lock it, one after another; whoever waits for the lock waits with a connection, and
// an account that somebody holds would soon have all of them.
import { inSlot, openSlots, type Slots } from "../concurrency/slots.ts";

/** The second one waits at the lock while the first one's commit reaches the disk. */
const atOnce = 2;

/** Runs `work` when the account has its turn in this process; rejects with the signal's reason if that comes first. */
export type InTurn = <T>(accountId: bigint, signal: AbortSignal, work: () => Promise<T>) => Promise<T>;

export function openAccountTurns(): InTurn {
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
