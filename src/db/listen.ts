// The one connection that listens for NOTIFY. It reconnects by itself; notifications sent meanwhile are lost, so listeners are told about
// every reconnect, drop their caches, and can ask how far they have heard.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { assertOurs, clientOf, parseHosts } from "./hosts.ts";
import { isPooled } from "./connect.ts";
import type { DatabaseChecks } from "./database-checks.ts";

interface Listener {
  /** All notifications before this moment of performance.now() have been heard; -Infinity without a connection. */
  readonly heardUntil: number;
  close(): Promise<void>;
}

/** Postgres delivers notifications before it answers, so each answer moves heardUntil to the time of its question. */
const proveEveryMs = 250;
/** A connection whose other end has vanished silently is dropped after at most this plus proveEveryMs. */
const answerWithinMs = 3_000;
const backoffMinMs = 100;
const backoffMaxMs = 1_000;
/** The address may lead elsewhere by then (connect.ts); the new connection listens before the old one closes. */
const lifeMs = 5 * 60_000;

/**
 * Resolves when the first attempt has succeeded or failed; after a failure it keeps trying. `checks`: describes the database that it must
 * lead to.
 */
export async function listen(
  url: string,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  onReconnect: () => void,
  checks?: DatabaseChecks,
): Promise<Listener> {
  const closing = new AbortController();
  let current: Line | undefined;

  const keepTrying = async () => {
    for (let waitMs = backoffMinMs; !closing.signal.aborted; waitMs = Math.min(waitMs * 2, backoffMaxMs)) {
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted || (await tryOnce())) return;
    }
  };
  const tryOnce = async (): Promise<boolean> => {
    const line = await openLine(url, channels, onNotify, checks).catch(() => undefined);
    if (!line) return false;
    if (closing.signal.aborted) return line.end().then(() => true);
    const before = current;
    current = line;
    onReconnect();
    void before?.end();
    const renewal = setTimeout(() => void tryOnce(), lifeMs * (0.75 + Math.random() / 2));
    renewal.unref();
    void line.broken.then(() => {
      clearTimeout(renewal);
      if (current !== line) return undefined;
      current = undefined;
      return keepTrying();
    });
    return true;
  };
  // A listener on a former primary hears nothing.
  checks?.onSuccessor(() => current?.drop());

  if (!(await tryOnce())) void keepTrying();
  return {
    get heardUntil() {
      return current?.heardUntil ?? -Infinity;
    },
    async close() {
      closing.abort();
      await current?.end();
    },
  };
}

interface Line {
  heardUntil: number;
  broken: Promise<void>;
  end(): Promise<void>;
  drop(): void;
}

async function openLine(
  url: string,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  checks: DatabaseChecks | undefined,
): Promise<Line> {
  const hosts = parseHosts(url);
  const client = new (clientOf(pg.Client, hosts, answerWithinMs))({
    connectionString: hosts.urls[0]!,
    application_name: "svc-listen",
    connectionTimeoutMillis: answerWithinMs,
    query_timeout: answerWithinMs,
    keepAlive: true,
  });
  const end = () => client.end().catch(() => undefined);
  const broken = new Promise<void>((resolve) => {
    client.once("end", resolve);
    client.on("error", () => resolve());
  });
  client.on("notification", ({ channel, payload }) => onNotify(channel, payload ?? ""));
  try {
    await client.connect();
    // It would accept LISTEN and answer every query, but deliver nothing.
    if (await isPooled(client)) throw new Error("a transaction pooler delivers no notifications");
    if (checks !== undefined) await assertOurs(checks, client);
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    void end();
    throw error;
  }
  const line: Line = { heardUntil: performance.now(), broken, end, drop: () => client.connection.stream.destroy() };
  const proving = keepProving(client, line);
  void broken.then(() => {
    proving.abort();
    return end();
  });
  return line;
}

/** One query at a time: a silent connection must not pile them up. */
function keepProving(client: pg.Client, line: Line): AbortController {
  const ended = new AbortController();
  const prove = async () => {
    while (!ended.signal.aborted) {
      const askedAt = performance.now();
      await client.query("select 1");
      line.heardUntil = askedAt;
      await sleep(proveEveryMs, undefined, { signal: ended.signal });
    }
  };
  prove().catch(() => client.connection.stream.destroy());
  return ended;
}
