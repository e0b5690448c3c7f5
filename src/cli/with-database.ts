// Opens the database that the gateway of the same environment uses, for one command, and writes what it changes into the log of operators'
// actions.
import { resolve } from "node:path";
import { Refused } from "../accounts/admin.ts";
import type { Config } from "../config.ts";
import { connect, type Db, type Queries } from "../db/connect.ts";
import { hostsName } from "../db/hosts.ts";
import { findMissing } from "../db/migrate.ts";
import { ApiError } from "../errors/fail.ts";
import { type Action, recorded, shellActor } from "../operators/action-log.ts";

/** Never migrates: a command must not change the tables of a running gateway. */
export async function withDatabase<T>(config: Config, work: (db: Db) => Promise<T>, options?: Patience): Promise<T> {
  if (config.databaseUrl === null) await assertEmbedded(config);
  return withRawDatabase(
    config,
    async (db) => {
      await assertMigrated(db);
      await lookAtClock(db);
      return work(db).catch(refuse);
    },
    options,
  );
}

/** Names what is missing: a standby that was asked, or just took over, may not have replayed it yet, where `migrate` is no remedy. */
async function assertMigrated(db: Db): Promise<void> {
  const { migrations, functions, isNew } = await findMissing(db);
  const names = [...migrations, ...functions].map(({ name }) => name);
  if (names.length === 0) return;
  const what = isNew ? "it has no tables" : `${names[0]!}${names.length === 1 ? " is" : ` and ${names.length - 1} more are`} missing`;
  throw new Refused(`the database is not up to date (${what}): run svc migrate or svc start first`);
}

/** So that `db.checks.now()` is the database's time, by which a gateway dates too: this machine's clock may be wrong. */
async function lookAtClock({ pool, checks }: Db): Promise<void> {
  const [wallSent, sent] = [Date.now(), performance.now()];
  const { rows } = await pool.query<{ at: number }>("select extract(epoch from clock_timestamp())::float8 * 1000 as at");
  checks.lookAtClock({ sent, heard: performance.now(), wallSent, wallHeard: Date.now(), database: rows[0]!.at });
}

/** What the gateway's own operations refuse is refused in their words. */
async function refuse(error: unknown): Promise<never> {
  if (!(error instanceof ApiError)) throw error;
  const { shownError } = await import("../errors/text.ts");
  throw new Refused(shownError(error, "standard").message);
}

/** The timeouts; absent: those of any statement (src/db/connect.ts). */
interface Patience {
  /** 0: no timeout. */
  statementTimeoutMs?: number;
  silenceMs?: number;
}

/** For reading every entry or a month's calls, which takes minutes for tens of millions: longer than a request's statement may take. */
export const withoutTimeout: Patience = { statementTimeoutMs: 0 };

/** A mistyped folder must not become a new, empty database. */
export async function assertEmbedded({ dataDir }: Config): Promise<void> {
  const { hasEmbedded } = await import("../db/embedded.ts");
  if (hasEmbedded(dataDir)) return;
  const folder = resolve(dataDir);
  throw new Refused(
    `there is no database in ${folder} (SVC_DATA_DIR): set it to the gateway's folder, or DATABASE_URL to its Postgres; svc start makes a new one`,
  );
}

/** Creates the embedded database if there is none, starts it if it isn't running, and stops it afterwards. */
export async function withRawDatabase<T>(config: Config, work: (db: Db) => Promise<T>, options: Patience = {}): Promise<T> {
  const embedded = config.databaseUrl === null ? await startEmbedded(config) : undefined;
  const url = embedded?.url ?? config.databaseDirectUrl ?? config.databaseUrl!;
  const name = config.databaseDirectUrl === null ? "DATABASE_URL" : "DATABASE_DIRECT_URL";
  const db = connect(url, {
    max: 2,
    applicationName: "svc-cli",
    ...options,
  });
  try {
    const first = await db.pool.connect().catch((cause: unknown) => {
      const where = embedded === undefined ? `Postgres of ${name} (${hostsName(url)})` : "embedded Postgres";
      throw new Refused(`the ${where} takes no connection`, { cause });
    });
    first.release();
    return await work(db);
  } finally {
    await db.close();
    await embedded?.stop();
  }
}

async function startEmbedded(config: Config) {
  const { startEmbedded } = await import("../db/embedded.ts");
  return startEmbedded({ dataDir: config.dataDir, durable: true });
}

type Row = Pick<Action, "action"> & Partial<Action>;

/** In the transaction of the change: `work` changes something; `row` says what, of its result. */
export async function recordedByShell<T>(
  db: Db,
  at: Date,
  work: (transaction: Queries) => Promise<T>,
  row: (result: T) => Row | null,
): Promise<T> {
  return recorded(db, shellActor(), at, async (transaction) => {
    const result = await work(transaction);
    const named = row(result);
    return { result, row: named === null ? null : { target: null, reason: null, before: null, after: null, ...named } };
  });
}
