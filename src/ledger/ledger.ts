// Reserves before a call and settles after it, each through a batcher (README.md beside this file). Knows no prices and no HTTP: the flows
// decide what a request costs.
import { randomUUID } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type pg from "pg";
import { BatcherFull, type BatcherGauge } from "../db/batcher.ts";
import type { Db } from "../db/connect.ts";
import { refuseInDoubt } from "../db/database-checks.ts";
import { isTransient, reportShortages } from "../db/transient-error.ts";
import { fail } from "../errors/fail.ts";
import type { Amount } from "../money.ts";
import { createAccountBatcher, isAccountHeld } from "./account-batcher.ts";
import { admitBatch, admitCalls, type Admitted, type AdmitRequest } from "./admission.ts";
import { admitSliced, openEscrow } from "./escrow.ts";
import { holdLife, isRefused, isShort, ledgerReserve, raiseHold, releaseHold, reserveBatch, type Reserved, type ReserveRequest } from "./reserve.ts"; // prettier-ignore
import { type GivenUp, type Heartbeat, keepHeartbeat, type OpenCall } from "./replica.ts";
import { beforeSettling, callEnded, closeEscrow, openRecalls, type Recalling, recallSlices, settleSliced } from "./slice-ends.ts";
import type { EscrowState } from "./slices.ts";
import { type Settlement, settleBatch, settleUsual } from "./settlement.ts";
import { type LedgerTimes, ledgerTimes } from "./times.ts";
import type { UsageLogRow } from "./usage-log.ts";

