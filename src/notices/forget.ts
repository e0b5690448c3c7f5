// What is deleted of notices with a person's account.
import type { Queries } from "../db/connect.ts";

/** Of an account that is closed: what it was told, and where to. Its deliveries go with both. */
export async function forgetNotices({ pool }: Queries, accountId: bigint): Promise<void> {
  for (const table of ["webhook_endpoint", "notice", "notice_preference"])
    await pool.query(`delete from ${table} where account_id = $1`, [accountId]);
}

/** What other workspaces sent to the person, or would. */
export async function forgetAddress({ pool }: Queries, accounts: readonly bigint[], address: string): Promise<void> {
  await pool.query("delete from notice_delivery where account_id = any($1) and address = $2", [accounts, address]);
}
