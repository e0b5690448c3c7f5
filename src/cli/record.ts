// Writes what a command changes into the log of operators' actions, in the transaction of the change.
import type { Db, Queries } from "../db/connect.ts";
import { type Action, recorded, shellActor } from "../operators/action-log.ts";

type Row = Pick<Action, "action"> & Partial<Action>;

/** `work` changes something; `row` says what, of its result. */
export async function recordedByShell<T>(
  db: Db,
  at: Date,
  work: (transaction: Queries) => Promise<T>,
  row: (result: T) => Row | null,
): Promise<T> {
  return recorded(db, shellActor(), at, async (transaction) => {
    const result = await work(transaction);
    const named = row(result);
    return { result, row: named === null ? null : { target: null, reason: null, before: null, after: null, ...named } };
  });
}
