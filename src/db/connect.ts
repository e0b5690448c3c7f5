// Pools of Postgres connections, and the one connection that listens. A bigint is a BigInt everywhere; no session state is set,
// so that a transaction pooler may sit in between (docs/behaviour/ledger.md#connections).
import pg from "pg";
import type { EventEmitter } from "node:events";
import { Kysely, PostgresDialect } from "kysely";
import type { DB } from "../../generated/tables.ts";
import { parseJson } from "../json/parse.ts";
import { assertOurs, clientOf, parseHosts, turnsAt } from "./hosts.ts";
import type { Turns } from "../concurrency/slots.ts";
import { renewConnections } from "./connection-life.ts";
import { createDatabaseChecks, type DatabaseChecks } from "./database-checks.ts";

export interface Db {
  kysely: Kysely<DB>;
  pool: pg.Pool;
  url: string;
  /** The mutex of the batchers; null: they need none. */
  turns: Turns | null;
  checks: DatabaseChecks;
  close(): Promise<void>;
}

/** What runs queries: a Db, or the one connection of a transaction. */
export interface Queries {
  pool: Pick<pg.Pool, "query">;
}

interface ConnectOptions {
  /** The most connections. */
  max: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /**
   * Timeout of a statement, enforced by Postgres. 0: none, and none for idle transactions either. A transaction pooler needs 0,
   * since it refuses start-up parameters that it doesn't know.
   */
  statementTimeoutMs?: number;
  /**
   * After this silence the connection is dropped with its query: a machine or network may fail without sending an error.
   * Absent: never.
   */
  silenceMs?: number;
  /** Called for a connection that breaks while idle, or before it takes work; no query fails, and the pool replaces it. */
  onIdleError?: (error: Error & { code?: string }) => void;
  /**
   * For a gateway: the lifetime of connections, the check of their database, what they do before they take work, and which statements they
   * prepare. Absent: no lifetime.
   */
  kept?: { lifeMs: number; warmUp: (client: pg.ClientBase) => Promise<void>; prepared: readonly string[] };
  /** See createDatabaseChecks. */
  onDoubt?: Parameters<typeof createDatabaseChecks>[0];
}

/** No query of a request takes a second; this ends queries that would hold a connection forever. */
const statementTimeoutDefaultMs = 30_000;
const connectDefaultMs = 10_000;
/** Our transactions only query: one that is idle for this long belongs to a hanging process and may hold a balance's lock. */
const idleInTransactionMs = 5_000;

export function connect(url: string, options: ConnectOptions): Db {
  const statementTimeoutMs = options.statementTimeoutMs ?? statementTimeoutDefaultMs;
  const checks = createDatabaseChecks(options.onDoubt);
  const hosts = parseHosts(url);
  const timeoutMs = options.silenceMs ?? connectDefaultMs;
  const watched = options.silenceMs === undefined ? pg.Client : watchedClient(options.silenceMs);
  const preparing = options.kept === undefined ? watched : preparingClient(watched, options.kept.prepared);
  const greet = async (client: pg.ClientBase) => {
    await assertOurs(checks, client);
    await markDirect(client);
  };
  const pool = new pg.Pool({
    connectionString: hosts.urls[0]!,
    Client: clientOf(preparing, hosts, timeoutMs),
    max: options.max,
    application_name: options.applicationName ?? "svc",
    connectionTimeoutMillis: timeoutMs,
    idleTimeoutMillis: 0, // a new connection plans the ledger's statements again: the batcher that gets it waits 50 to 100 ms
    ...(options.kept === undefined ? {} : { onConnect: greet }),
    keepAlive: true,
    types,
    ...(statementTimeoutMs > 0 ? { statement_timeout: statementTimeoutMs, idle_in_transaction_session_timeout: idleInTransactionMs } : {}),
  });
  const onIdleError = options.onIdleError ?? (() => undefined);
  pool.on("error", onIdleError);
  // Between two queries of a transaction nothing else listens for errors, and an unhandled one ends the process. The next query fails.
  pool.on("connect", (client) => client.on("error", () => undefined).on("notice", (notice) => mistrust(client, notice)));
  const renewal = options.kept === undefined ? null : renewConnections(pool, { ...options.kept, onError: onIdleError });
  checks.onSuccessor(() => renewal?.retireAll());
  const kysely = new Kysely<DB>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    renewal?.stop();
    if (!pool.ending) await pool.end();
  };
  return { kysely, pool, url, turns: turnsAt(url), checks, close };
}

