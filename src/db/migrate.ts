// Brings a database up to date: applies the migrations that it lacks, each in a transaction of its own, and then loads the functions whose
// text changed. Under one lock, so that processes that start together do it once. README.md has the rules for changes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { functionsVersion } from "../../generated/functions-version.ts";
import { connect, type Db, inTransaction, type Queries } from "./connect.ts";
import { locksOf } from "./lock-reader.ts";
import { ensurePartitions } from "./partitions.ts";

const lockKey = 7322000;

/**
 * How long a migration waits for a table at a time, holding up the calls that come after it. Briefly at first: a call that has one of its tables
 * and waits for another is past after that, well before its own second is over. Then longer than Postgres's deadlock_timeout (1 s), at which
 * a vacuum makes way, and shorter than the 3 s after which a new call is refused. In between it lets them pass, each time for longer.
 */
const lockTimeoutMs = { brief: 250, long: 1_500 };
const briefTries = 4;
const lockPauseMs = { first: 500, most: 15_000 };
/** Some backups read a table for minutes. */
const lockPatienceMs = 10 * 60_000;

interface MigrateOptions {
  /** After each transaction, and before the next one. */
  onApplied?: (names: readonly string[]) => Promise<void> | void;
  /** A table that the migration locks is held by others; it lets calls pass and asks again. */
  onWaiting?: (migration: string) => void;
  /** These three: tests shorten them. */
  timeoutMs?: number;
  pauseMs?: number;
  patienceMs?: number;
}

/** Returns the names of the migrations and functions that were applied now. */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<string[]> {
  // A separate pool without a timeout: waiting for another process, or rewriting a big table, may take long.
  const patient = connect(db.url, { max: 1, applicationName: "svc-migrate", statementTimeoutMs: 0 });
  const applied: string[] = [];
  try {
    for (;;) {
      const step = await inTransaction(patient, (transaction) => migrateStep(transaction, options));
      applied.push(...step.names);
      await options.onApplied?.(step.names);
      if (step.isLast) return applied;
    }
  } finally {
    await patient.close();
  }
}

/**
 * The next missing migration, or, when none is missing, the functions. So a lock ends with its migration, and a crash leaves the tables of a
 * version in between, on which the functions of before go on. Each step looks anew: between two, another process may go on with it.
 */
async function migrateStep(transaction: Queries, options: MigrateOptions): Promise<{ names: string[]; isLast: boolean }> {
  const { pool } = transaction;
  const { migrations, functions, version, isNew } = await findUnderLock(transaction);
  const [next] = migrations;
  if (isNew) return { names: await migrateWithin(transaction), isLast: true }; // nobody uses its tables yet
  if (next === undefined) return { names: await loadFunctions(transaction, { functions, version }), isLast: true };
  await pool.query("set local check_function_bodies = off");
  // A new trigger needs its function. One that is there keeps its text until the end: the new text may name columns that are not there yet.
  const { rows } = await pool.query<{ name: string }>("select name from schema_function");
  const there = new Set(rows.map(({ name }) => name));
  for (const file of functions) if (isOfTrigger(file) && !there.has(file.name)) await apply(transaction, "function", file);
  await applyPatiently(transaction, next, options);
  await pool.query("insert into schema_migration (name) values ($1)", [next.name]);
  return { names: [next.name], isLast: false };
}

/** A table that is not free within the timeout is given up, with all others that the migration got, and asked for again later. */
async function applyPatiently({ pool }: Queries, file: SqlFile, options: MigrateOptions): Promise<void> {
  const { timeoutMs, pauseMs = lockPauseMs.first, patienceMs = lockPatienceMs } = options;
  const begunAt = performance.now();
  await pool.query("set local idle_in_transaction_session_timeout = 0"); // the pauses are longer than a server may allow
  for (let tries = 0, pause = pauseMs; ; tries++, pause = Math.min(2 * pause, lockPauseMs.most)) {
    const timeout = timeoutMs ?? (tries < briefTries ? lockTimeoutMs.brief : lockTimeoutMs.long);
    await pool.query("savepoint migration");
    await pool.query("select set_config('lock_timeout', $1, true)", [String(timeout)]);
    try {
      await lockTables({ pool }, file);
      await apply({ pool }, "migration", file);
      break;
    } catch (error) {
      if (!isLockRefused(error) && !isLockRefused((error as Error).cause)) throw error;
      if (performance.now() - begunAt > patienceMs)
        throw new Error(
          `migration ${file.name} was not applied: for ${Math.round(patienceMs / 1000)} s something has held a table that it locks ` +
            "(pg_stat_activity shows old transactions). What came before it is applied; the next start goes on with it",
          { cause: error },
        );
    }
    await pool.query("rollback to savepoint migration"); // its locks are given back, that of all migrations is kept
    options.onWaiting?.(file.name);
    await setTimeout(pause);
  }
  await pool.query("set local lock_timeout to default");
}

/** All at once, before any work: a call that comes during the work has then waited for none of what is locked only later. */
async function lockTables({ pool }: Queries, { text }: SqlFile): Promise<void> {
  for (const { table, mode } of locksOf(text)) {
    const { rows } = await pool.query<{ is_there: boolean }>("select to_regclass($1) is not null as is_there", [table]);
    if (rows[0]!.is_there) await pool.query(`lock table ${table} in ${mode} mode`);
  }
}

/** lock_not_available, deadlock_detected. */
const isLockRefused = (error: unknown) => /^(55P03|40P01)$/.test((error as { code?: string } | null)?.code ?? "");

/**
 * For a restore, in its transaction. `only`: these migrations and the functions of triggers, for tables of an earlier version that are filled
 * before the other migrations change them; a second call does the rest.
 */
