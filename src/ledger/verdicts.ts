// What `svc ledger verify` and `svc backup` found, kept in the database for /metrics: alerts ask when the whole chain was last verified.
import type { Queries } from "../db/connect.ts";
import type { ChainVerdict } from "./verify.ts";

/** Rows that are kept. */
const keptMax = 100;

/** False: the database only reads, as a standby does. */
export async function recordVerdict({ pool }: Queries, { accounts, entries, head, broken }: ChainVerdict): Promise<boolean> {
  const onlyReads = "25006";
  const where = broken === null ? null : `${broken.account_id} entry ${broken.seq}: ${broken.reason}`;
  try {
    await pool.query("insert into ledger_verdict (accounts, entries, head, broken) values ($1, $2, $3, $4)", [
      accounts,
      entries,
      head === null ? null : Buffer.from(head, "hex"),
      where,
    ]);
    await pool.query("delete from ledger_verdict where id <= (select max(id) - $1::int from ledger_verdict)", [keptMax]);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === onlyReads) return false;
    throw error;
  }
}
