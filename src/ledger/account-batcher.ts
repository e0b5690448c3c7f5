// A lane, and one beside it for accounts whose balance somebody holds: whoever waits for such an account, nobody waits for them.
import type { Db } from "../db/connect.ts";
import { createLane, FailedFor } from "../db/batcher.ts";

/**
 * True where somebody held an account's balance for longer than ledger_reserve and ledger_settle wait: lock_not_available,
 * or query_canceled, since Postgres signals a lock's time-out twice and now and then only the second one is heard.
 */
export function isAccountHeld(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === "55P03" || code === "57014";
}

/** As a lane's; an item whose account is held is repeated within its patience. */
export function createAccountLane<Item extends { accountId: bigint }, Result>(
  db: Db,
  options: Parameters<typeof createLane<Item, Result>>[0],
): ReturnType<typeof createLane<Item, Result>> {
  const work = (items: readonly Item[]) => namingTheHeld(db, items, options.work);
  const usual = createLane({ ...options, turns: db.turns, work });
  const aside = createLane({ ...options, work }); // in nobody's turn: it may wait for long
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
      const giveUpAt = performance.now() + options.patienceMs;
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

/** Fails those alone whose accounts are held, instead of the batch. */
async function namingTheHeld<Item extends { accountId: bigint }, Result>(
  db: Db,
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  try {
    return await work(items);
  } catch (error) {
    if (!isAccountHeld(error)) throw error;
    const { rows } = await db.pool.query<{ account_id: bigint }>(
      "select account_id from balance where account_id = any($1) for no key update skip locked",
      [items.map(({ accountId }) => accountId)],
    );
    const free = new Set(rows.map((row) => row.account_id));
    const theirs = items.filter(({ accountId }) => !free.has(accountId));
    throw theirs.length === 0 ? error : new FailedFor(new Set(theirs), error);
  }
}
