// `svc ledger audit`
import { audit } from "../ledger/audit.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase } from "./with-database.ts";

export async function auditLedger({ config }: Input): Promise<Outcome> {
  return withDatabase(config, async (db) => {
    const found = await audit(db);
    const lines = found.mismatches.map((one) => `${one.account_id}: ${one.what} is ${one.stored}, the entries say ${one.computed}`);
    const counts = `${found.accounts} accounts, ${found.entries} entries, ${found.holds_open} media holds and ${found.reservations_open} reservations open`;
    return { json: found, text: [counts, ...(lines.length === 0 ? ["everything agrees"] : lines)].join("\n"), bad: lines.length > 0 };
  });
}
