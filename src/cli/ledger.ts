// `svc ledger …`, `svc migrate` and `svc usage …`: audits balances, verifies the hash chain, brings the database up to date, sums up the
// usage log.
import { Refused } from "../accounts/admin.ts";
import { migrate } from "../db/migrate.ts";
import { type Plan, planMigrations, type TableLock } from "../db/plan.ts";
import { audit } from "../ledger/audit.ts";
import { whatWentBack, writeHeadFile } from "../ledger/head-file.ts";
import { rebuild } from "../ledger/summary/roll-up.ts";
import { recordVerdict, verifyChain } from "../ledger/verify.ts";
import type { Input, Outcome } from "./command.ts";
import { assertEmbedded, withDatabase, withoutTimeout, withRawDatabase } from "./with-database.ts";

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

// `svc migrate`: brings the database up to date, or says what that would do.

export async function migrateDatabase({ config, options }: Input): Promise<Outcome> {
  if (options.plan !== true)
    return withRawDatabase(config, async (db) => {
      const applied = await migrate(db);
      return { json: { applied }, text: applied.length === 0 ? "the database is up to date" : `applied ${applied.join(", ")}` };
    });
  if (config.databaseUrl === null) await assertEmbedded(config);
  return withRawDatabase(config, async (db) => {
    const plan = await planMigrations(db);
    return { json: plan, text: describePlan(plan) };
  });
}

function describePlan({ migrations, functions, is_new: isNew }: Plan): string {
  if (migrations.length + functions.length === 0) return "the database is up to date";
  const how = isNew ? "all in one transaction: the database is new" : "each in a transaction of its own";
  const lines = migrations.flatMap(({ name, does, locks }) => [`${name}: ${does}`, ...locks.map((lock) => `  ${describeLock(lock)}`)]);
  const loaded = functions.length === 0 ? [] : [`functions loaded, without a wait for anyone: ${functions.join(", ")}`];
  return [...(migrations.length === 0 ? [] : [`migrations, ${how}:`]), ...lines, ...loaded, "nothing was applied"].join("\n");
}

const workWords = {
  none: "changes the catalog alone, whatever the size",
  rows: "changes rows, all of them at most",
  scan: "reads every row",
  index: "builds an index",
  rewrite: "writes the table anew",
};

function describeLock({ table, mode, waits, work, rows, bytes, seconds }: TableLock): string {
  const size = rows === null || bytes === null ? "never analyzed: size not known" : `${rows} rows, ${bytes / 1024} kB`;
  const time = seconds === 0 ? "" : `, ${seconds === null ? "for a time not known" : `about ${seconds} s at 100 MB/s`}`;
  return `${table} (${size}): ${workWords[work]}${time}; ${mode} lock, for which ${waits === "nobody" ? "nobody waits" : `${waits} wait${waits === "everyone" ? "s" : ""}`}`;
}

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
