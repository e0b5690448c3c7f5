// Plans the batchers' statements on a new connection before it takes work: the first use of an unplanned one takes 20 to 50 ms.
import type pg from "pg";

const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Changes nothing: its arrays are empty. */
export async function warmUpLedger(client: pg.ClientBase): Promise<void> {
  await client.query("select from ledger_reserve($1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '1 second')", [nilUuid]);
  await client.query("select from ledger_settle('{}', '{}', '[]')");
}
