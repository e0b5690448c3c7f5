// Brings a database up to date: applies the migrations that it lacks and loads the functions whose text changed, in one transaction
// under one lock, so that processes that start together do it once. README.md has the rules for changes.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { functionsVersion } from "../../generated/functions-version.ts";
import { connect, type Db, inTransaction, type Queries } from "./connect.ts";
import { ensurePartitions } from "./partitions.ts";

const lockKey = 7322000;

/** Returns the names of the migrations and functions that were applied now. */
export async function migrate(db: Db): Promise<string[]> {
  // A separate pool without a timeout: waiting for another process, or rewriting a big table, may take long.
  const patient = connect(db.url, { max: 1, applicationName: "svc-migrate", statementTimeoutMs: 0 });
  try {
    return await inTransaction(patient, (transaction) => migrateWithin(transaction));
  } finally {
    await patient.close();
  }
}

/**
 * For a restore, in its transaction. `only`: these migrations and the functions of triggers, for tables of an earlier version that are filled
 * before the other migrations change them; a second call does the rest.
 */
export async function migrateWithin(transaction: Queries, only?: ReadonlySet<string>): Promise<string[]> {
  const { pool } = transaction;
  await pool.query(`select pg_advisory_xact_lock(${lockKey})`);
  await refuseUnreleased(transaction);
  await pool.query(bookkeeping);
  const missing = await findMissing(transaction);
  const { functions, version } = missing;
  const migrations = missing.migrations.filter(({ name }) => only?.has(name) ?? true);
  // A trigger needs its function, which names no table; any other function may need a table's type. What a function calls may come after
  // it.
  const [ofTriggers, others] = [functions.filter(isOfTrigger), functions.filter((file) => !isOfTrigger(file))];
  await pool.query("set local check_function_bodies = off");
  for (const file of ofTriggers) await apply(transaction, "function", file);
  for (const file of migrations) {
    await apply(transaction, "migration", file);
    await pool.query("insert into schema_migration (name) values ($1)", [file.name]);
  }
  if (only !== undefined) return migrations.map(({ name }) => name);
  for (const file of others) await apply(transaction, "function", file);
  if (functions.length > 0 || version < functionsVersion) await recordFunctions(transaction);
  // For a new database. The migration can't create the months itself: it is never edited, but the function that creates them may change.
  if (version === 0) await ensurePartitions(transaction);
  return [...migrations, ...functions].map(({ name }) => name);
}

/** Whether migrate has nothing to do. */
export async function isMigrated(db: Db): Promise<boolean> {
  const undefinedTable = "42P01";
  try {
    const { migrations, functions } = await findMissing(db);
    return migrations.length + functions.length === 0;
  } catch (error) {
    if ((error as { code?: string }).code === undefinedTable) return false;
    throw error;
  }
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

/**
 * The database may be newer: an older gateway that restarts during an update leaves the newer version's functions alone.
 * Migrations that it doesn't know are harmless to it (README.md).
 */
async function findMissing({ pool }: Queries): Promise<{ migrations: SqlFile[]; functions: SqlFile[]; version: number }> {
  const applied = await pool.query<{ name: string }>("select name from schema_migration");
  const loaded = await pool.query<{ name: string; hash: string; version: number }>("select name, hash, version from schema_function");
  const names = new Set(applied.rows.map(({ name }) => name));
  const hashes = new Map(loaded.rows.map(({ name, hash }) => [name, hash]));
  const version = Math.max(0, ...loaded.rows.map((row) => row.version));
  return {
    migrations: readMigrations().filter(({ name }) => !names.has(name)),
    functions: version > functionsVersion ? [] : readFunctions().filter(({ name, hash }) => hashes.get(name) !== hash),
    version,
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
