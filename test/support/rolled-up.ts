// Rounds of the usage log's sums until all that is there now is in them. A round waits for every transaction that writes anywhere in the
// server, and test files that run at the same time share one.
import { rollUp } from "../../src/ledger/summary/roll-up.ts";
import type { Queries } from "../../src/db/connect.ts";
import { eventually } from "./eventually.ts";

/** Nothing that came in more than `settled` ago may be written from now on. Returns the rows that were added. */
export async function rolledUp(db: Queries, settled = "0"): Promise<number> {
  const { rows } = await db.pool.query<{ goal: Date }>("select now() - $1::interval as goal", [settled]);
  let added = 0;
  await eventually(async () => {
    added += await rollUp(db, { settled });
    const { rows: state } = await db.pool.query<{ done: boolean }>("select closed_until >= $1 as done from usage_rollup_state", [
      rows[0]!.goal,
    ]);
    if (state[0]!.done !== true) throw new Error("transactions are open");
  });
  return added;
}
