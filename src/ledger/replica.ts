// This process's pulse in the database, the renewal of its long calls, and the sweep of dead replicas' holds.
// OPERATOR.md: reservations of a dead process are released within 15 s: 9 s without a beat, swept every 3 s.
import type { Db } from "../db/connect.ts";

export interface Beating {
  stop(): Promise<void>;
}

const beatMs = 3_000;
const deadAfterMs = 9_000;
/** A hold lives 2 minutes (ledger.ts); renewing it every 30 s survives three missed rounds. */
const renewAfterMs = 30_000;
const renewFor = "2 minutes";
/** Above every time after which the server or we end a statement. */
const givenUpForMs = 30_000;

interface OpenCall {
  accountId: bigint;
  /** performance.now() of its reservation, its last renewal or its giving up. */
  since: number;
}

export async function keepBeating(
  db: Db,
  owner: string,
  open: Map<string, OpenCall>,
  givenUp: Map<string, OpenCall>,
  onFault: (error: unknown, what: string) => void,
): Promise<Beating> {
  await beat(db, owner);
  let running: Promise<void> = Promise.resolve();
  let busy = false;
  let heardSince = -Infinity;
  const timer = setInterval(() => {
    if (busy) return;
    busy = true;
    // After an outage of ours the others may look dead because they were out, too: they get the time to beat again.
    const maySweep = performance.now() - heardSince > deadAfterMs;
    running = round(db, owner, { open, givenUp, maySweep })
      .then(
        () => void (heardSince = Math.min(heardSince, performance.now())),
        (error) => {
          heardSince = Infinity;
          onFault(error, "ledger heartbeat");
        },
      )
      .finally(() => (busy = false));
  }, beatMs);
  return {
    async stop() {
      clearInterval(timer);
      await running;
      // Without a database there is nothing to tidy: the others see that the beating has ended.
      const sql = "delete from replica where id = $1 and not exists (select 1 from hold where owner = $1)";
      await db.pool.query(sql, [owner]).catch((error: unknown) => onFault(error, "leaving the ledger"));
    },
  };
}

interface Round {
  open: Map<string, OpenCall>;
  givenUp: Map<string, OpenCall>;
  maySweep: boolean;
}

async function round(db: Db, owner: string, { open, givenUp, maySweep }: Round): Promise<void> {
  await beat(db, owner);
  await renew(db, open);
  await giveBack(db, givenUp);
  if (maySweep) await db.pool.query("select ledger_sweep($1)", [`${deadAfterMs} milliseconds`]);
}

async function beat(db: Db, owner: string): Promise<void> {
  await db.pool.query("insert into replica (id) values ($1) on conflict (id) do update set seen_at = now()", [owner]);
}

/** The accounts of $1, in the order in which everybody locks them: a change of holds alone would lock in any. */
const balancesLocked = `locked as materialized
  (select 1 from balance where account_id = any($1::bigint[]) order by account_id for no key update)`;

async function renew(db: Db, open: Map<string, OpenCall>): Promise<void> {
  const now = performance.now();
  const due = [...open].filter(([, call]) => now - call.since > renewAfterMs);
  if (due.length === 0) return;
  await db.pool.query(
    `with ${balancesLocked}
     update hold h set expires_at = now() + $3::interval from unnest($1::bigint[], $2::uuid[]) d(account_id, id)
     where (select count(*) from locked) >= 0 and h.account_id = d.account_id and h.id = d.id`,
    [due.map(([, call]) => call.accountId), due.map(([id]) => id), renewFor],
  );
  for (const [, call] of due) call.since = now;
}

/** Holds that may have been made though nobody heard of it. A server that was only slow may still make one: asked again for a while. */
async function giveBack(db: Db, givenUp: Map<string, OpenCall>): Promise<void> {
  const due = [...givenUp];
  if (due.length === 0) return;
  await db.pool.query(
    `with ${balancesLocked}
     delete from hold h using unnest($1::bigint[], $2::uuid[]) d(account_id, id)
     where (select count(*) from locked) >= 0 and h.account_id = d.account_id and h.id = d.id`,
    [due.map(([, call]) => call.accountId), due.map(([id]) => id)],
  );
  const now = performance.now();
  for (const [id, call] of due) if (now - call.since > givenUpForMs) givenUp.delete(id);
}
