// What Postgres does for each statement that a piece of work sends, with the very values that it sends: the pages it touches and the tables
// it walks from end to end, those of functions and triggers included.
import type pg from "pg";
import type { Db } from "../../src/db/connect.ts";

export interface Explained {
  text: string;
  /** Shared pages, hit or read. */
  buffers: number;
  /** Tables that were read sequentially, but for empty ones and a month of the log that has just begun. */
  walked: string[];
  /** Indexes that answer without the rows of their table. */
  alone: string[];
}

/** Each statement runs twice: once to be looked at, and rolled back. Transactions of the work itself are not looked at. */
export async function explainQueries(db: Db, work: () => Promise<unknown>): Promise<Explained[]> {
  const query = db.pool.query.bind(db.pool) as (text: string, values?: unknown[]) => Promise<unknown>;
  const { connect } = db.pool;
  const explained: Explained[] = [];
  db.pool.query = (async (text: string, values: unknown[] = []) => {
    explained.push(await explain(db, connect, text, values));
    return query(text, values);
  }) as never;
  try {
    await work();
  } finally {
    db.pool.query = query as never;
  }
  return explained;
}

interface Plan {
  "Node Type": string;
  "Index Name"?: string;
  Plans?: Plan[];
  "Shared Hit Blocks": number;
  "Shared Read Blocks": number;
}

async function explain(db: Db, connect: Db["pool"]["connect"], text: string, values: unknown[]): Promise<Explained> {
  const client = await (connect as () => Promise<pg.PoolClient>).call(db.pool);
  try {
    await client.query("begin");
    const before = await readsOf(client);
    const { rows } = await client.query<{ "QUERY PLAN": { Plan: Plan }[] }>(`explain (analyze, buffers, format json) ${text}`, values);
    const plan = rows[0]!["QUERY PLAN"][0]!.Plan;
    const walked = [...(await readsOf(client))].filter(([table, read]) => read > (before.get(table) ?? 0n)).map(([table]) => table);
    const alone = nodesOf(plan).flatMap((node) => (node["Node Type"] === "Index Only Scan" ? [node["Index Name"]!] : []));
    return { text, buffers: plan["Shared Hit Blocks"] + plan["Shared Read Blocks"], walked, alone };
  } finally {
    await client.query("rollback");
    client.release();
  }
}

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** A month of the log with no more is rightly read whole: on the first day of a month the newest is. */
const justBegunBytes = 16 * 8192;

/** Rows read sequentially of each table, so far: what a connection counts is not reset by the end of a transaction. */
async function readsOf(client: pg.PoolClient): Promise<Map<string, bigint>> {
  const { rows } = await client.query<{ relname: string; read: bigint }>(
    `select relname, seq_tup_read as read from pg_stat_xact_user_tables
     where seq_tup_read > 0 and (relname not like 'usage\\_log\\_%' or pg_relation_size(relid) > $1) order by 1`,
    [justBegunBytes],
  );
  return new Map(rows.map(({ relname, read }) => [relname, read]));
}
