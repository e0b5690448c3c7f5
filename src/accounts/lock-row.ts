// One writer at a time for what is counted or chosen among an account's rows: its keys, its top-ups.
import type { Queries } from "../db/connect.ts";

/** Until the transaction ends. */
export async function lockAccountRow({ pool }: Queries, accountId: bigint): Promise<void> {
  await pool.query("select 1 from account where id = $1 for no key update", [accountId]);
}
