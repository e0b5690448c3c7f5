// Brings a database up to date. The list is static, so that a bundle needs no files; Kysely takes an advisory lock,
// so that replicas that start together migrate once.
import { type Migration, Migrator } from "kysely/migration";
import { connect, type Db } from "./connect.ts";
import * as accounts from "./migrations/0001-accounts.ts";
import * as ledger from "./migrations/0002-ledger.ts";
import * as signIn from "./migrations/0003-sign-in.ts";
import * as limits from "./migrations/0004-limits.ts";
import * as chainAndSlots from "./migrations/0005-chain-and-slots.ts";
import * as topUps from "./migrations/0006-top-ups.ts";
import * as usageLog from "./migrations/0007-usage-log.ts";
import * as mediaJobs from "./migrations/0008-media-jobs.ts";
import * as mediaMoves from "./migrations/0009-media-moves.ts";
import * as audio from "./migrations/0010-audio.ts";
import * as logStatistics from "./migrations/0011-log-statistics.ts";
import * as ledgerPlans from "./migrations/0012-ledger-plans.ts";
import * as ledgerMoves from "./migrations/0013-ledger-moves.ts";
import * as housekeeping from "./migrations/0014-housekeeping.ts";
import * as mailboxes from "./migrations/0015-mailboxes.ts";
import * as databaseClock from "./migrations/0016-database-clock.ts";
import * as operatorLookups from "./migrations/0017-operator-lookups.ts";

/** Applied in the order of their names; one that was released is never edited. */
const migrations: Record<string, Migration> = {
  "0001-accounts": accounts,
  "0002-ledger": ledger,
  "0003-sign-in": signIn,
  "0004-limits": limits,
  "0005-chain-and-slots": chainAndSlots,
  "0006-top-ups": topUps,
  "0007-usage-log": usageLog,
  "0008-media-jobs": mediaJobs,
  "0009-media-moves": mediaMoves,
  "0010-audio": audio,
  "0011-log-statistics": logStatistics,
  "0012-ledger-plans": ledgerPlans,
  "0013-ledger-moves": ledgerMoves,
  "0014-housekeeping": housekeeping,
  "0015-mailboxes": mailboxes,
  "0016-database-clock": databaseClock,
  "0017-operator-lookups": operatorLookups,
};

/** Returns the names of the migrations that were applied now. */
export async function migrate(db: Db): Promise<string[]> {
  // A pool of its own: waiting for another replica, or rewriting a big table, may outlast any statement's usual time.
  const patient = connect(db.url, { max: 2, applicationName: "svc-migrate", statementTimeoutMs: 0 });
  try {
    const migrator = new Migrator({ db: patient.kysely, provider: { getMigrations: async () => migrations } });
    const { error, results } = await migrator.migrateToLatest();
    if (error !== undefined) {
      const failed = results?.find((result) => result.status === "Error")?.migrationName;
      throw new Error(failed === undefined ? "the migrations could not run" : `migration ${failed} failed`, { cause: error });
    }
    return (results ?? []).filter((result) => result.status === "Success").map((result) => result.migrationName);
  } finally {
    await patient.close();
  }
}

export async function isMigrated(db: Db): Promise<boolean> {
  const undefinedTable = "42P01";
  try {
    const { rows } = await db.pool.query<{ name: string }>("select name from kysely_migration");
    const applied = new Set(rows.map((row) => row.name));
    return Object.keys(migrations).every((name) => applied.has(name));
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return false;
    throw error;
  }
}
