// Asks a new connection which database it leads to, before anything else is asked of it.
import type pg from "pg";
import { isOtherDatabase, OtherDatabase } from "./transient-error.ts";
import type { DatabaseIdentity, Standing } from "./standing.ts";

/** Throws OtherDatabase where it isn't the one of before, or its successor. */
export async function assertOurs(standing: Standing, client: pg.ClientBase): Promise<void> {
  const reason = standing.identify(await askIdentity(client));
  if (reason !== null) throw new OtherDatabase(reason);
}

async function askIdentity(client: pg.ClientBase): Promise<DatabaseIdentity> {
  const sql = "select system_id, timeline, only_reads from database_identity()";
  try {
    return (await client.query<DatabaseIdentity>(sql)).rows[0]!;
  } catch (error) {
    if (isOtherDatabase(error)) throw new OtherDatabase("another database answers: it lacks the gateway's functions", { cause: error });
    throw error;
  }
}
