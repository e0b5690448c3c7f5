// How slices end: with the settlement of their last call, or given back because they are recalled, idle or in doubt; and what settlements take
// off them before (slices.ts, README.md "Slices").
import { isTransient } from "../db/transient-error.ts";
import type { Amount } from "../money.ts";
import type { BatchSlices, Settlement } from "./settlement.ts";
import { type EscrowState, freeOf, type Slice, takingsOf, unusedOf } from "./slices.ts";

/** An account that was recalled gets no slice for this long. */
export const recalledMs = 2_000;

/** Waits, if the call is the last one of a slice of which a statement is under way, so that its settlement can end the slice. */
export async function beforeSettling({ carved }: EscrowState, id: string): Promise<void> {
  const call = carved.get(id);
  if (call === undefined) return;
  const { slice } = call;
  slice.running -= 1;
  while (slice.running === 0 && (slice.taking ?? slice.closing) !== null) await (slice.taking ?? slice.closing);
}

/** Settles a batch by `send`, with what its calls take off their slices. */
export async function settleSliced(
  state: EscrowState,
  items: readonly Settlement[],
  send: (slices: BatchSlices) => Promise<Amount[]>,
): Promise<Amount[]> {
  const { takings, sums, ended } = takingsOf(items, (id) => state.carved.get(id));
  if (sums.length === 0) return send({ takings, sums });
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
