// Gives each connection of a pool a life of minutes: an address may lead elsewhere by then, and a connection that stays would go on with a former
// primary. One at a time: the next one is open, and has planned what it will run, before the old one leaves; no lane stands still for it.
import type pg from "pg";

export interface Renewal {
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

export function renewConnections(pool: pg.Pool, { lifeMs, warmUp }: RenewalOptions): Renewal {
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
