// Pools of Postgres connections, and the one connection that listens. A bigint is a BigInt everywhere; no session state is set,
// so that a transaction pooler may stand between (docs/behaviour/ledger.md#connections).
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import type { DB } from "../../generated/tables.ts";
import { parseJson } from "../json/parse.ts";
import { assertOurs, clientOf, parseHosts } from "./hosts.ts";
import { type Turns, turnsAt } from "./mutex.ts";
import { createStanding, type Standing } from "./standing.ts";

export interface Db {
  kysely: Kysely<DB>;
  pool: pg.Pool;
  url: string;
  /** The mutex of the batchers; null: they need none. */
  turns: Turns | null;
  standing: Standing;
  close(): Promise<void>;
}

/** What can be asked: a Db, or the one connection of a transaction. */
export interface Queries {
  pool: Pick<pg.Pool, "query">;
}

interface ConnectOptions {
  /** Connections at most. */
  max: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /**
   * After this Postgres gives a statement up. 0: never, nor a transaction that does nothing, which is also what a transaction pooler
   * needs, since it refuses start-up parameters that it doesn't know.
   */
  statementTimeoutMs?: number;
  /**
   * After this the connection is given up with its query: a machine or network that fails in silence sends no error.
   * Absent: never.
   */
  silenceMs?: number;
  /** A connection that breaks while idle harms no query; the pool replaces it. */
  onIdleError?: (error: Error & { code?: string }) => void;
  /** Of a gateway: its connections live for so long, lead to its own database, and do this before they take work. Absent: they stay. */
  kept?: { lifeMs: number; warmUp: (client: pg.ClientBase) => Promise<void> };
  /** See createStanding. */
  onDoubt?: Parameters<typeof createStanding>[0];
}

/** No query of a request takes a second; this ends the ones that would hold a connection for good. */
const statementTimeoutDefaultMs = 30_000;
const connectDefaultMs = 10_000;
/** Our transactions only query: one that is idle for so long belongs to a process that hangs, and it may lock a balance. */
const idleInTransactionMs = 5_000;

export function connect(url: string, options: ConnectOptions): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? statementTimeoutDefaultMs;
  const standing = createStanding(options.onDoubt);
  const hosts = parseHosts(url);
  const timeoutMs = options.silenceMs ?? connectDefaultMs;
  const watched = options.silenceMs === undefined ? pg.Client : watchedClient(options.silenceMs);
  const pool = new pg.Pool({
    connectionString: hosts.urls[0]!,
    Client: clientOf(watched, hosts, timeoutMs),
    max: options.max,
    application_name: options.applicationName ?? "svc",
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 0, // a new connection plans the ledger's statements again: the batcher that meets it waits 50 to 100 ms
    ...(options.kept === undefined ? {} : { onConnect: (client) => assertOurs(standing, client) }),
    keepAlive: true,
    types,
    ...(statementTimeoutMs > 0 ? { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: idleInTransactionMs } : {}),
  });
  pool.on("error", options.onIdleError ?? (() => undefined));
  // Between two queries of a transaction there is no other listener, and an unhandled error ends the process. The next query fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const renewal = options.kept === undefined ? null : renewConnections(pool, options.kept);
  standing.onSuccessor(() => renewal?.retireAll());
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    renewal?.stop();
    if (!pool.ending) await pool.end();
  };
  return { kysely, pool, url, turns: turnsAt(url), standing, close };
}

/** All of it or nothing. */
export function inTransaction<T>(db: Db, work: (transaction: Queries) => Promise<T>): Promise<T> {
  return between(db, "begin", work);
}

/** Everything is read as of one moment, so that a busy database looks as whole as an idle one. */
export function inSnapshot<T>(db: Db, work: (snapshot: Queries) => Promise<T>): Promise<T> {
  return between(db, "begin isolation level repeatable read read only", work);
}

async function between<T>(db: Db, begin: string, work: (transaction: Queries) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  let ended = false;
  try {
    await client.query(begin);
    const result = await work({ pool: client });
    await client.query("commit");
    ended = true;
    return result;
  } finally {
    client.release(!ended); // a connection that goes takes its transaction with it
  }
}

const [int8, int8Array, json, jsonb, jsonArray, jsonbArray, textArray] = [20, 1016, 114, 3802, 199, 3807, 1009] as const;

