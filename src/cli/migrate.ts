// `svc migrate`: brings the database up to date.
import { migrate } from "../db/migrate.ts";
import type { Input, Outcome } from "./command.ts";
import { withRawDatabase } from "./with-database.ts";

export async function migrateDatabase({ config }: Input): Promise<Outcome> {
  return withRawDatabase(config, async (db) => {
    const applied = await migrate(db);
    return { json: { applied }, text: applied.length === 0 ? "the database is up to date" : `applied ${applied.join(", ")}` };
  });
}
