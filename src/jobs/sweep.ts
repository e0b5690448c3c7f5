// Ends jobs that waited too long or that nobody runs, and fills slots that stayed free, as after a deposit that raised the tier.
import { isDatabaseAway } from "../db/transient-error.ts";
import { mayPass } from "../ledger/persist.ts";
import type { JobParts } from "./parts.ts";
import { tierLimits } from "./tiers.ts";
import { interval } from "./times.ts";

type Sweeping = Pick<JobParts, "db" | "catalog" | "times" | "onFault">;

/** Account by account, each in its own transaction; one that somebody holds waits for the next round. False: there was nothing to do. */
export async function sweepJobs({ db, catalog, times, onFault }: Sweeping): Promise<boolean> {
  const values = [tierLimits(catalog.tiers), interval(times.queueLifeMs), interval(times.runLifeMs)];
  const { rows } = await db.pool.query<{ account_id: bigint }>("select account_id from media_untidy($1, $2, $3) u(account_id)", values);
  for (const { account_id } of rows) {
    try {
      await db.pool.query("select media_tidy($1, $2, $3, $4)", [account_id, ...values]);
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      if (!mayPass(error)) onFault(error, `tidying the jobs of account ${account_id}`);
    }
  }
  return rows.length > 0;
}