/** For this pool alone: pg's own table of parsers is global. timestamptz is a Date already. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === int8) return BigInt;
    if (oid === int8Array) return parseArray(BigInt);
    if (oid === json || oid === jsonb) return parseJson;
    if (oid === jsonArray || oid === jsonbArray) return parseArray(parseJson);
    return pg.types.getTypeParser(oid, format as "text") as unknown;
  }) as pg.CustomTypesConfig["getTypeParser"],
};

function parseArray<T>(parse: (text: string) => T): (text: string) => (T | null)[] {
  const texts = pg.types.getTypeParser(textArray as number) as (text: string) => (string | null)[];
  return (text) => texts(text).map((element) => (element === null ? null : parse(element)));
}

// A connection that is given up with its query when the database says nothing for too long. pg has an option for that (query_timeout), which
// puts a function of its own into every query: young garbage then hangs together, and each collection keeps some ten kilobytes a request of it.

type Callback = (...outcome: unknown[]) => void;

/** Of pools whose queries must answer within so long. */
function watchedClient(silenceMs: number): typeof pg.Client {
  class WatchedClient extends pg.Client {
    /** Ends with an error that says that the connection was terminated. */
    override query(...given: unknown[]): never {
      const silence = setTimeout(() => void this.end(), silenceMs);
      const callback = given.at(-1);
      const ask = super.query as (...asked: unknown[]) => unknown;
      if (typeof callback === "function") {
        const heard: Callback = (...outcome) => {
          clearTimeout(silence);
          (callback as Callback)(...outcome);
        };
        return ask.call(this, ...given.slice(0, -1), heard) as never;
      }
      const answer = ask.call(this, ...given) as Promise<unknown>;
      return answer.finally(() => clearTimeout(silence)) as never;
    }
  }
  return WatchedClient;
}

// Gives each connection of a pool a life of minutes: an address may lead elsewhere by then, and a connection that stays would go on with a former
// primary. One at a time: the next one is open, and has planned what it will run, before the old one leaves; no batcher waits for it.

interface Renewal {
  /** All of them: each leaves when it is idle. */
  retireAll(): void;
  stop(): void;
}

interface RenewalOptions {
  lifeMs: number;
  /** What a connection does before it takes work. */
  warmUp: (client: pg.ClientBase) => Promise<void>;
}

/** What pg-pool keeps to itself: it opens a connection only for want of an idle one, and has no way to end a certain one. */
interface Inside {
  _clients: pg.PoolClient[];
  _idle: { client: pg.PoolClient }[];
  /** Ended by the pool when they are given back. */
  _expired: WeakSet<pg.PoolClient>;
  _remove(client: pg.PoolClient): void;
  newClient(pending: { callback(error: Error | undefined, client: pg.PoolClient): void }): void;
}

/** Lives differ by as much, so that those which were opened together don't end together. */
const jitter = 0.25;
/** How often in a life one is looked for that has had its time. */
const looksALife = 60;

function renewConnections(pool: pg.Pool, { lifeMs, warmUp }: RenewalOptions): Renewal {
  const inside = pool as unknown as Inside;
  const dueAt = new WeakMap<pg.PoolClient, number>();
  pool.on("connect", (client) => void dueAt.set(client, performance.now() + lifeMs * (1 - jitter + 2 * jitter * Math.random())));

  const retire = (client: pg.PoolClient) => {
    if (inside._idle.some((item) => item.client === client)) inside._remove(client);
    else inside._expired.add(client);
  };
  const open = () =>
    new Promise<pg.PoolClient>((resolve, reject) =>
      inside.newClient({ callback: (error, client) => (error === undefined || error === null ? resolve(client) : reject(error)) }),
    );
  const renewOne = async (old: pg.PoolClient) => {
    const next = await open();
    await warmUp(next).then(
      () => {
        retire(old);
        next.release();
      },
      () => next.release(true),
    );
  };
  let renewing = false;
  const look = () => {
    if (renewing || pool.ending) return;
    const due = inside._clients.filter((client) => !inside._expired.has(client) && (dueAt.get(client) ?? Infinity) <= performance.now());
    const oldest = due.sort((a, b) => dueAt.get(a)! - dueAt.get(b)!)[0];
    if (oldest === undefined) return;
    renewing = true;
    void renewOne(oldest)
      .catch(() => undefined) // the old one serves on until there is another
      .finally(() => (renewing = false));
  };
  const timer = setInterval(look, lifeMs / looksALife);
  timer.unref();
  return {
    retireAll: () => inside._clients.forEach(retire),
    stop: () => clearInterval(timer),
  };
}
