// Reserves before a call and settles after it, each through a batcher (README.md beside this file). Knows no prices and no HTTP: the flows
// decide what a request costs.
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { BatcherFull, type BatcherGauge, plainArray } from "../db/batcher.ts";
import type { Db, Queries } from "../db/connect.ts";
import { refuseInDoubt } from "../db/standing.ts";
import { isTransient } from "../db/transient-error.ts";
import { fail } from "../errors/fail.ts";
import type { Amount } from "../money.ts";
import { createAccountBatcher, isAccountHeld } from "./account-batcher.ts";
import { admitBatch, admitCalls, type Admitted, type AdmitRequest } from "./admission.ts";
import { type GivenUp, type Heartbeat, keepHeartbeat } from "./replica.ts";
import { type Settlement, settleBatch, settleUsual } from "./settlement.ts";
import { type LedgerTimes, ledgerTimes } from "./times.ts";
import type { UsageLogRow } from "./usage-log.ts";

/** Room for one running call of its kind, e.g. speech, as part of audio. */
export interface Slot {
  pool: string;
  poolMax: number;
  group: string | null;
  groupMax: number | null;
}

export interface ReserveRequest {
  accountId: bigint;
  /** The key whose budget it also comes out of; null or absent: none. */
  keyId?: bigint | null;
  /** Absent: the call needs no slot. */
  slot?: Slot;
  /** Fixed for the request's life; settle names it again. */
  id: string;
  /** The most that the call may cost. */
  want: Amount;
  /** Refuse if less than this can be held. At most `want`. */
  least: Amount;
}

export interface Reserved {
  /** Between least and want; null: refused, nothing is held. */
  granted: Amount | null;
  /** What the account could spend before this request; other requests hold the rest of its balance. */
  available: Amount;
  /** Held by other requests in flight. */
  reserved: Amount;
  /** Why nothing was granted. */
  refused: "slot" | "group" | "key" | "balance" | null;
  /** What the key could spend before this request; null: it has no budget. */
  keyLeft: Amount | null;
}

export interface Ledger {
  /** This process's id among the replicas. */
  owner: string;
  /** Counts a call against its rate limits and holds all it wants, in one statement. Null: it may not fit, and nothing was done. */
  admit(request: AdmitRequest): Promise<Admitted | null>;
  reserve(request: ReserveRequest): Promise<Reserved>;
  /** Raises a hold to `want`, in its slot, or leaves it as it was. */
  raise(request: Pick<ReserveRequest, "accountId" | "id" | "want">): Promise<Reserved>;
  /** Committed when it resolves. Returns the account's balance after the charge. */
  settle(settlement: Settlement): Promise<Amount>;
  /** Calls that hold a reservation and have not settled. */
  inFlight(): number;
  /** Whether the database has confirmed a commit lately, or does so now. */
  commits(): Promise<boolean>;
  /** Time since the last confirmed commit. */
  commitAgeMs(): number;
  /** Settles what is queued, stops the heartbeat, and reports whether settlements that were given up were made. */
  close(): Promise<void>;
}

/** With more reservations waiting, further callers are refused: the queue would outlast their timeouts. */
const reserveWaitingMax = 20_000;
/** At the start of an outage reservations were in flight and may have been made; later ones never reach the database. Settlements are few. */
const givenUpMax = 10_000;
/** A hold lives this long without renewal; live calls are renewed every 30 s (replica.ts). */
const holdLife = "2 minutes";

/** For /metrics. */
export interface LedgerWatch {
  admitting: BatcherGauge;
  reserving: BatcherGauge;
  settling: BatcherGauge;
  reserved(granted: Amount | null): void;
  /** The charge is committed. */
  settled(log: UsageLogRow): void;
  /** Not charged, as far as is known. */
  unsettled(): void;
  /** So many calls were settled by the slower form. */
  settledSlower(calls: number): void;
}

type OnFault = (error: unknown, what: string) => void;

