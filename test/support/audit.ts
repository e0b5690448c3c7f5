// The audit of a gateway at rest.
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "../../src/db/connect.ts";
import { type Audit, audit } from "../../src/ledger/audit.ts";

/** Slices of calls that have ended are given back in a moment of their own (src/ledger/README.md). Where calls go on, the wait ends after a second. */
export async function auditAtRest(db: Db): Promise<Audit> {
  const slices = () => db.pool.query("select 1 from hold where pool = 'escrow' limit 1");
  for (const giveUpAt = performance.now() + 1_000; (await slices()).rowCount !== 0 && performance.now() < giveUpAt;) await sleep(20);
  return audit(db);
}
