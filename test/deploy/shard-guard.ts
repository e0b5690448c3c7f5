// Every account lies on one of a few shards, and Postgres itself watches: a transaction that reads or writes rows of two shards fails. Row
// security does it, so whatever a statement, a function or a trigger visits is seen, however it is spelt.
import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Db } from "../../src/db/connect.ts";

export const shards = 3;
/** The guard's own error. */
export const crossed = "SH001";

export function shardOf(accountId: bigint | string): number {
  return Number(BigInt(accountId) % BigInt(shards));
}

/** Tables whose rows are an account's, with the column that says whose. Derived, so that a new table is watched as well. */
export async function accountTables({ pool }: Db): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
     where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`,
  );
  return new Map([...rows.map(({ name }): [string, string] => [name, "account_id"]), ["account", "id"]]);
}

/** A pool that is watched. It looks rows up one by one: what a plan visits is then what the statement needs, not what a small table invites. */
export async function watchedPool(db: Db): Promise<{ pool: pg.Pool; remove(): Promise<void> }> {
  const role = `svc_watched_${randomBytes(4).toString("hex")}`;
  await db.pool.query(`
    create role ${role};
    grant usage on schema public to ${role};
    grant all on all tables in schema public to ${role};
    grant all on all sequences in schema public to ${role};
    create function watch_shard(_account bigint) returns boolean language plpgsql as $$
    declare here text := current_setting('test.shard', true); its text := (_account % ${shards})::text;
    begin
      if coalesce(here, '') = '' then perform set_config('test.shard', its, true);
      elsif here <> its then raise exception 'one transaction touches the shards % and %', here, its using errcode = '${crossed}';
      end if;
      return true;
    end $$;`);
  for (const [table, column] of await accountTables(db))
    await db.pool.query(`
      alter table ${table} enable row level security;
      create policy one_shard on ${table} for all to ${role}
        using (${column} is null or watch_shard(${column})) with check (${column} is null or watch_shard(${column}));`);
  const { types } = db.pool.options as pg.PoolConfig;
  const planner = ["seqscan", "hashjoin", "mergejoin", "bitmapscan"].map((way) => `-c enable_${way}=off`).join(" ");
  const pool = new pg.Pool({ connectionString: db.url, max: 10, options: `-c role=${role} ${planner}`, ...(types && { types }) });
  return {
    pool,
    async remove() {
      await pool.end();
      await db.pool.query(`drop owned by ${role}; drop role ${role}`);
    },
  };
}
