// How slices end: with the settlement of their last call, or given back because they are recalled, idle or in doubt; and what settlements take
// off them before (slices.ts, README.md "Slices").
import { setTimeout as sleep } from "node:timers/promises";
import { boundedMap } from "../concurrency/bounded-map.ts";
import { createBatcher } from "../db/batcher.ts";
import { plainArray } from "../db/arrays.ts";
import type { Db } from "../db/connect.ts";
import { isTransient } from "../db/transient-error.ts";
import type { Amount } from "../money.ts";
import type { BatchSlices, Settlement } from "./settlement.ts";
import { type EscrowState, freeOf, type Slice, takingsOf, unusedOf } from "./slices.ts";

/** An account that was recalled gets no slice for this long. */
export const recalledMs = 2_000;

/**
 * A promise, if the call is the last one of a slice of which a statement is under way: its settlement waits, so that it can end the slice.
 */
export function beforeSettling({ carved }: EscrowState, id: string): Promise<void> | undefined {
  const call = carved.get(id);
  if (call === undefined) return undefined;
  const { slice } = call;
  slice.running -= 1;
  return isWaitedFor(slice) ? untilNoStatement(slice) : undefined;
}

const isWaitedFor = ({ running, taking, closing }: Slice): boolean => running === 0 && (taking ?? closing) !== null;

async function untilNoStatement(slice: Slice): Promise<void> {
  while (isWaitedFor(slice)) await (slice.taking ?? slice.closing);
}

/** Settles a batch by `send`, with what its calls take off their slices. */
export function settleSliced(state: EscrowState, items: readonly Settlement[], send: SendSettlements): Promise<Amount[]> {
  if (state.carved.size === 0) return send(noTakings);
  const taking = takingsOf(items, (id) => state.carved.get(id));
  return taking.sums.length === 0 ? send(taking) : settleTaking(state, items, taking, send);
}

const noTakings: BatchSlices = { takings: [], sums: [] };

type SendSettlements = (slices: BatchSlices) => Promise<Amount[]>;

async function settleTaking(
  state: EscrowState,
  items: readonly Settlement[],
  { takings, sums, ended }: ReturnType<typeof takingsOf>,
  send: SendSettlements,
): Promise<Amount[]> {
  const slices = new Set(items.flatMap(({ id }) => state.carved.get(id)?.slice ?? []));
  for (const slice of ended) shut(state, slice);
  const over = Promise.withResolvers<void>();
  for (const slice of slices) slice.sent.add(over.promise);
  const doubtAll = () => slices.forEach((slice) => doubt(state, slice));
  const sentAt = performance.now();
  try {
    const balances = await send({ takings, sums, notUsual: doubtAll });
    items.forEach(({ id }, place) => settled(state, id, takings[place]?.amount ?? 0n));
    for (const slice of slices) slice.provenAt = Math.max(slice.provenAt, sentAt);
    for (const slice of ended) if (slice.isSure) forget(state, slice);
    return balances;
  } catch (error) {
    doubtAll();
    throw error;
  } finally {
    for (const slice of slices) {
      slice.sent.delete(over.promise);
      endIfDone(state, slice);
    }
    over.resolve();
  }
}

function settled({ carved }: EscrowState, id: string, taken: Amount): void {
  const call = carved.get(id);
  if (call === undefined) return;
  carved.delete(id);
  call.slice.amount -= taken;
  call.slice.carved -= call.want;
  call.slice.calls -= 1;
  call.use.inFlight -= 1;
}

/** The call has ended. If its settlement was given up, what it took of its slice stays taken, until the slice ends. */
export function callEnded(state: EscrowState, id: string): void {
  const use = state.plain.get(id);
  if (use !== undefined) {
    state.plain.delete(id);
    use.inFlight -= 1;
  }
  const call = state.carved.get(id);
  if (call === undefined) return;
  state.carved.delete(id);
  call.slice.calls -= 1;
  call.use.inFlight -= 1;
  doubt(state, call.slice);
  endIfDone(state, call.slice);
}

function forget({ slices, renewed }: EscrowState, slice: Slice): void {
  slices.delete(slice);
  renewed.delete(slice.id);
}

/** Nothing more is admitted out of it. */
function shut({ uses }: EscrowState, slice: Slice): void {
  slice.isOpen = false;
  const use = uses.get(`${slice.accountId} ${slice.keyId}`);
  if (use?.slice === slice) use.slice = null;
}

export function doubt(state: EscrowState, slice: Slice): void {
  slice.isSure = false;
  void closeSlice(state, slice);
}

const escrowClose = "select escrow_close($1, $2, $3, $4, $5, $6, $7)";

async function sendClose({ db }: EscrowState, slice: Slice, left: Amount, isOver: boolean): Promise<void> {
  const unused = unusedOf(slice);
  const windows = [unused.map(({ bucket }) => bucket), unused.map(({ startMs }) => new Date(startMs)), unused.map(({ amount }) => amount)];
  await db.pool.query(escrowClose, [slice.accountId, slice.id, left, isOver, ...windows]);
}

/** Gives back what a slice has left. What was sent while it was open comes first: it may leave more. */
export function closeSlice(state: EscrowState, slice: Slice): Promise<unknown> {
  if (slice.closing !== null || slice.isClosed) return slice.closing ?? Promise.resolve();
  shut(state, slice);
  const close = async () => {
    await slice.taking;
    await Promise.all(slice.sent);
    if (slice.calls === 0) return;
    const left = freeOf(slice);
    await sendClose(state, slice, left, false);
    slice.amount -= left;
    slice.stocks.clear();
    slice.isClosed = true;
  };
  slice.closing = close()
    .catch((error: unknown) => {
      slice.isSure = false; // it may have been made; the timer tries again
      if (!isTransient(error)) state.onFault(error, "closing a slice");
    })
    .finally(() => {
      slice.closing = null;
      endIfDone(state, slice);
    });
  return slice.closing;
}

