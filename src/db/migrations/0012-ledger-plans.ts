// The statements inside the ledger's two hot functions keep one plan a connection. Planning them anew for each batch, as Postgres chooses by
// itself for their arrays, was a third to a half of what a batch cost. What a batch moves by triggers is planned under the same settings.
import { type Kysely, sql } from "kysely";

/** Plans are made while the tables are small and used when they are big: look-ups by index, whatever small tables would make cheaper. */
const settings = ["plan_cache_mode = force_generic_plan", "enable_seqscan = off", "enable_hashjoin = off", "enable_mergejoin = off"];

const functions = [
  "ledger_reserve(uuid, bigint[], uuid[], bigint[], bigint[], bigint[], text[], int[], text[], int[], interval)",
  "ledger_settle(bigint[], uuid[], jsonb)",
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of functions) for (const setting of settings) await sql.raw(`alter function ${name} set ${setting}`).execute(db);
}
