// Writes a whole database into one file, as of one moment, while gateways go on (README.md beside this file).
import { once } from "node:events";
import { open, readdir, readlink, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createGzip } from "node:zlib";
import type pg from "pg";
import type { Db, Queries } from "../connect.ts";
import { copyOut } from "./copy.ts";
import { createEncoder, type Header } from "./format.ts";

/** The same text of every value, whatever the server or the role is set to. */
export const plainText =
  "set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local intervalstyle = 'postgres'; set local extra_float_digits = 1; set local client_encoding = 'UTF8'";

/** They say how the tables were made, and are made anew with them. */
const bookkeeping = ["schema_migration", "schema_function"];

/** Partitions are left out: their table has their rows. */
const tablesSql = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> all($1)
  group by c.relname order by c.relname collate "C"`;

const monthsSql = `
  select coalesce(array_agg(substr(c.relname, length('usage_log_') + 1) order by c.relname), '{}') as months
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'usage_log'::regclass`;

const sequencesSql =
  "select sequencename as name, last_value::text as value from pg_sequences where schemaname = 'public' and last_value is not null";

export interface Table {
  name: string;
  columns: string[];
}

export async function readTables({ pool }: Queries): Promise<Table[]> {
  return (await pool.query<Table>(tablesSql, [bookkeeping])).rows;
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
export const copyTarget = ({ name, columns }: Table) => `${quoted(name)} (${columns.map(quoted).join(", ")})`;

/** What the database's owner says of the snapshot: the ledger is another room's. */
type Facts = Pick<Header, "ledger_head" | "accounts" | "entries">;

/**
 * The file is there whole or not at all: written beside its place, readable by its owner alone, and moved when the disk has it.
 * Throws what `describe` throws, before anything is written.
 */
export async function dump(
  db: Db,
  file: string,
  describe: (snapshot: Queries) => Promise<Facts>,
): Promise<{ bytes: number; facts: Facts }> {
  const client = await db.pool.connect();
  let ended = false;
  try {
    // A migration or a dropped month waits until the backup has ended, instead of ending it; nothing else does.
    const named = (await readTables({ pool: client })).map(({ name }) => quoted(name));
    await client.query("begin isolation level repeatable read read only");
    await client.query(`lock table ${named.join(", ")} in access share mode`);
    await client.query(plainText);
    const facts = await describe({ pool: client });
    const bytes = await write(client, file, facts);
    await client.query("commit");
    ended = true;
    return { bytes, facts };
  } finally {
    client.release(!ended);
  }
}

async function write(client: pg.PoolClient, link: string, facts: Facts): Promise<number> {
  const file = await behindLinks(link);
  await removeAbandoned(file);
  const part = `${file}.${process.pid}.part`;
  const handle = await open(part, "wx", 0o600);
  const packed = createGzip({ level: 4, chunkSize: 1 << 17 });
  const written = handle.writeFile(packed);
  written.catch(() => undefined); // awaited below
  try {
    const encoder = createEncoder(async (bytes) => {
      if (!packed.write(bytes)) await Promise.race([once(packed, "drain"), written]);
    });
    await encoder.header({ ...(await readHeader(client)), ...facts });
    for (const table of await readTables({ pool: client }))
      await encoder.table({ table: table.name, columns: table.columns }, copyOut(client, copyOutSql(table)));
    await encoder.end();
    packed.end();
    await written;
    await handle.sync();
    const { size } = await handle.stat();
    await handle.close();
    await rename(part, file);
    await syncFolder(dirname(file));
    return size;
  } catch (error) {
    packed.destroy();
    await written.catch(() => undefined);
    await handle.close().catch(() => undefined);
    await rm(part, { force: true });
    throw error;
  }
}

/** Where a link leads, be it to a file that is not there yet: what is moved in the link's own place would lie on another disk than is meant. */
export async function behindLinks(path: string, most = 40): Promise<string> {
  const target = await readlink(path).catch(() => null);
  if (target === null) return path;
  if (most === 0) throw new Error(`${path} is a link that leads back to itself`);
  return behindLinks(resolve(dirname(path), target), most - 1);
}

const abandonedMs = 24 * 3_600_000;

/** Parts of a process that was killed: one a night would fill the disk. Another that is at work writes to its own now. */
async function removeAbandoned(file: string): Promise<void> {
  const folder = dirname(file);
  const parts = (await readdir(folder)).filter((name) => name.startsWith(`${basename(file)}.`) && /\.\d+\.part$/.test(name));
  for (const path of parts.map((name) => join(folder, name))) {
    const { mtimeMs } = await stat(path);
    if (mtimeMs < Date.now() - abandonedMs) await rm(path);
  }
}

/** `copy TABLE` alone refuses a partitioned one. */
const copyOutSql = (table: Table) => `copy (select ${table.columns.map(quoted).join(", ")} from ${quoted(table.name)}) to stdout`;

async function readHeader(client: pg.PoolClient): Promise<Pick<Header, "created_at" | "migrations" | "months" | "sequences">> {
  const { rows: times } = await client.query<{ now: Date }>("select now()");
  const { rows: migrations } = await client.query<{ name: string }>("select name from schema_migration order by name");
  const { rows: months } = await client.query<{ months: string[] }>(monthsSql);
  const { rows: sequences } = await client.query<{ name: string; value: string }>(sequencesSql);
  return {
    created_at: times[0]!.now.toISOString(),
    migrations: migrations.map(({ name }) => name),
    months: months[0]!.months,
    sequences: Object.fromEntries(sequences.map(({ name, value }) => [name, value])),
  };
}

/** So that the new name outlives a power cut. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  await handle.sync().finally(() => handle.close());
}