export async function migrateWithin(transaction: Queries, only?: ReadonlySet<string>): Promise<string[]> {
  const { pool } = transaction;
  const { functions, version, ...missing } = await findUnderLock(transaction);
  const migrations = missing.migrations.filter(({ name }) => only?.has(name) ?? true);
  // A trigger needs its function, which names no table; any other function may need a table's type. What a function calls may come after
  // it.
  await pool.query("set local check_function_bodies = off");
  for (const file of functions.filter(isOfTrigger)) await apply(transaction, "function", file);
  for (const file of migrations) {
    await apply(transaction, "migration", file);
    await pool.query("insert into schema_migration (name) values ($1)", [file.name]);
  }
  const names = migrations.map(({ name }) => name);
  return only === undefined ? [...names, ...(await loadFunctions(transaction, { functions, version }))] : names;
}

/** Keeps others from migrating this database, or restoring a backup into it, until the transaction ends; false: another is doing so. */
export async function lockMigrations({ pool }: Queries): Promise<boolean> {
  const { rows } = await pool.query<{ is_mine: boolean }>(`select pg_try_advisory_xact_lock(${lockKey}) as is_mine`);
  return rows[0]!.is_mine;
}

async function findUnderLock(transaction: Queries): Promise<Missing> {
  await transaction.pool.query(`select pg_advisory_xact_lock(${lockKey})`);
  await refuseUnreleased(transaction);
  await transaction.pool.query(bookkeeping);
  return findMissing(transaction);
}

async function loadFunctions(transaction: Queries, { functions, version }: Pick<Missing, "functions" | "version">): Promise<string[]> {
  await transaction.pool.query("set local check_function_bodies = off");
  for (const file of functions) await apply(transaction, "function", file);
  if (functions.length > 0 || version < functionsVersion) await recordFunctions(transaction);
  // For a new database. The migration can't create the months itself: it is never edited, but the function that creates them may change.
  if (version === 0) await ensurePartitions(transaction);
  return functions.map(({ name }) => name);
}

/** The first seventeen migrations were squashed into one before anything was released. */
async function refuseUnreleased({ pool }: Queries): Promise<void> {
  const { rows } = await pool.query<{ is_old: boolean }>("select to_regclass('kysely_migration') is not null as is_old");
  if (rows[0]!.is_old)
    throw new Error(
      "this database was made by a version before the first release and can't be updated: " +
        "use an empty database (DATABASE_URL) or, with the embedded one, another folder (SVC_DATA_DIR)",
    );
}

const bookkeeping = `
  create table if not exists schema_migration (name text primary key, applied_at timestamptz not null default now());
  create table if not exists schema_function (name text primary key, hash text not null, version int not null);
`;

interface Missing {
  migrations: SqlFile[];
  functions: SqlFile[];
  /** Of the functions that are loaded; 0: none are. */
  version: number;
  /** It has no tables of ours. */
  isNew: boolean;
}

/**
 * The database may be newer: an older gateway that restarts during an update leaves the newer version's functions alone.
 * Migrations that it doesn't know are harmless to it (README.md).
 */
export async function findMissing({ pool }: Queries): Promise<Missing> {
  const { rows } = await pool.query<{ is_there: boolean }>("select to_regclass('schema_migration') is not null as is_there");
  if (!rows[0]!.is_there) return { migrations: readMigrations(), functions: readFunctions(), version: 0, isNew: true };
  const applied = await pool.query<{ name: string }>("select name from schema_migration");
  const loaded = await pool.query<{ name: string; hash: string; version: number }>("select name, hash, version from schema_function");
  const names = new Set(applied.rows.map(({ name }) => name));
  const hashes = new Map(loaded.rows.map(({ name, hash }) => [name, hash]));
  const version = Math.max(0, ...loaded.rows.map((row) => row.version));
  return {
    migrations: readMigrations().filter(({ name }) => !names.has(name)),
    functions: version > functionsVersion ? [] : readFunctions().filter(({ name, hash }) => hashes.get(name) !== hash),
    version,
    isNew: names.size === 0,
  };
}

const isOfTrigger = ({ text }: SqlFile) => /\breturns trigger\b/.test(text);

async function apply({ pool }: Queries, kind: "function" | "migration", { name, text }: SqlFile): Promise<void> {
  try {
    await pool.query(text);
  } catch (error) {
    throw new Error(`${kind} ${name} failed`, { cause: error });
  }
}

async function recordFunctions({ pool }: Queries): Promise<void> {
  const files = readFunctions();
  await pool.query("delete from schema_function");
  await pool.query(
    "insert into schema_function (name, hash, version) select name, hash, $3 from unnest($1::text[], $2::text[]) f(name, hash)",
    [files.map(({ name }) => name), files.map(({ hash }) => hash), functionsVersion],
  );
}

// Reads the SQL that a database is made of: migrations/ and functions/ (README.md).

interface SqlFile {
  /** Of the file, without `.sql`. */
  name: string;
  text: string;
  hash: string;
}

/** In the order in which they are applied. */
export const readMigrations = (): SqlFile[] => readFolder("migrations");

export const readFunctions = (): SqlFile[] => readFolder("functions");

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

function readFolder(folder: string): SqlFile[] {
  const path = new URL(`${folder}/`, import.meta.url);
  const files = readdirSync(path).filter((file) => file.endsWith(".sql"));
  return files.sort().map((file) => {
    const text = readFileSync(new URL(file, path), "utf8");
    return { name: file.slice(0, -".sql".length), text, hash: hashOf(text) };
  });
}
