// Makes a database of a backup, all of it in one transaction: a reader sees nothing, or the whole of it as it was (README.md beside this file).
import type pg from "pg";
import type { Db, Queries } from "../connect.ts";
import { lockMigrations, migrateWithin, readMigrations } from "../migrate.ts";
import { copyIn } from "./copy.ts";
import { copyTarget, plainText, quoted, readTables, type Table } from "./dump.ts";
import { BadBackup, type Header, readBackup, type Section } from "./format.ts";

/** Refused: the database is not one to restore into. Nothing was changed. */
class NotRestored extends Error {}

/** Reads the whole file once and throws BadBackup for one that was cut or altered, or NotRestored for one of a newer version. */
export async function checkBackup(file: string): Promise<Header> {
  const { header, sections, close } = await readBackup(file);
  try {
    const known = new Set(readMigrations().map(({ name }) => name));
    const newer = header.migrations.filter((name) => !known.has(name));
    if (newer.length > 0)
      throw new NotRestored(
        `the backup was made by a newer version: this one does not know ${newer.join(", ")}; restore with that version`,
      );
    for await (const section of sections) void section;
    return header;
  } finally {
    close();
  }
}

/** `header`: of checkBackup. What `check` throws undoes everything. */
export async function load(db: Db, file: string, header: Header, check: (restored: Queries) => Promise<void>): Promise<void> {
  const client = await db.pool.connect();
  let ended = false;
  try {
    const transaction: Queries = { pool: client };
    await client.query("begin");
    // Before it looks: what another restore has filled is seen only once that has ended.
    if (!(await lockMigrations(transaction)))
      throw new NotRestored("another restore, or a migration, is at work in this database: wait for its end, then look at what is there");
    await assertEmpty(client, header);
    await migrateWithin(transaction, new Set(header.migrations));
    await makeMonths(client, header.months);
    await fill(client, file, header);
    for (const [name, value] of Object.entries(header.sequences))
      await client.query("select setval($1::regclass, $2)", [quoted(name), value]);
    await migrateWithin(transaction);
    await check(transaction);
    await client.query("commit");
    ended = true;
  } finally {
    client.release(!ended);
  }
  await db.pool.query("analyze");
}

/** No tables at all, or those of the backup's version and no account, as after `svc migrate`. */
async function assertEmpty(client: pg.ClientBase, header: Header): Promise<void> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'f', 'v', 'm') limit 1000",
  );
  if (tables.length === 0) return;
  const names = new Set(tables.map(({ name }) => name));
  const instead = "restore into an empty database (DATABASE_URL) or, with the embedded one, into another folder (SVC_DATA_DIR)";
  if (!names.has("schema_migration")) throw new NotRestored(`the database has tables of something else: ${instead}`);
  const { rows: applied } = await client.query<{ name: string }>("select name from schema_migration order by name");
  if (applied.map(({ name }) => name).join() !== [...header.migrations].sort().join())
    throw new NotRestored(`the database has tables of another version than the backup: ${instead}`);
  for (const table of ["account", "ledger_entry", "operator", "operator_action", "voucher_batch"]) {
    if (!names.has(table)) continue;
    await client.query(`lock table ${quoted(table)} in share row exclusive mode`); // it stays empty: `svc` writes without a gateway
    const { rowCount } = await client.query(`select from ${quoted(table)} limit 1`);
    if (rowCount !== 0) throw new NotRestored(`the database is in use (${table} has rows): ${instead}`);
  }
  const { rowCount: living } = await client.query("select from replica where seen_at > now() - interval '20 s' limit 1");
  if (living !== 0) throw new NotRestored("a gateway runs on this database: stop it first, and start it when the restore has ended");
}

/** Those of the backup's time: the gateway makes only the current ones. Names are checked, since the file gives them. */
async function makeMonths(client: pg.ClientBase, months: readonly string[]): Promise<void> {
  for (const month of months) {
    const [, year, number] = /^(\d{4})_(\d\d)$/.exec(month) ?? [];
    if (year === undefined) throw new BadBackup("the backup was altered");
    const bounds = [0, 1].map((ahead) => new Date(Date.UTC(Number(year), Number(number) - 1 + ahead)).toISOString());
    const name = quoted(`usage_log_${month}`);
    const { rows } = await client.query<{ is_there: boolean }>("select to_regclass($1) is not null as is_there", [name]);
    if (rows[0]!.is_there) continue;
    await client.query(`create table ${name} (like usage_log including all)`);
    await client.query(`alter table usage_log attach partition ${name} for values from ('${bounds[0]}') to ('${bounds[1]}')`);
  }
}

interface ForeignKey {
  target: string;
  name: string;
  definition: string;
}

const foreignKeysSql = `
  select conrelid::regclass::text as target, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
  where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0 order by 1, 2`;

/** Rows as they were: triggers would move balances a second time, and a foreign key's other table may come later. Both are back, and the keys checked, before the end. */
async function fill(client: pg.ClientBase, file: string, header: Header): Promise<void> {
  await client.query(plainText);
  const tables = await readTables({ pool: client });
  const { rows: foreignKeys } = await client.query<ForeignKey>(foreignKeysSql);
  for (const { target, name } of foreignKeys) await client.query(`alter table ${target} drop constraint ${quoted(name)}`);
  for (const { name } of tables) await client.query(`alter table ${quoted(name)} disable trigger user`);
  await client.query(`truncate ${tables.map(({ name }) => quoted(name)).join(", ")}`); // migrations insert a few rows
  const { header: now, sections, close } = await readBackup(file);
  try {
    // Its sequences and months would not be those of the rows.
    if (JSON.stringify(now) !== JSON.stringify(header)) throw new BadBackup("another backup took the file's place while it was read");
    for await (const section of sections) await copyIn(client, `copy ${copyTarget(tableOf(section, tables))} from stdin`, section.rows);
  } finally {
    close();
  }
  for (const { name } of tables) await client.query(`alter table ${quoted(name)} enable trigger user`);
  for (const { target, name, definition } of foreignKeys)
    await client.query(`alter table ${target} add constraint ${quoted(name)} ${definition}`);
}

/** The file names tables and columns: only those that are there. */
function tableOf({ head }: Section, tables: readonly Table[]): Table {
  const table = tables.find(({ name }) => name === head.table);
  const strange = table === undefined ? [head.table] : head.columns.filter((column) => !table.columns.includes(column));
  if (table === undefined || strange.length > 0) throw new BadBackup(`the backup has what its version has not: ${strange.join(", ")}`);
  return { name: table.name, columns: head.columns };
}
