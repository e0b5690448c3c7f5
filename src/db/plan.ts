// What `svc migrate` would do to a database, without doing it: each missing migration in the words of its file, the tables in use that it
// locks, and what it does to them meanwhile. Read from the text of the migrations; test/db/plan.test.ts holds it against Postgres's own locks.
import type { Queries } from "./connect.ts";
import { locksOf, type Mode, type Work } from "./lock-reader.ts";
import { findMissing } from "./migrate.ts";

export interface TableLock {
  table: string;
  mode: Mode;
  /** Who waits until the migration has ended. */
  waits: "nobody" | "writers of the same rows" | "writers" | "everyone";
  work: Work;
  /** As the statistics say, partitions included; null: never analyzed. */
  rows: number | null;
  /** Without indexes; null as `rows` is. */
  bytes: number | null;
  /** At `bytesPerSecond`; 0: it does not depend on the size. Null: it does, and the size is not known. */
  seconds: number | null;
}

export interface Plan {
  migrations: { name: string; does: string; locks: TableLock[] }[];
  functions: string[];
  /** The database has no tables yet: all is one transaction. */
  is_new: boolean;
}

/** Assumed, not measured: what a disk of a small server reads and writes. An index and a rewrite are counted twice. */
const bytesPerSecond = 100_000_000;

/** Reads catalogs alone: it locks no table and waits for nobody. */
export async function planMigrations(database: Queries): Promise<Plan> {
  const { migrations, functions, isNew } = await findMissing(database);
  const planned = migrations.map(({ name, text }) => ({ name, does: headerOf(text), found: locksOf(text) }));
  const sizes = await readSizes(database, [...new Set(planned.flatMap(({ found }) => found.map(({ table }) => table)))]);
  return {
    migrations: planned.map(({ name, does, found }) => ({
      name,
      does,
      locks: found.flatMap((lock) => {
        const size = sizes.get(lock.table);
        return size === undefined ? [] : [{ ...lock, waits: waitsFor(lock.mode), ...size, seconds: secondsOf(lock.work, size.bytes) }];
      }),
    })),
    functions: functions.map(({ name }) => name),
    is_new: isNew,
  };
}

function waitsFor(mode: Mode): TableLock["waits"] {
  if (mode === "access exclusive") return "everyone";
  if (mode === "share" || mode === "share row exclusive") return "writers";
  return mode === "row exclusive" ? "writers of the same rows" : "nobody";
}

function secondsOf(work: Work, bytes: number | null): number | null {
  if (work === "none") return 0;
  if (bytes === null) return null;
  const passes = { rows: 1, scan: 1, index: 2, rewrite: 2 }[work];
  return Math.ceil((bytes * passes) / bytesPerSecond);
}

/** The comment that a migration opens with, as one line. */
function headerOf(text: string): string {
  const [header] = /^(?:--.*\n)*/.exec(text)!;
  return header.replaceAll(/^-- ?/gm, "").trim().replaceAll(/\s+/g, " ");
}

/** Of the tables that are there; a table that an earlier migration of the plan makes is nobody's yet. */
async function readSizes({ pool }: Queries, tables: string[]): Promise<Map<string, Pick<TableLock, "rows" | "bytes">>> {
  // Not pg_table_size, which waits for a table that someone has locked.
  const { rows } = await pool.query<{ name: string; rows: number | null; bytes: number | null }>(
    `select t.name, s.rows, case when s.rows is not null then s.bytes end as bytes
     from unnest($1::text[]) t(name) join pg_class c on c.oid = to_regclass(t.name),
       lateral (
         select case when bool_and(part.reltuples >= 0) then sum(greatest(part.reltuples, 0))::float8 end as rows,
           sum((part.relpages + coalesce(toast.relpages, 0))::float8 * current_setting('block_size')::int) as bytes
         from pg_class part left join pg_class toast on toast.oid = part.reltoastrelid
         where part.relkind = 'r' and (part.oid = c.oid or part.oid in (select inhrelid from pg_inherits where inhparent = c.oid))
       ) s`,
    [tables],
  );
  return new Map(rows.map(({ name, ...size }) => [name, size]));
}
