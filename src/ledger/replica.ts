// This process's heartbeat in the database and, in rounds beside it: renewing long calls' holds, looking after calls that were given up, and
// sweeping dead replicas' holds (docs/behaviour/ledger.md#replicas). The times are in times.ts.
import { isOtherDatabase } from "../db/transient-error.ts";
import type { Db } from "../db/connect.ts";
import type { DatabaseIdentity } from "../db/database-checks.ts";
import { withTimeout } from "../clock.ts";
import { isAccountHeld } from "./account-batcher.ts";
import { type CommitProof, lookForLoss, openCommitProof } from "./commit-proof.ts";
import { type Held, holdAnew, unheldOf } from "./reserve.ts";
import { type LedgerTimes, ledgerTimes } from "./times.ts";

export interface Heartbeat {
  /** Whether a commit was confirmed lately, or is now. */
  commits(): Promise<boolean>;
  commitAgeMs(): number;
  /** When the present series of heartbeats began, by performance.now(); Infinity: this process may look dead to the others, or soon will. */
  aliveSince(): number;
  stop(): Promise<void>;
}

const renewFor = "2 minutes";
/** Longer than every timeout after which the server or we end a statement. */
const givenUpForMs = 30_000;
/** SIGKILL follows SIGTERM after 40 s (deploy/README.md), and the calls had most of them. */
const lastLookMs = 5_000;

interface Watched {
  accountId: bigint;
  /** performance.now() of its reservation, its last renewal, or when it was given up. */
  since: number;
}

export interface OpenCall extends Watched {
  held: Held;
  /** Its settlement has begun: it makes no hold again. */
  isEnding?: boolean;
}

export interface GivenUp extends Watched {
  /** What was reported as failed: a settlement that may have been made anyway. Null: a reservation, or the settlement was found. */
  unheard: string | null;
}

/** By performance.now(): when the first heartbeat of an unbroken series was sent, and the last one. */
interface BeatSpan {
  since: number;
  last: number;
  /** The database's clock at the last one, in milliseconds since 1970. */
  at: number;
  /** The most that the database's clock can have been ahead of performance.now() at the last one. */
  aheadMost: number;
}

export async function keepHeartbeat(
  db: Db,
  owner: string,
  open: Map<string, OpenCall>,
  givenUp: Map<string, GivenUp>,
  onFault: (error: unknown, what: string) => void,
  times: LedgerTimes = ledgerTimes,
): Promise<Heartbeat> {
  const span: BeatSpan = { since: Infinity, last: -Infinity, at: -Infinity, aheadMost: Infinity };
  // Another server, with another clock, and without the last heartbeats of anybody.
  db.checks.onSuccessor(() => (span.last = -Infinity));
  const proof = await openCommitProof(db, owner, times);
  const beating = () => beat(db, owner, { span, proof, times, onFault });
  await beating();
  await proof.prove();
  const beats = repeat(
    () =>
      beating().catch((error: unknown) => {
        span.last = -Infinity;
        if (isOtherDatabase(error)) db.checks.setDoubt("identity", (error as Error).message);
        onFault(error, "ledger heartbeat");
      }),
    times.beatMs,
  );
  const proofs = repeat(proof.prove, times.proveEveryMs);
  // On a timer of their own: a round sends one statement after the other, and a statement that hangs must not stop the heartbeat.
  const rounds = repeat(
    () => round(db, owner, { open, givenUp, span, times, onFault }).catch((error: unknown) => onFault(error, "ledger round")),
    times.beatMs,
  );
  return {
    commits: proof.isFresh,
    commitAgeMs: proof.ageMs,
    aliveSince: () => (performance.now() - span.last <= times.gapMs ? span.since : Infinity),
    async stop() {
      const ended = Promise.all([beats.stop(), proofs.stop(), rounds.stop()]);
      const looked = ended.then(() => lookAfter(db, givenUp, performance.now() + times.roundWaitMs, onFault));
      const nowhere = () => new Set<bigint>();
      const done = await withTimeout(lastLookMs, looked, nowhere).catch(nowhere);
      for (const [id, { accountId, unheard }] of givenUp) {
        if (unheard === null || done.has(accountId)) continue;
        onFault(new Error("it is not known whether it was charged: this process ends"), `${unheard} entry ${id},`);
      }
      // Without a database nothing needs to be removed: the others see that the heartbeat has ended.
      const sql = "delete from replica where id = $1 and not exists (select 1 from hold where owner = $1)";
      const left = proof.stop().then(() => db.pool.query(sql, [owner]));
      await left.catch((error: unknown) => onFault(error, "leaving the ledger"));
    },
  };
}

