// When each key was last used: noted in memory, written once a minute, so that no request waits for it.
import type { Clock } from "../clock.ts";
import type { Db } from "../db/connect.ts";

interface KeyUse {
  note(keyId: bigint): void;
  close(): Promise<void>;
}

const writeEveryMs = 60_000;

export function recordKeyUse(db: Db, { clock, onFault }: { clock: Clock; onFault: (error: unknown, what: string) => void }): KeyUse {
  let used = new Map<bigint, Date>();
  const write = async () => {
    if (used.size === 0) return;
    const written = used;
    used = new Map();
    try {
      await writeUse(db, written);
    } catch (error) {
      for (const [keyId, at] of written) if (!used.has(keyId)) used.set(keyId, at); // for the next round
      onFault(error, "last use of keys");
    }
  };
  const timer = setInterval(() => void write(), writeEveryMs);
  return {
    note: (keyId) => void used.set(keyId, clock()),
    async close() {
      clearInterval(timer);
      await write();
    },
  };
}

async function writeUse(db: Db, used: Map<bigint, Date>): Promise<void> {
  // Locked in one order, so that two replicas can't wait for each other.
  await db.pool.query(
    `with u as (select * from unnest($1::bigint[], $2::timestamptz[]) u(id, at)),
     locked as materialized (select id from api_key where id = any($1) order by id for no key update)
     update api_key k set last_used_at = greatest(k.last_used_at, u.at) from u, locked l where k.id = u.id and l.id = u.id`,
    [[...used.keys()], [...used.values()]],
  );
}
