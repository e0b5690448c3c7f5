// A connection that each user of the embedded database keeps while it uses it, so that the last one out can tell
// that it is the last. The shared advisory lock closes the gap between asking and stopping.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";

export interface Lease {
  /** Resolves when the connection breaks without our doing. */
  lost: Promise<void>;
  /** Gives up the lease; true when no other lease and no other client is left. */
  releaseAndAskIfAlone(): Promise<boolean>;
}

const lockKey = 7322100;
/** How long to wait for another process's connection, and for one of our own. */
const foreignMs = 1_000;
const ownMs = 10_000;

export async function leaseCluster(url: string): Promise<Lease> {
  const client = new pg.Client({ connectionString: url, application_name: "svc-lease", connectionTimeoutMillis: 10_000 });
  let releasing = false;
  const lost = new Promise<void>((resolve) => {
    client.once("end", () => void (releasing || resolve()));
    client.on("error", () => void (releasing || resolve()));
  });
  await client.connect();
  // Waits while someone is about to stop the server, and fails with it: the caller then starts a new one.
  await client.query(`select pg_advisory_lock_shared(${lockKey})`).catch(async (error: unknown) => {
    await client.end().catch(() => undefined);
    throw error;
  });
  return {
    lost,
    async releaseAndAskIfAlone() {
      releasing = true;
      await client.query(`select pg_advisory_unlock_shared(${lockKey})`);
      const alone = (await isTrue(client, `select pg_try_advisory_lock(${lockKey}) as yes`)) && (await othersLeave(client));
      // When alone the lock stays ours until the server's end closes this connection.
      if (!alone) await client.end();
      return alone;
    },
  };
}

/**
 * Our own pools closed just now, but their server processes take a moment to end, on a busy machine some seconds; a person's psql may stay for
 * hours.
 */
async function othersLeave(client: pg.Client): Promise<boolean> {
  const others = `select count(*)::int as all, count(*) filter (where application_name not like 'svc%')::int as foreign
    from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`;
  const since = performance.now();
  for (;;) {
    const { rows } = await client.query<{ all: number; foreign: number }>(others);
    const { all, foreign } = rows[0]!;
    if (all === 0) return true;
    if (performance.now() - since > (foreign > 0 ? foreignMs : ownMs)) return false;
    await sleep(20);
  }
}

async function isTrue(client: pg.Client, query: string): Promise<boolean> {
  return (await client.query<{ yes: boolean }>(query)).rows[0]?.yes === true;
}
