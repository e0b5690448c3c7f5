// A batcher for the ledger, with a second one for accounts whose balance another session holds: only calls of those accounts wait for it. And
// retries of single statements, for the same errors.
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../db/connect.ts";
import { createBatcher, FailedFor } from "../db/batcher.ts";
import { isBusy, isTransient } from "../db/transient-error.ts";

/** True if another session held the account's balance for longer than ledger_reserve and ledger_settle wait. */
export const isAccountHeld = isBusy;

/** Like a batcher; an item whose account is held is retried until `timeoutMs` are over. */
export function createAccountBatcher<Item extends { accountId: bigint }, Result>(
  db: Db,
  options: Parameters<typeof createBatcher<Item, Result>>[0],
): ReturnType<typeof createBatcher<Item, Result>> {
  const work = (items: readonly Item[]) => options.work(items).catch((error: unknown) => failHeld(db, items, error));
  const usual = createBatcher({ ...options, turns: db.turns, work });
  const aside = createBatcher({ ...options, work }); // outside the mutex, since it may wait for long
  const held = new Set<bigint>();
  const waiting = new Set<Promise<unknown>>();

  const wait = async (item: Item, giveUpAt: number): Promise<Result> => {
    for (;;) {
      try {
        const result = await aside.run(item);
        held.delete(item.accountId);
        return result;
      } catch (error) {
        if (!isAccountHeld(error)) throw error;
        held.add(item.accountId);
        if (performance.now() > giveUpAt) throw error;
      }
    }
  };
  const waitFor = (item: Item, giveUpAt: number): Promise<Result> => {
    const one = wait(item, giveUpAt);
    waiting.add(one);
    return one.finally(() => waiting.delete(one));
  };
  return {
    run(item) {
      const giveUpAt = performance.now() + options.timeoutMs;
      if (held.has(item.accountId)) return waitFor(item, giveUpAt);
      return usual.run(item).catch((error: unknown) => {
        if (!isAccountHeld(error)) throw error;
        held.add(item.accountId);
        if (performance.now() > giveUpAt) throw error;
        return waitFor(item, giveUpAt);
      });
    },
    async drained() {
      await usual.drained();
      await Promise.allSettled(waiting);
    },
  };
}

/** Fails only the items whose accounts are held, instead of the whole batch. */
async function failHeld<Item extends { accountId: bigint }>(db: Db, items: readonly Item[], error: unknown): Promise<never> {
  if (!isAccountHeld(error)) throw error;
  const { rows } = await db.pool.query<{ account_id: bigint }>(
    "select account_id from balance where account_id = any($1) for no key update skip locked",
    [items.map(({ accountId }) => accountId)],
  );
  const free = new Set(rows.map((row) => row.account_id));
  const theirs = items.filter(({ accountId }) => !free.has(accountId));
  throw theirs.length === 0 ? error : new FailedFor(new Set(theirs), error);
}

// Retries of single statements that may run twice.

const pauseMs = 200;

/** Retries until `ms` have passed or the signal fires, then throws the last error. */
export async function persist<T>(ms: number, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!mayPass(error) || performance.now() > giveUpAt || signal.aborted) throw error;
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}

/** Whether the same statement may succeed a moment later. */
export function mayPass(error: unknown): boolean {
  return isTransient(error) || isAccountHeld(error);
}