export async function openLedger(db: Db, onFault: OnFault, watch?: LedgerWatch, times: LedgerTimes = ledgerTimes): Promise<Ledger> {
  const owner = randomUUID();
  const open = new Map<string, { accountId: bigint; since: number }>();
  /** Calls that nothing waits for any more, but that may hold a reservation or be charged: the database did not answer. */
  const givenUp = new Map<string, GivenUp>();
  const giveUp = ({ accountId, id }: { accountId: bigint; id: string }, unheard: string | null) => {
    if (givenUp.size < givenUpMax || unheard !== null) givenUp.set(id, { accountId, since: performance.now(), unheard });
  };
  const heartbeat: Heartbeat = await keepHeartbeat(db, owner, open, givenUp, onFault, times);
  const { admitting, reserving, settling } = openBatchers(db, owner, { onFault, times, watch });

  /** Sends what makes a hold, if `granted` says so of the answer. */
  const hold = async <Request extends { accountId: bigint; id: string }, Answer>(
    request: Request,
    send: (request: Request) => Promise<Answer>,
    granted: (answer: Answer) => Amount | null,
  ): Promise<Answer> => {
    refuseInDoubt(db);
    try {
      const answer = await send(request);
      if (granted(answer) !== null) open.set(request.id, { accountId: request.accountId, since: performance.now() });
      return answer;
    } catch (cause) {
      // Whatever the last error was: an earlier attempt may have been made and its answer lost.
      if (!(cause instanceof BatcherFull)) giveUp(request, null);
      if (cause instanceof BatcherFull || isTransient(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
      throw cause;
    }
  };

  return {
    owner,
    async admit(request) {
      const admitted = await hold(request, admitting.run, (answer) => answer && request.want);
      if (admitted !== null) watch?.reserved(request.want);
      return admitted;
    },
    async reserve(request) {
      const reserved = await hold(request, reserving.run, ({ granted }) => granted);
      watch?.reserved(reserved.granted);
      return reserved;
    },
    raise: (request) => raise(db, request),
    async settle(settlement) {
      try {
        const balance = await settling.run(settlement);
        watch?.settled(settlement.log);
        return balance;
      } catch (cause) {
        // The answer was delivered and, as far as is known, not charged: the operator must be able to find it.
        const what = `settling ${settlement.log.cost} units of account ${settlement.accountId}, request ${settlement.log.request_id},`;
        onFault(cause, what);
        watch?.unsettled();
        giveUp(settlement, what);
        if (isTransient(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
        throw cause;
      } finally {
        open.delete(settlement.id);
      }
    },
    inFlight: () => open.size,
    commits: heartbeat.commits,
    commitAgeMs: heartbeat.commitAgeMs,
    async close() {
      for (const batcher of [admitting, reserving, settling]) await batcher.drained();
      await nextTurn(); // the calls that failed last have given up by then
      await heartbeat.stop();
    },
  };
}

async function raise(db: Db, { accountId, id, want }: Pick<ReserveRequest, "accountId" | "id" | "want">): Promise<Reserved> {
  refuseInDoubt(db);
  const sql = `select granted, available, reserved, refused, key_left as "keyLeft" from ledger_raise($1, $2, $3)`;
  try {
    const { rows } = await db.pool.query<Reserved>(sql, [accountId, id, want]);
    return rows[0]!;
  } catch (cause) {
    // It may have been made all the same: the call's settlement ends the hold, however large.
    const hasEnded = (cause as { code?: string }).code === "P0002"; // this process seemed dead to the others
    if (isTransient(cause) || isAccountHeld(cause) || hasEnded) fail("overloaded", { cause });
    throw cause;
  }
}

interface Batching {
  onFault: OnFault;
  times: LedgerTimes;
  watch: LedgerWatch | undefined;
}

function openBatchers(db: Db, owner: string, { onFault, times, watch }: Batching) {
  const admitting = createAccountBatcher(db, {
    work: (items: readonly AdmitRequest[]) => admitBatch(db, owner, holdLife, items),
    waitingMax: reserveWaitingMax,
    timeoutMs: times.reserveTimeoutMs,
    ...(watch && { gauge: watch.admitting }),
  });
  const reserving = createAccountBatcher(db, {
    work: (items: readonly ReserveRequest[]) => reserveBatch(db, owner, items),
    waitingMax: reserveWaitingMax,
    timeoutMs: times.reserveTimeoutMs,
    ...(watch && { gauge: watch.reserving }),
  });
  const settling = createAccountBatcher(db, {
    work: (items: readonly Settlement[]) => settleBatch(db, items, { onFault, ...(watch && { slower: watch.settledSlower }) }),
    waitingMax: Infinity,
    timeoutMs: times.settleTimeoutMs,
    ...(watch && { gauge: watch.settling }),
  });
  return { admitting, reserving, settling };
}

type ReservedRow = Reserved & { n: number };

const ledgerReserve = `select n, granted, available, reserved, refused, key_left as "keyLeft"
  from ledger_reserve($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/** Those of every call, which connections prepare. */
export const ledgerStatements = [admitCalls, ledgerReserve, settleUsual];

/** As `Ledger.reserve` decides it, in a transaction of the caller's. */
export async function reserveIn(transaction: Queries, owner: string, request: ReserveRequest): Promise<Reserved> {
  return (await reserveBatch(transaction, owner, [request]))[0]!;
}

async function reserveBatch(db: Queries, owner: string, items: readonly ReserveRequest[]): Promise<Reserved[]> {
  const { rows } = await db.pool.query<ReservedRow>(ledgerReserve, [
    owner,
    plainArray(items.map((i) => i.accountId)),
    plainArray(items.map((i) => i.id)),
    plainArray(items.map((i) => i.want)),
    plainArray(items.map((i) => i.least)),
    plainArray(items.map((i) => i.keyId ?? null)),
    items.map((i) => i.slot?.pool ?? null),
    plainArray(items.map((i) => i.slot?.poolMax ?? null)),
    items.map((i) => i.slot?.group ?? null),
    plainArray(items.map((i) => i.slot?.groupMax ?? null)),
    holdLife,
  ]);
  const results: Reserved[] = items.map(() => ({ granted: null, available: 0n, reserved: 0n, refused: "balance", keyLeft: null })); // an unknown account has nothing
  for (const { n, ...reserved } of rows) results[n - 1] = reserved;
  return results;
}

// Plans the batchers' statements on a new connection before it takes work: the first use of an unplanned one takes 20 to 50 ms.

const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Changes nothing: its arrays are empty. */
export async function warmUpLedger(client: pg.ClientBase): Promise<void> {
  await client.query(admitCalls, [nilUuid, holdLife, "", ...Array<string>(14).fill("{}")]);
  await client.query(ledgerReserve, [nilUuid, ...Array<string>(9).fill("{}"), holdLife]);
  await client.query(settleUsual, Array<string>(8).fill("{}"));
}