export interface Ledger {
  /** This process's id among the replicas. */
  owner: string;
  /**
   * Counts a call against its rate limits and holds all it wants, in one statement, or in none where a slice has enough (escrow.ts). Null: it
   * may not fit, and nothing was done. Returns no promise where a slice has enough.
   */
  admit(request: AdmitRequest): Admitted | null | Promise<Admitted | null>;
  reserve(request: ReserveRequest): Promise<Reserved>;
  /** Raises a hold to `want`, in its slot, or leaves it as it was. */
  raise(request: Pick<ReserveRequest, "accountId" | "id" | "want">): Promise<Reserved>;
  /** Committed when it resolves. Returns the account's balance after the charge. */
  settle(settlement: Settlement): Promise<Amount>;
  /** What may be refused only once no process holds anything of the account in a slice. */
  recalling: Recalling;
  /** Gives back what this process's slices of the account have left; null: of all accounts. */
  recall(accountId: bigint | null): void;
  /** From now on slices may be opened: all recalls before `heardUntil()`, of performance.now(), reach `recall`. */
  hears(heardUntil: () => number): void;
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

/** For /metrics. */
interface LedgerWatch {
  admitting: BatcherGauge;
  reserving: BatcherGauge;
  settling: BatcherGauge;
  reserved(granted: Amount | null): void;
  /** The charge is committed. */
  settled(log: UsageLogRow): void;
  /** Not charged, as far as is known. */
  unsettled(settlement: Settlement): void;
  /** So many calls were settled by the slower form. */
  settledSlower(calls: number): void;
}

type OnFault = (error: unknown, what: string) => void;

export async function openLedger(db: Db, onFault: OnFault, watch?: LedgerWatch, times: LedgerTimes = ledgerTimes): Promise<Ledger> {
  const owner = randomUUID();
  const open = new Map<string, OpenCall>();
  /** Calls that nothing waits for any more, but that may hold a reservation or be charged: the database did not answer. */
  const givenUp = new Map<string, GivenUp>();
  const giveUp = ({ accountId, id }: { accountId: bigint; id: string }, unheard: string | null) => {
    if (givenUp.size < givenUpMax || unheard !== null) givenUp.set(id, { accountId, since: performance.now(), unheard });
  };
  const heartbeat: Heartbeat = await keepHeartbeat(db, owner, open, givenUp, onFault, times);
  const escrow = openEscrow({ db, owner, holdLife, renewed: open, aliveSince: heartbeat.aliveSince, giveUp, onFault });
  const recalling = openRecalls(db, (accountId) => recallSlices(escrow, accountId));
  const { admitting, reserving, settling } = openBatchers(db, owner, { onFault, times, watch, escrow });

  /** Sends what makes a hold, if `granted` says so of the answer. */
  const hold = <Request extends Holding, Answer>(
    request: Request,
    send: (request: Request) => Promise<Answer>,
    granted: (answer: Answer) => Amount | null,
  ): Promise<Answer> => {
    refuseInDoubt(db);
    const noted = (answer: Answer) => {
      noteHold(open, request, granted(answer));
      return answer;
    };
    return send(request).then(noted, (cause: unknown) => {
      // Whatever the last error was: an earlier attempt may have been made and its answer lost.
      if (!(cause instanceof BatcherFull)) giveUp(request, null);
      if (cause instanceof BatcherFull || isTransient(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
      throw cause;
    });
  };

  /** One that got less than it wanted is given back before it is tried again. */
  const reserveAnew = async (request: ReserveRequest): Promise<Reserved> => {
    if (open.delete(request.id)) await releaseHold(db, request);
    return reserving.run(request);
  };

  return {
    owner,
    admit(request) {
      refuseInDoubt(db);
      const send = () => hold(request, admitting.run, (held) => held && request.want);
      const answer = admitSliced(escrow, request, send);
      return answer instanceof Promise ? answer.then((admitted) => watched(watch, request, admitted)) : watched(watch, request, answer);
    },
    async reserve(request) {
      const send = () => hold(request, reserveAnew, ({ granted }) => granted);
      const reserved = await recalling(request.accountId, send, isShort(request));
      watch?.reserved(reserved.granted);
      return reserved;
    },
    raise: (request) => recalling(request.accountId, () => raiseOpen(db, open, request), isRefused),
    settle: (settlement) => settleCall({ settling, escrow, open, giveUp, onFault, watch }, settlement),
    recalling,
    recall: (accountId) => void recallSlices(escrow, accountId),
    hears: (heardUntil) => void (escrow.heardUntil = heardUntil),
    inFlight: () => open.size - escrow.slices.size + escrow.carved.size,
    commits: heartbeat.commits,
    commitAgeMs: heartbeat.commitAgeMs,
    async close() {
      for (const batcher of [admitting, reserving, settling]) await batcher.drained();
      await nextTurn(); // the calls that failed last have given up by then
      await closeEscrow(escrow);
      await heartbeat.stop();
    },
  };
}

function watched(watch: LedgerWatch | undefined, { want }: AdmitRequest, admitted: Admitted | null): Admitted | null {
  if (admitted !== null) watch?.reserved(want);
  return admitted;
}

type Holding = Pick<ReserveRequest, "accountId" | "id" | "keyId" | "slot">;

function noteHold(open: Map<string, OpenCall>, { accountId, id, keyId = null, slot }: Holding, amount: Amount | null): void {
  if (amount !== null) open.set(id, { accountId, since: performance.now(), held: { keyId, amount, slot } });
}

async function raiseOpen(db: Db, open: Map<string, OpenCall>, request: Parameters<Ledger["raise"]>[0]): Promise<Reserved> {
  const raised = await raiseHold(db, request);
  const call = open.get(request.id);
  if (call !== undefined && raised.granted !== null) call.held = { ...call.held, amount: raised.granted };
  return raised;
}

interface Settling {
  settling: { run(settlement: Settlement): Promise<Amount> };
  escrow: EscrowState;
  open: Map<string, OpenCall>;
  giveUp: (settlement: Settlement, unheard: string) => void;
  onFault: OnFault;
  watch: LedgerWatch | undefined;
}

async function settleCall({ settling, escrow, open, giveUp, onFault, watch }: Settling, settlement: Settlement): Promise<Amount> {
  const call = open.get(settlement.id);
  if (call !== undefined) call.isEnding = true;
  try {
    const waiting = beforeSettling(escrow, settlement.id);
    if (waiting !== undefined) await waiting;
    const balance = await settling.run(settlement);
    watch?.settled(settlement.log);
    return balance;
  } catch (cause) {
    // As far as is known, it is not charged: the operator must be able to find it.
    const what = `settling ${settlement.log.cost} units of account ${settlement.accountId}, request ${settlement.log.request_id},`;
    onFault(cause, what);
    watch?.unsettled(settlement);
    giveUp(settlement, what);
    if (isTransient(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
    throw cause;
  } finally {
    open.delete(settlement.id);
    callEnded(escrow, settlement.id);
  }
}

interface Batching {
  escrow: EscrowState;
  onFault: OnFault;
  times: LedgerTimes;
  watch: LedgerWatch | undefined;
}

function openBatchers(db: Db, owner: string, { onFault, times, watch, escrow }: Batching) {
  const onOutage = reportShortages(onFault);
  const admitting = createAccountBatcher(db, {
    onOutage,
    work: (items: readonly AdmitRequest[]) => admitBatch(db, owner, holdLife, items),
    waitingMax: reserveWaitingMax,
    timeoutMs: times.reserveTimeoutMs,
    ...(watch && { gauge: watch.admitting }),
  });
  const reserving = createAccountBatcher(db, {
    onOutage,
    work: (items: readonly ReserveRequest[]) => reserveBatch(db, owner, items),
    waitingMax: reserveWaitingMax,
    timeoutMs: times.reserveTimeoutMs,
    ...(watch && { gauge: watch.reserving }),
  });
  const settling = createAccountBatcher(db, {
    onOutage,
    work: (items: readonly Settlement[]) =>
      settleSliced(escrow, items, (slices) => settleBatch(db, items, { onFault, ...(watch && { slower: watch.settledSlower }) }, slices)),
    waitingMax: Infinity,
    timeoutMs: times.settleTimeoutMs,
    ...(watch && { gauge: watch.settling }),
  });
  return { admitting, reserving, settling };
}

/** Those of every call, which connections prepare. */
export const ledgerStatements = [admitCalls, ledgerReserve, settleUsual];

// Plans the batchers' statements on a new connection before it takes work: the first use of an unplanned one takes 20 to 50 ms.

const nilUuid = "00000000-0000-0000-0000-000000000000";

/** Changes nothing: its arrays are empty. */
export async function warmUpLedger(client: pg.ClientBase): Promise<void> {
  await client.query(admitCalls, [nilUuid, holdLife, "", ...Array<string>(14).fill("{}")]);
  await client.query(ledgerReserve, [nilUuid, ...Array<string>(9).fill("{}"), holdLife]);
  await client.query(settleUsual, [...Array<string>(8).fill("{}"), 0, ...Array<string>(8).fill("{}"), null]);
}
