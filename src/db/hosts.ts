// Several hosts in one address, as libpq writes them: postgres://a:5432,b:5433/db?target_session_attrs=read-write. Each connection goes to
// the first host that answers and has the requested role. pg itself knows one host. Whether an address leads to this machine is known here too.
import pg from "pg";
import { openTurns, type Turns } from "../concurrency/slots.ts";
import type { Config } from "../config.ts";
import type { DatabaseChecks, DatabaseIdentity } from "./database-checks.ts";
import { isOtherDatabase, isTransient, OtherDatabase } from "./transient-error.ts";

type TargetSession = "any" | "read-write" | "primary";

interface Hosts {
  /** One address per host, as pg takes it; a single address stays as it was written. */
  urls: readonly string[];
  target: TargetSession;
}

const parts = /^([a-z]+:\/\/(?:[^@/?]*@)?)([^/?]*)([^?]*)(?:\?(.*))?$/i;

/** An address without an authority (a socket's path) is one host. One port in the query applies to all hosts. */
export function parseHosts(url: string): Hosts {
  const [, start = "", authority = "", path = "", query = ""] = parts.exec(url) ?? [];
  const given = new URLSearchParams(query);
  const target = (given.get("target_session_attrs") ?? "any") as TargetSession;
  const named = given.get("host")?.split(",");
  const ports = given.get("port")?.split(",") ?? [];
  const several = named ?? authority.split(",");
  if (start === "" || (several.length === 1 && target === "any")) return { urls: [url], target };
  given.delete("target_session_attrs");
  const urls = several.map((host, place) => {
    const port = ports[place] ?? ports[0];
    if (named !== undefined) given.set("host", host);
    if (port !== undefined) given.set("port", port);
    const rest = given.size === 0 ? "" : `?${given.toString()}`;
    return `${start}${named === undefined ? host : authority}${path}${rest}`;
  });
  return { urls, target };
}

/** Where an address leads, without its password: `a:5432`, `a:5432 or b:5432`, `/run/postgresql:5432`. */
export function hostsName(url: string): string {
  return parseHosts(url)
    .urls.map((one) => new pg.Client(one))
    .map(({ host, port }) => `${host}:${port}`)
    .join(" or ");
}

/** Returns `Client` itself if there is nothing to choose. `timeoutMs`: for all hosts of one attempt. */
export function clientOf(Client: typeof pg.Client, { urls, target }: Hosts, timeoutMs: number): typeof pg.Client {
  if (urls.length === 1 && target === "any") return Client;
  let last = 0;
  const choose = async (): Promise<string> => {
    // If a role is requested, the host that last had it is asked first, since a silent host costs every attempt its timeout.
    const order = target === "any" ? urls : [urls[last]!, ...urls.filter((_url, place) => place !== last)];
    let failure: unknown;
    for (const url of order) {
      const reason = await refusalOf(url, target, timeoutMs / urls.length).catch((error: unknown) => {
        if (!isTransient(error)) throw error; // as libpq: a wrong password does not lead to the next host
        return error;
      });
      if (reason === null) {
        last = urls.indexOf(url);
        return url;
      }
      failure = reason;
    }
    throw failure;
  };
  return class HostsClient extends Client {
    override connect(callback?: unknown): never {
      const connected = choose().then((url) => {
        const { host, port } = new pg.Client(url);
        Object.assign(this, { host, port });
        return super.connect();
      });
      if (typeof callback !== "function") return connected as never;
      const told = callback as (error: unknown, client?: unknown) => void;
      connected.then(
        () => told(null, this),
        (error: unknown) => told(error),
      );
      return undefined as never;
    }
  };
}

/** Null: the host has the requested role. Throws if it can't be asked. */
async function refusalOf(url: string, target: TargetSession, timeoutMs: number): Promise<Error | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: "svc-choose",
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    if (target === "any") return null;
    const sql = "select pg_is_in_recovery() as is_standby, current_setting('transaction_read_only') = 'on' as only_reads";
    const { is_standby, only_reads } = (await client.query<{ is_standby: boolean; only_reads: boolean }>(sql)).rows[0]!;
    const suits = !is_standby && (target === "primary" || !only_reads);
    return suits ? null : new OtherDatabase(`none of the hosts is ${target}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

// Checks which database a new connection leads to, before its first query.

/** Throws OtherDatabase if it is neither the previous database nor its successor. */
export async function assertOurs(checks: DatabaseChecks, client: pg.ClientBase): Promise<void> {
  const reason = checks.identify(await askIdentity(client));
  if (reason !== null) throw new OtherDatabase(reason);
}

async function askIdentity(client: pg.ClientBase): Promise<DatabaseIdentity> {
  const sql = "select system_id, timeline, only_reads from database_identity()";
  try {
    return (await client.query<DatabaseIdentity>(sql)).rows[0]!;
  } catch (error) {
    if (isOtherDatabase(error)) throw new OtherDatabase("another database answers: it lacks the gateway's functions", { cause: error });
    throw error;
  }
}

/**
 * The mutex of the batchers where Postgres runs on the gateway's machine: they send their statements one at a time. Two at once would compete for
 * the same cores; one after the other, each ends sooner and the next batch is larger. Null: a remote database has its own cores, and its
 * round trips are better made in parallel.
 */
export function turnsAt(url: string): Turns | null {
  return isLocal(url) ? openTurns() : null;
}

/** A socket, or a loopback address. */
function isLocal(url: string): boolean {
  const parsed = URL.parse(url);
  if (parsed === null) return false;
  const host = parsed.searchParams.get("host") ?? decodeURIComponent(parsed.hostname);
  return host === "" || /^(?:\/[^,]*|localhost|127\.[\d.]+|\[::1\])$/.test(host);
}

/** Whether one person on one machine seems to try the gateway: the database is embedded, or it and the public address are local. */
export function isTrial({ databaseUrl, publicUrl }: Pick<Config, "databaseUrl" | "publicUrl">): boolean {
  return databaseUrl === null || (isLocal(databaseUrl) && (publicUrl === null || isLocal(publicUrl)));
}
