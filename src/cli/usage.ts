// `svc usage …`: the sums of the usage log.
import { rebuild } from "../ledger/summary/roll-up.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase, withoutTimeout } from "./with-database.ts";

export async function rebuildSums({ config }: Input): Promise<Outcome> {
  return withDatabase(
    config,
    async (db) => {
      const rows = await rebuild(db);
      return { json: { rows }, text: `${rows} rows of the usage log summed up; the rest, of the last minutes, is added by the gateway` };
    },
    withoutTimeout,
  );
}
