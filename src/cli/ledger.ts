// `svc ledger …` and `svc migrate`: audits balances, verifies the hash chain, brings the database up to date.
import { Refused } from "../accounts/admin.ts";
import { migrate } from "../db/migrate.ts";
import { audit } from "../ledger/audit.ts";
import { whatWentBack, writeHeadFile } from "../ledger/head-file.ts";
import { recordVerdict } from "../ledger/verdicts.ts";
import { verifyChain } from "../ledger/verify.ts";
import type { Input, Outcome } from "./command.ts";
import { withDatabase, withoutTimeout, withRawDatabase } from "./with-database.ts";

export async function auditLedger({ config }: Input): Promise<Outcome> {
  return withDatabase(
    config,
    async (db) => {
      const found = await audit(db);
      const lines = found.mismatches.map((one) => `${one.account_id}: ${one.what} is ${one.stored}, the entries say ${one.computed}`);
      const counts = `${found.accounts} accounts, ${found.entries} entries, ${found.holds_open} media holds and ${found.reservations_open} reservations open`;
      return { json: found, text: [counts, ...(lines.length === 0 ? ["everything agrees"] : lines)].join("\n"), bad: lines.length > 0 };
    },
    withoutTimeout,
  );
}

export async function verifyLedger({ config }: Input): Promise<Outcome> {
  return withDatabase(
    config,
    async (db) => {
      const found = await verifyChain(db);
      await recordVerdict(db, found);
      const { accounts, entries, head, broken } = found;
      const text = broken
        ? `broken at entry ${broken.seq} (${broken.entry_id}) of ${broken.account_id}: ${broken.reason}`
        : `${accounts} accounts, ${entries} entries, every link holds\nhead ${head}`;
      return { json: found, text, bad: broken !== null };
    },
    withoutTimeout,
  );
}

// `svc ledger accept`: the next start compares with the ledger as it is now.

export async function acceptLedger({ config }: Input): Promise<Outcome> {
  const path = config.ledgerHeadFile;
  if (path === null) throw new Refused("SVC_LEDGER_HEAD_FILE is not set: there is nothing that a start compares with");
  return withDatabase(config, async (db) => {
    const was = await whatWentBack(db, path).catch((error: Error) => error.message);
    await writeHeadFile(db, path);
    return { json: { file: path, was }, text: `${was === null ? "it was the same ledger" : was}\n${path} is of the ledger as it is now` };
  });
}

// `svc migrate`: brings the database up to date.

export async function migrateDatabase({ config }: Input): Promise<Outcome> {
  return withRawDatabase(config, async (db) => {
    const applied = await migrate(db);
    return { json: { applied }, text: applied.length === 0 ? "the database is up to date" : `applied ${applied.join(", ")}` };
  });
}
