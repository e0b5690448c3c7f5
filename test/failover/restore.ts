// The worst day: all three databases are gone. `svc backup` of the cluster, `svc restore` into an empty database, and both ledgers agree.
import { join } from "node:path";
import { runSvc, type World } from "./world.ts";

/** What is wrong; null: nothing. */
export async function rehearseRestore(world: World): Promise<string | null> {
  const file = join(world.folder, "gateway.backup");
  const { ledger_head: saved } = await world.svc<{ ledger_head: string }>("backup", file);
  const env = { SVC_DATA_DIR: join(world.folder, "restored") };
  await runSvc(env, ["restore", file]);
  const verify = await runSvc<{ head: string; broken: unknown }>(env, ["ledger", "verify"]);
  const audit = await runSvc<{ mismatches: unknown[] }>(env, ["ledger", "audit"]);
  const same = verify.head === saved && verify.broken === null && audit.mismatches.length === 0;
  return same ? null : `the restored ledger is another: ${saved}, ${JSON.stringify(verify)}, ${JSON.stringify(audit)}`;
}
