// A recall before a refusal: what another process holds in a slice is not spent, so an account is refused only in a moment in which no process
// held any for it (README.md "Slices").
import { setTimeout as sleep } from "node:timers/promises";
import { LRUCache } from "lru-cache";
import { createBatcher, plainArray } from "../db/batcher.ts";
import type { Db } from "../db/connect.ts";

/** `attempt` again, as long as it is refused while slices held what it may need. A refused attempt has changed nothing. */
export type Recalling = <Result>(
  accountId: bigint,
  attempt: () => Promise<Result>,
  isRefused: (result: Result) => boolean,
) => Promise<Result>;

/** For `isRefused`: reads again until no slice held anything while it was read. */
export const always = (): boolean => true;

const attemptsMax = 5;
/** Longer than a process takes that can't hear it (escrow.ts). What a stalled one holds counts as spent, until it is dead. */
const waitMs = 1_500;
const lookEveryMs = 10;
/** After a slice that was not given back in time, its account's refusals don't wait. */
const stalledMs = 1_000;
const knownMax = 20_000;
const waitingMax = 20_000;
const timeoutMs = 3_000;

interface Look {
  account_id: bigint;
  closings: bigint;
  is_open: boolean;
}

/** Reads no balance and takes no lock, so that a flood of refusals stays cheap. */
const lookSql = `select a.account_id, coalesce(e.closings, 0) as closings,
    exists (select from hold h where h.account_id = a.account_id and h.pool = 'escrow') as is_open
  from unnest($1::bigint[]) a(account_id) left join escrow e on e.account_id = a.account_id`;

/** `recallOwn`: closes the slices of this process. */
export function openRecalls(db: Db, recallOwn: (accountId: bigint) => Promise<unknown>): Recalling {
  /** How often slices had been closed when it was read last: an attempt that began later has seen what they gave back. */
  const known = new LRUCache<bigint, bigint>({ max: knownMax });
  const stalled = new LRUCache<bigint, number>({ max: knownMax });
  const waiting = new Map<bigint, Promise<boolean>>();
  const looking = createBatcher({
    waitingMax,
    timeoutMs,
    turns: db.turns,
    async work(accounts: readonly bigint[]) {
      const { rows } = await db.pool.query<Look>(lookSql, [plainArray([...new Set(accounts)])]);
      const looks = new Map(rows.map((row) => [row.account_id, row]));
      return accounts.map((accountId) => looks.get(accountId)!);
    },
  });
  const look = async (accountId: bigint): Promise<Look> => {
    const found = await looking.run(accountId);
    known.set(accountId, found.closings);
    return found;
  };
  /** Whether all slices of the account were given back. */
  const recall = async (accountId: bigint): Promise<boolean> => {
    const giveUpAt = performance.now() + waitMs;
    await Promise.all([recallOwn(accountId), db.pool.query("select pg_notify('escrow_recall', $1)", [String(accountId)])]);
    while ((await look(accountId)).is_open) {
      if (performance.now() > giveUpAt) {
        stalled.set(accountId, performance.now() + stalledMs);
        return false;
      }
      await sleep(lookEveryMs);
    }
    return true;
  };
  const recallOnce = (accountId: bigint): Promise<boolean> => {
    let one = waiting.get(accountId);
    if (one === undefined) waiting.set(accountId, (one = recall(accountId).finally(() => waiting.delete(accountId))));
    return one;
  };
  /** Whether slices of the account may have held something at a moment after `closings` were known. */
  const mayHaveMore = async (accountId: bigint, closings: bigint): Promise<boolean> => {
    const found = await look(accountId);
    if (!found.is_open) return found.closings !== closings;
    if (performance.now() < (stalled.get(accountId) ?? -Infinity)) return false;
    return recallOnce(accountId);
  };

  return async (accountId, attempt, isRefused) => {
    for (let left = attemptsMax; ; left -= 1) {
      const closings = known.get(accountId) ?? 0n;
      const result = await attempt();
      if (!isRefused(result) || left <= 1) return result;
      // Without an answer the refusal stands: what is not known to be there is not spent.
      if (!(await mayHaveMore(accountId, closings).catch(() => false))) return result;
    }
  };
}
