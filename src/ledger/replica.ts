// This process's pulse in the database, the renewal of its long calls, and the sweep of dead replicas' holds.
// OPERATOR.md: reservations of a dead process are released within 15 s: 9 s without a beat, swept every 3 s.
import type { Db } from "../db/connect.ts";

export interface Beating {
  stop(): Promise<void>;
}

const beatMs = 3_000;
const deadAfter = "9 seconds";
/** A hold lives 2 minutes (ledger.ts); renewing it every 30 s survives three missed rounds. */
const renewAfterMs = 30_000;
const renewFor = "2 minutes";

interface OpenCall {
  accountId: bigint;
  /** performance.now() of its reservation or last renewal. */
  since: number;
}

export async function keepBeating(
  db: Db,
  owner: string,
  open: Map<string, OpenCall>,
  onFault: (error: unknown, what: string) => void,
): Promise<Beating> {
  await beat(db, owner);
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    running = round(db, owner, open)
      .catch((error) => onFault(error, "ledger heartbeat"))
      .finally(() => (busy = false));
  }, beatMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      await db.pool.query("delete from replica where id = $1 and not exists (select 1 from hold where owner = $1)", [owner]);
    },
  };
}

async function round(db: Db, owner: string, open: Map<string, OpenCall>): Promise<void> {
  await beat(db, owner);
  await renew(db, open);
  await db.pool.query("select ledger_sweep($1)", [deadAfter]);
}

async function beat(db: Db, owner: string): Promise<void> {
  await db.pool.query("insert into replica (id) values ($1) on conflict (id) do update set seen_at = now()", [owner]);
}

async function renew(db: Db, open: Map<string, OpenCall>): Promise<void> {
  const now = performance.now();
  const due = [...open].filter(([, call]) => now - call.since > renewAfterMs);
  if (due.length === 0) return;
  await db.pool.query(
    `update hold h set expires_at = now() + $3::interval from unnest($1::bigint[], $2::uuid[]) d(account_id, id)
     where h.account_id = d.account_id and h.id = d.id`,
    [due.map(([, call]) => call.accountId), due.map(([id]) => id), renewFor],
  );
  for (const [, call] of due) call.since = now;
}