/** Runs `work` again and again, `everyMs` from start to start, or at once where it took longer. `work` never rejects. */
function repeat(work: () => Promise<void>, everyMs: number): { stop(): Promise<void> } {
  let over = false;
  let running = Promise.resolve();
  let timer = setTimeout(run, everyMs);
  function run(): void {
    const next = performance.now() + everyMs;
    running = work().then(() => {
      if (!over) timer = setTimeout(run, Math.max(0, next - performance.now()));
    });
  }
  return {
    stop() {
      over = true;
      clearTimeout(timer);
      return running;
    },
  };
}

interface Looked extends DatabaseIdentity {
  /** Milliseconds since 1970. */
  at: number;
  proven: bigint | null;
}

interface Beat {
  span: BeatSpan;
  proof: CommitProof;
  times: LedgerTimes;
  onFault: Round["onFault"];
}

/**
 * Does not wait for the disk: a crashed server needs no heartbeat, and a slow commit would delay it. Reads what the database says of itself in
 * the same statement.
 */
async function beat(db: Db, owner: string, { span, proof, times, onFault }: Beat): Promise<void> {
  const { confirmed } = proof;
  const sql = `
    with beat as (
      insert into replica (id) select $1 from set_config('synchronous_commit', 'off', true)
      on conflict (id) do update set seen_at = now() returning 1)
    select extract(epoch from clock_timestamp())::float8 * 1000 as at, i.system_id, i.timeline, i.only_reads,
      (select p.count from commit_proof p where p.replica = $1) as proven
    from beat, database_identity() i`;
  const wallSent = Date.now();
  const sent = performance.now();
  const { rows } = await db.pool.query<Looked>(sql, [owner]);
  const heard = performance.now();
  const { at, proven, ...identity } = rows[0]!;
  db.checks.lookAtClock({ sent, heard, wallSent, wallHeard: Date.now(), database: at });
  const stranger = db.checks.identify(identity);
  db.checks.setDoubt("identity", stranger);
  if (stranger === null && proven === null && proof.mayBeForgotten(at)) proof.accept(0n);
  else if (stranger === null) lookForLoss(db, proof, { confirmed, found: proven ?? 0n, onFault });
  // To a clock that jumps ahead the others' last heartbeats are old.
  const jumped = at - heard - span.aheadMost > times.beatMs;
  if (jumped || sent - span.last > times.gapMs) span.since = sent;
  span.last = sent;
  span.at = at;
  span.aheadMost = at - sent;
}

/** After an outage of ours, after a jump of the database's clock, or at our start, other replicas may look dead because they were cut off too: they get time to beat again. */
function maySweep({ since, last }: BeatSpan, { gapMs, deadAfterMs }: LedgerTimes): boolean {
  const now = performance.now();
  return now - last <= gapMs && now - since > deadAfterMs;
}

interface Round {
  open: Map<string, OpenCall>;
  givenUp: Map<string, GivenUp>;
  span: BeatSpan;
  times: LedgerTimes;
  onFault: (error: unknown, what: string) => void;
}

async function round(db: Db, owner: string, parts: Round): Promise<void> {
  const { givenUp, span, times, onFault } = parts;
  const now = performance.now();
  const waitUntil = now + times.roundWaitMs;
  await renew(db, owner, parts, waitUntil);
  const done = await lookAfter(db, givenUp, waitUntil, onFault);
  for (const [id, call] of givenUp) if (done.has(call.accountId) && now - call.since > givenUpForMs) givenUp.delete(id);
  if (maySweep(span, times)) await sweep(db, parts, waitUntil);
}

/** Returns the accounts whose balance it could lock and that it has dealt with. */
type Work = (accounts: readonly bigint[], waits: boolean) => Promise<readonly bigint[]>;

/**
 * Does the work at once for all accounts whose balance is free, then for the others one by one: a busy one is soon free, and one that stays held
 * waits for the next round. While it waits it locks no other balance. Returns the accounts that are done.
 */
async function unlessHeld(accounts: Iterable<bigint>, waitUntil: number, work: Work): Promise<Set<bigint>> {
  const asked = new Set(accounts);
  if (asked.size === 0) return asked;
  const done = new Set(await work([...asked], false));
  // In random order, so that no account is always behind those that are held.
  const left = [...asked.difference(done)].map((account) => ({ account, place: Math.random() })).sort((a, b) => a.place - b.place);
  for (const { account } of left) {
    if (performance.now() > waitUntil) break;
    const ours = await work([account], true).catch((error: unknown) => {
      if (isAccountHeld(error)) return [];
      throw error;
    });
    for (const one of ours) done.add(one);
  }
  return done;
}

type Due<Call extends Watched = Watched> = readonly [id: string, call: Call];

