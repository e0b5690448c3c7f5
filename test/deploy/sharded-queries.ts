// The gateway's own queries sent over the watched pool: batches grouped by shard, or as they are. What is known to ask of all accounts goes
// to the database past the guard, and is named here with what is done about it where there are several.
import type { Db } from "../../src/db/connect.ts";
import { groupByShard, joinLists, joinRows, joinTakes } from "./group-by-shard.ts";
import { crossed, watchedPool } from "./shard-guard.ts";

/** Statements that ask of all accounts, by a part of their text. deploy/scale-out.md says what becomes of each. */
export const ofAllAccounts: Record<string, string> = {
  "from ledger_sweepable(": "one sweeper a shard",
  "ledger_sweep(": "one sweeper a shard",
  "rate_sweep(": "one sweeper a shard",
  "from media_untidy(": "one sweeper a shard",
  "select id from media_job where run_at <= now()": "the runner claims from one shard at a time",
  "id = any($2) and lease_owner = $1": "leases are renewed a shard at a time",
  "select id from media_job where late_at <= now()": "a shard at a time",
  "update api_key k set last_used_at": "grouped by the shard of the caller's account, once a minute",
  "where expires_at < $1 limit": "one sweeper a shard",
};

export interface Sharded {
  /** Statements that failed because they touched two shards. */
  crossings: string[];
  /** Distinct statements that were watched. */
  watched: Set<string>;
  remove(): Promise<void>;
}

export async function shardQueries(db: Db, { grouped }: { grouped: boolean }): Promise<Sharded> {
  const own = { query: db.pool.query, connect: db.pool.connect };
  const past = db.pool.query.bind(db.pool) as unknown as Query;
  const { pool, remove } = await watchedPool(db);
  const send = pool.query.bind(pool) as unknown as Query;
  const crossings: string[] = [];
  const watched = new Set<string>();
  const seen: Query = async (text, values) => {
    watched.add(text);
    return send(text, values).catch((error: { code?: string }) => {
      if (error.code === crossed) crossings.push(text);
      throw error;
    });
  };
  const query: Query = async (text, values = []) => {
    if (Object.keys(ofAllAccounts).some((part) => text.includes(part))) return past(text, values);
    const parts = grouped ? groupByShard(text, values) : [{ values: [...values], places: [] }];
    if (parts.length === 1) return seen(text, values);
    const results = await Promise.all(parts.map((part) => seen(text, part.values)));
    const rows = results.map((result) => result.rows);
    if (text.includes(" admit_calls(")) return { ...results[0]!, rows: joinLists(rows) };
    return { ...results[0]!, rows: text.includes(" rate_take(") ? joinTakes(parts, rows) : joinRows(parts, rows) };
  };
  db.pool.query = query as never;
  const connect = own.connect.bind(db.pool) as unknown as (done: unknown) => void;
  // With a callback it is the pool's own query that asks.
  db.pool.connect = ((done?: unknown) =>
    done === undefined ? pool.connect().then((client) => watchTransaction(client, crossings, watched)) : connect(done)) as never;
  return {
    crossings,
    watched,
    async remove() {
      Object.assign(db.pool, own);
      await remove();
    },
  };
}

type Query = (text: string, values?: readonly unknown[]) => Promise<{ rows: Record<string, unknown>[]; rowCount: number | null }>;

/** A transaction stays on the shard of its first row: nothing is grouped in it. */
function watchTransaction<Client extends { query: unknown; release: (broken?: boolean | Error) => void }>(
  client: Client,
  crossings: string[],
  watched: Set<string>,
): Client {
  const query = (client.query as Query).bind(client);
  const release = client.release.bind(client);
  client.query = async (text: string, values?: readonly unknown[]) => {
    watched.add(text);
    return query(text, values).catch((error: { code?: string }) => {
      if (error.code === crossed) crossings.push(text);
      throw error;
    });
  };
  client.release = (broken) => {
    Object.assign(client, { query, release });
    release(broken);
  };
  return client;
}
