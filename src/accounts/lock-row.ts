// Locks an account's row, so that changes to its keys or its top-ups that count or choose among them don't run at the same time.
import type { Queries } from "../db/connect.ts";

/** Holds until the transaction ends. */
export async function lockAccountRow({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
}
