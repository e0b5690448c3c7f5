// Replaces each connection of a pool after some minutes: its address may by then lead to another server, and an old connection would stay
// with a former primary. One at a time: the new one is open and has planned its statements before the old one closes, so no batcher waits.
import type pg from "pg";

interface Renewal {
  /** Retires all connections: each closes when it is idle. */
  retireAll(): void;
  stop(): void;
}

interface RenewalOptions {
  lifeMs: number;
  /** What a connection does before it takes work. */
  warmUp: (client: pg.ClientBase) => Promise<void>;
  /** Of a warm-up that failed: the old connection serves on, beyond its life. */
  onError: (error: Error) => void;
}

/** pg-pool's private parts: it opens a connection only if none is idle, and can't close a particular one. */
interface Inside {
  _clients: pg.PoolClient[];
  _idle: { client: pg.PoolClient }[];
  /** Ended by the pool when they are given back. */
  _expired: WeakSet<pg.PoolClient>;
  _remove(client: pg.PoolClient): void;
  newClient(pending: { callback(error: Error | undefined, client: pg.PoolClient): void }): void;
}

/** Random part of a lifetime, so that connections that were opened together don't close together. */
const jitter = 0.25;
/** How many times per lifetime the pool looks for connections to replace. */
const looksALife = 60;

export function renewConnections(pool: pg.Pool, { lifeMs, warmUp, onError }: RenewalOptions): Renewal {
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
      (error: Error) => {
        next.release(true);
        onError(error);
      },
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
      .catch(() => undefined) // the old one keeps serving until there is a new one
      .finally(() => (renewing = false));
  };
  const timer = setInterval(look, lifeMs / looksALife);
  timer.unref();
  return {
    retireAll: () => inside._clients.forEach(retire),
    stop: () => clearInterval(timer),
  };
}