/** `change` is the SQL that changes the holds; by itself it would lock their balances in any order. */
function changeHolds(db: Db, change: string, due: readonly Due[], waitUntil: number): Promise<Set<bigint>> {
  const sql = `
    with locked as materialized (select lock_balances($1, $3) as account_id), changed as (
      ${change} unnest($1::bigint[], $2::uuid[]) d(account_id, id) join locked using (account_id)
      where h.account_id = d.account_id and h.id = d.id)
    select account_id from locked`;
  const accountOf = ([, { accountId }]: Due) => accountId;
  return unlessHeld(due.map(accountOf), waitUntil, async (accounts, waits) => {
    const some = waits ? due.filter((one) => accounts.includes(accountOf(one))) : due;
    const { rows } = await db.pool.query<{ account_id: bigint }>(sql, [some.map(accountOf), some.map(([id]) => id), waits]);
    return rows.map((row) => row.account_id);
  });
}

/** All of them after an outage of ours, in which others may have given them back. */
async function renew(db: Db, owner: string, { open, givenUp, span, times, onFault }: Round, waitUntil: number): Promise<void> {
  const now = performance.now();
  const due = [...open].filter(([, call]) => now - call.since > times.renewAfterMs || call.since < span.since);
  const renewed = await changeHolds(db, `update hold h set expires_at = now() + interval '${renewFor}' from`, due, waitUntil);
  const found = due.filter(([, call]) => renewed.has(call.accountId));
  const names = found.map(([id, { accountId }]) => ({ accountId, id }));
  const lost = await unheldOf(db, names);
  const anew = found.flatMap(([id, call]) =>
    lost.has(id) && open.get(id) === call && call.isEnding !== true && call.held.isClosed !== false ? [{ id, ...call, call }] : [],
  );
  const short = anew.length === 0 ? [] : await holdAnew(db, owner, anew);
  for (const [id, call] of found) if (!lost.has(id) || call.held.isClosed !== false) call.since = now;
  // A settlement that came before would leave what came after it.
  for (const { id, accountId, call } of anew)
    if (open.get(id) !== call || call.isEnding === true) givenUp.set(id, { accountId, since: performance.now(), unheard: null });
  for (const { id, accountId } of short)
    onFault(new Error("others gave back what it held, and it is spent"), `renewing hold ${id} of account ${accountId},`);
}

/**
 * Deletes the holds of calls that were given up, then reports which of them were charged. In this order, since a settlement that is still
 * committing keeps the balance locked until it can be seen. Returns the accounts that are done. A server that was only slow may still make a
 * hold, so this is repeated for a while.
 */
async function lookAfter(db: Db, givenUp: Map<string, GivenUp>, waitUntil: number, onFault: Round["onFault"]): Promise<Set<bigint>> {
  const done = await changeHolds(db, "delete from hold h using", [...givenUp], waitUntil);
  await reportCharged(db, givenUp, onFault);
  return done;
}

/** An operator who read that a settlement failed must also read that it was made: its caller was told 503. */
async function reportCharged(db: Db, givenUp: Map<string, GivenUp>, onFault: Round["onFault"]): Promise<void> {
  const unheard = [...givenUp].filter(([, call]) => call.unheard !== null);
  if (unheard.length === 0) return;
  const { rows } = await db.pool.query<{ id: string }>(
    `select id from unnest($1::bigint[], $2::uuid[]) d(account_id, id) join ledger_entry using (account_id, id) where kind = 'usage'`,
    [unheard.map(([, call]) => call.accountId), unheard.map(([id]) => id)],
  );
  const charged = new Set(rows.map((row) => row.id));
  for (const [id, call] of unheard) {
    if (!charged.has(id)) continue;
    onFault(new Error("it was charged after all, only the answer was lost"), `${call.unheard} entry ${id},`);
    call.unheard = null;
  }
}

/**
 * Each statement looks at the clock again: where it is far past our last answered heartbeat, it has just jumped ahead, and every other heartbeat
 * is old as well. Ours in the table would not tell: one after the jump may be there before its answer is.
 */
async function sweep(db: Db, { span, times: { deadAfterMs, gapMs } }: Round, waitUntil: number): Promise<void> {
  const deadAfter = `${deadAfterMs} milliseconds`;
  const before = span.at + gapMs;
  const isInTime = "now() < to_timestamp($2::float8 / 1000)";
  const dead = `select distinct account_id from ledger_sweepable($1) where ${isInTime} limit 1000`;
  const { rows } = await db.pool.query<{ account_id: bigint }>(dead, [deadAfter, before]);
  await unlessHeld(
    rows.map((row) => row.account_id),
    waitUntil,
    async (accounts, waits) => {
      const sql = `select ledger_sweep($1, $3, $4) as account_id where ${isInTime}`;
      return (await db.pool.query<{ account_id: bigint }>(sql, [deadAfter, before, accounts, waits])).rows.map((row) => row.account_id);
    },
  );
}