/** Ends a slice whose calls are over and that no settlement ended. */
export function endIfDone(state: EscrowState, slice: Slice): void {
  if (slice.calls > 0 || slice.taking !== null || slice.closing !== null || slice.sent.size > 0 || !state.slices.has(slice)) return;
  shut(state, slice);
  slice.isClosed = true;
  slice.closing = sendClose(state, slice, 0n, true)
    .catch(() => state.giveUp(slice, null))
    .finally(() => forget(state, slice));
}

/** Closes the slices of the account, all of them for null, and opens none for it for some time. */
export async function recallSlices(state: EscrowState, accountId: bigint | null): Promise<void> {
  const now = performance.now();
  if (accountId === null) state.recalledAllAt = now;
  else state.recalled.set(accountId, now + recalledMs);
  const some = [...state.slices].filter((slice) => accountId === null || slice.accountId === accountId);
  for (const slice of some) if (slice.isOpen) void closeSlice(state, slice);
  for (const { closing } of some) await closing;
}

/** Gives back what the slices have left; calls that are still in flight keep theirs. */
export async function closeEscrow(state: EscrowState): Promise<void> {
  clearInterval(state.timer);
  await recallSlices(state, null);
  for (const { closing } of state.slices) await closing;
}

// A recall before a refusal: what another process holds in a slice is not spent, so an account is refused only in a moment in which no process
// held any for it (README.md "Slices").

/** `attempt` again, as long as it is refused while slices held what it may need. A refused attempt has changed nothing. */
export type Recalling = <Result>(
  accountId: bigint,
  attempt: () => Promise<Result>,
  isRefused: (result: Result) => boolean,
) => Promise<Result>;

/** For `isRefused`: reads again until no slice held anything while it was read. */
export const always = (): boolean => true;

const attemptsMax = 5;
/** Longer than a process takes that can't hear it (escrow.ts). What a stalled one holds counts as spent, until it is dead. */
const waitMs = 1_500;
const lookEveryMs = 10;
/** After a slice that was not given back in time, its account's refusals don't wait. */
const stalledMs = 1_000;
const knownMax = 20_000;
const waitingMax = 20_000;
const timeoutMs = 3_000;

interface Look {
  account_id: bigint;
  closings: bigint;
  is_open: boolean;
}

/** Reads no balance and takes no lock, so that a flood of refusals stays cheap. */
const lookSql = `select a.account_id, coalesce(e.closings, 0) as closings,
    exists (select from hold h where h.account_id = a.account_id and h.pool = 'escrow') as is_open
  from unnest($1::bigint[]) a(account_id) left join escrow e on e.account_id = a.account_id`;

/** `recallOwn`: closes the slices of this process. */
export function openRecalls(db: Db, recallOwn: (accountId: bigint) => Promise<unknown>): Recalling {
  /** How often slices had been closed when it was read last: an attempt that began later has seen what they gave back. */
  const known = boundedMap<bigint, bigint>(knownMax);
  const stalled = boundedMap<bigint, number>(knownMax);
  const waiting = new Map<bigint, Promise<boolean>>();
  const looking = createBatcher({
    waitingMax,
    timeoutMs,
    turns: db.turns,
    async work(accounts: readonly bigint[]) {
      const { rows } = await db.pool.query<Look>(lookSql, [plainArray([...new Set(accounts)])]);
      const looks = new Map(rows.map((row) => [row.account_id, row]));
      return accounts.map((accountId) => looks.get(accountId)!);
    },
  });
  const look = async (accountId: bigint): Promise<Look> => {
    const found = await looking.run(accountId);
    known.set(accountId, found.closings);
    return found;
  };
  /** Whether all slices of the account were given back. */
  const recall = async (accountId: bigint): Promise<boolean> => {
    const giveUpAt = performance.now() + waitMs;
    await Promise.all([recallOwn(accountId), db.pool.query("select pg_notify('escrow_recall', $1)", [String(accountId)])]);
    while ((await look(accountId)).is_open) {
      if (performance.now() > giveUpAt) {
        stalled.set(accountId, performance.now() + stalledMs);
        return false;
      }
      await sleep(lookEveryMs);
    }
    return true;
  };
  const recallOnce = (accountId: bigint): Promise<boolean> => {
    let one = waiting.get(accountId);
    if (one === undefined) waiting.set(accountId, (one = recall(accountId).finally(() => waiting.delete(accountId))));
    return one;
  };
  /** Whether slices of the account may have held something at a moment after `closings` were known. */
  const mayHaveMore = async (accountId: bigint, closings: bigint): Promise<boolean> => {
    const found = await look(accountId);
    if (!found.is_open) return found.closings !== closings;
    if (performance.now() < (stalled.get(accountId) ?? -Infinity)) return false;
    return recallOnce(accountId);
  };

  return async (accountId, attempt, isRefused) => {
    for (let left = attemptsMax; ; left -= 1) {
      const closings = known.get(accountId) ?? 0n;
      const result = await attempt();
      if (!isRefused(result) || left <= 1) return result;
      // Without an answer the refusal stands: what is not known to be there is not spent.
      if (!(await mayHaveMore(accountId, closings).catch(() => false))) return result;
    }
  };
}
