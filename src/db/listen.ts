// The one connection that hears NOTIFY. It comes back by itself; what was announced meanwhile is lost, so whoever
// listens is told of every new beginning and forgets what it had cached.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface Listener {
  /** False while the connection is away: announcements are being missed. */
  readonly connected: boolean;
  close(): Promise<void>;
}

/** A connection whose other end has vanished without a word is found out after at most this and the answer's time. */
const proveEveryMs = 15_000;
const answerWithinMs = 5_000;
const backoffMaxMs = 5_000;

/** Resolves when the first attempt has succeeded or failed; after a failure it goes on trying. */
export async function listen(
  url: string,
  channels: readonly string[],
  onNotify: (channel: string, payload: string) => void,
  onReconnect: () => void,
): Promise<Listener> {
  const closing = new AbortController();
  let current: Line | undefined;

  const keepTrying = async () => {
    for (let waitMs = 50; !closing.signal.aborted; waitMs = Math.min(waitMs * 2, backoffMaxMs)) {
      await sleep(waitMs, undefined, { signal: closing.signal }).catch(() => undefined);
      if (closing.signal.aborted || (await tryOnce())) return;
    }
  };
  const tryOnce = async (): Promise<boolean> => {
    const line = await openLine(url, channels, onNotify).catch(() => undefined);
    if (!line) return false;
    if (closing.signal.aborted) return line.end().then(() => true);
    current = line;
    onReconnect();
    void line.broken.then(() => {
      current = undefined;
      return keepTrying();
    });
    return true;
  };

  if (!(await tryOnce())) void keepTrying();
  return {
    get connected() {
      return current !== undefined;
    },
    async close() {
      closing.abort();
      await current?.end();
    },
  };
}

interface Line {
  broken: Promise<void>;
  end(): Promise<void>;
}

async function openLine(url: string, channels: readonly string[], onNotify: (channel: string, payload: string) => void): Promise<Line> {
  const client = new pg.Client({
    connectionString: url,
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
    for (const channel of channels) await client.query(`listen ${client.escapeIdentifier(channel)}`);
  } catch (error) {
    void end();
    throw error;
  }
  const proving = setInterval(() => client.query("select 1").catch(() => client.connection.stream.destroy()), proveEveryMs);
  void broken.then(() => {
    clearInterval(proving);
    return end();
  });
  return { broken, end };
}