/**
 * A commit whose wait for the synchronous standby was canceled (pg_cancel_backend) stands on this server alone, and Postgres calls it a success
 * with a warning. Here the query fails as on a connection that broke: what is sent again waits for the standby anew.
 */
function mistrust(client: pg.ClientBase, { code, routine }: { code?: string | undefined; routine?: string | undefined }): void {
  if (code !== "01000" || routine !== "SyncRepWaitForLSN") return;
  const { connection } = client as unknown as { connection: EventEmitter };
  connection.emit("error", new Error("connection terminated: the wait for the synchronous standby was canceled"));
}

/** All of it or nothing. */
export function inTransaction<T>(db: Db, work: (transaction: Queries) => Promise<T>): Promise<T> {
  return between(db, "begin", work);
}

/** For work that may also be a part of a larger transaction: that of `db`, if it is one, else a new one. */
export function inTransactionOf<T>(db: Db | Queries, work: (transaction: Queries) => Promise<T>): Promise<T> {
  return "checks" in db ? inTransaction(db, work) : work(db);
}

/** Reads everything as of one moment, so that a busy database looks consistent. */
export function inSnapshot<T>(db: Db, work: (snapshot: Queries) => Promise<T>): Promise<T> {
  return between(db, "begin isolation level repeatable read read only", work);
}

/** Runs `work` in a transaction and rolls it back: it shows what its statements would do. */
export function withoutEffect<T>(db: Db, work: (transaction: Queries) => Promise<T>): Promise<T> {
  return between(db, "begin", work, "rollback");
}

async function between<T>(db: Db, begin: string, work: (transaction: Queries) => Promise<T>, end = "commit"): Promise<T> {
  const client = await db.pool.connect();
  let ended = false;
  try {
    await client.query(begin);
    const result = await work({ pool: client });
    await client.query(end);
    ended = true;
    return result;
  } finally {
    client.release(!ended); // closing the connection ends its transaction
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

// A connection that is given up with its query when the database says nothing for too long. pg has an option for that (query_timeout),
// which adds a closure to every query, which keeps some ten kilobytes of garbage alive per request.

type Callback = (...outcome: unknown[]) => void;

/** For pools whose queries must answer within a given time. */
function watchedClient(silenceMs: number): typeof pg.Client {
  class WatchedClient extends pg.Client {
    /** Fails the query with an error that says that the connection was terminated. */
    override query(...given: unknown[]): never {
      let last: NodeJS.Immediate | undefined;
      // What came while this process was held up is read before.
      const silence = setTimeout(() => (last = setImmediate(() => void this.end())), silenceMs);
      const heard = () => (clearTimeout(silence), clearImmediate(last));
      const callback = given.at(-1);
      const ask = super.query as (...asked: unknown[]) => unknown;
      if (typeof callback === "function") {
        const answered: Callback = (...outcome) => {
          heard();
          (callback as Callback)(...outcome);
        };
        return ask.call(this, ...given.slice(0, -1), answered) as never;
      }
      const answer = ask.call(this, ...given) as Promise<unknown>;
      return answer.finally(heard) as never;
    }
  }
  return WatchedClient;
}

// Whether a transaction pooler, such as PgBouncer, is between this process and Postgres: it delivers no notifications, many backends serve its
// connections, and so no backend is sure to know a statement by its name.

/** A pooler invents the process id that it reports at a connection's start, since many backends will serve it. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  return rows[0]!.pid !== (client as unknown as { processID: number }).processID;
}

/** PgBouncer's error for settings that it was not configured to ignore. */
export function isRefusedSetting(error: unknown): boolean {
  return error instanceof Error && /unsupported startup parameter/i.test(error.message);
}

/**
 * A client that prepares the given statements under a name, so that Postgres parses and plans each once a connection; anonymous, each costs
 * a tenth more. Only where `markDirect` has said that no pooler is in between.
 */
function preparingClient(Client: typeof pg.Client, statements: readonly string[]): typeof pg.Client {
  const names = new Map(statements.map((text, place) => [text, `svc_${place}`]));
  return class PreparingClient extends Client {
    override query(...given: unknown[]): never {
      const query = super.query as (...asked: unknown[]) => never;
      const [text, values, ...rest] = given;
      const name = typeof text === "string" && direct.has(this) ? names.get(text) : undefined;
      return name === undefined ? query.apply(this, given) : query.call(this, { name, text, values }, ...rest);
    }
  };
}

const direct = new WeakSet<pg.ClientBase>();

/** Asks a new connection whether it is one. */
async function markDirect(client: pg.ClientBase): Promise<void> {
  if (!(await isPooled(client))) direct.add(client);
}
