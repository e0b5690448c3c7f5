// Escrow for accounts in use: a process that has many calls of an account and key in flight holds a slice of the balance, the budget and the
// limits (slices.ts), and admits further calls out of it in memory; their settlements are the only statements that they wait for. A slice lives
// while calls of it are in flight: the settlement of the last one gives back what is left (README.md "Slices").
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { isTransient } from "../db/transient-error.ts";
import type { Admitted, AdmitRequest } from "./admission.ts";
import { closeSlice, doubt, endIfDone, recalledMs } from "./slice-ends.ts";
import { addDemand, addTaken, carve, type Demand, type EscrowParts, type EscrowState, fits, noDemand, runsLow, type Slice, type Taken, type Use } from "./slices.ts"; // prettier-ignore

/** An account with so many calls in a second is in use. */
const callsInUse = 20;
/** A slice is for the calls of this part of a second, and never for fewer than the least. */
const secondsAhead = 0.5;
const callsAhead = { least: 16, usual: 32, most: 4_000 };
/** Nothing is admitted out of a slice that no statement has found for this long, or if a recall might not have been heard. */
const leaseMs = 1_000;
const deafMs = 900;
/** A slice of which nothing was taken for this long gives back what it has left. */
const idleMs = 250;
/** Slices end before their minute by the database's clock, which this process knows to some ms. */
const minuteMarginMs = 200;
/** None is opened so shortly before. */
const openMarginMs = 1_000;
const restMs = 500;
const usesMax = 2_000;
const recalledMax = 10_000;

export function openEscrow(parts: EscrowParts): EscrowState {
  const state: EscrowState = {
    ...parts,
    heardUntil: () => -Infinity,
    uses: new LRUCache({ max: usesMax }),
    slices: new Set(),
    carved: new Map(),
    plain: new Map(),
    recalled: new LRUCache({ max: recalledMax }),
    recalledAllAt: -Infinity,
    timer: setInterval(() => closeIdle(state), idleMs).unref(),
  };
  return state;
}

type Send = () => Promise<Admitted | null>;

/** Admits a call out of a slice, or by `send`. Returns no promise where a slice that is open has enough. */
export function admitSliced(state: EscrowState, request: AdmitRequest, send: Send): Admitted | null | Promise<Admitted | null> {
  if (request.isNamed === true) return send();
  const use = noteCall(state, request);
  const admitted = admitFromSlice(state, use, request);
  if (admitted === null)
    return mayOpen(state, use, request) ? admitOpening(state, use, request, send) : admitPlain(state, use, request, send);
  use.inFlight += 1;
  return admitted;
}

/** With a hold of its own. */
function admitPlain(state: EscrowState, use: Use, { id }: AdmitRequest, send: Send): Promise<Admitted | null> {
  return send().then((admitted) => {
    if (admitted === null) return null;
    state.plain.set(id, use);
    use.inFlight += 1;
    return admitted;
  });
}

async function admitOpening(state: EscrowState, use: Use, request: AdmitRequest, send: Send): Promise<Admitted | null> {
  const admitted = await openSlice(state, use, request);
  if (admitted === null) return admitPlain(state, use, request, send);
  use.inFlight += 1;
  return admitted;
}

/** Notes a call that asks to be admitted. */
function noteCall(state: EscrowState, { accountId, keyId }: AdmitRequest): Use {
  const key = `${accountId} ${keyId}`;
  let use = state.uses.get(key);
  if (use === undefined) {
    use = { key, inFlight: 0, second: 0, calls: 0, callsBefore: 0, slice: null, isOpening: false, restsUntil: -Infinity };
    state.uses.set(key, use);
  }
  const second = Math.floor(performance.now() / 1000);
  if (second !== use.second) {
    use.callsBefore = second === use.second + 1 ? use.calls : 0;
    use.calls = 0;
    use.second = second;
  }
  use.calls += 1;
  return use;
}

const rateOf = ({ calls, callsBefore }: Use): number => Math.max(calls, callsBefore);

/** Admits a call out of the slice of its account and key; null: it has no slice, or the slice has too little left. */
function admitFromSlice(state: EscrowState, use: Use, request: AdmitRequest): Admitted | null {
  const { slice } = use;
  if (slice === null) return null;
  if (!mayCarve(state, slice)) return closeFor(state, slice);
  addDemand(slice.demand, request);
  const fit = fits(slice, request);
  if (fit === "changed") return closeFor(state, slice);
  if (!fit) {
    takeMore(state, use, slice);
    return null;
  }
  const admitted = carve(slice, request, state.db.checks.now().getTime());
  state.carved.set(request.id, { slice, want: request.want, use });
  if (runsLow(slice)) takeMore(state, use, slice);
  return admitted;
}

function closeFor(state: EscrowState, slice: Slice): null {
  void closeSlice(state, slice);
  return null;
}

function mayCarve(state: EscrowState, slice: Slice): boolean {
  const now = performance.now();
  return (
    slice.isOpen &&
    now - slice.provenAt < leaseMs &&
    state.aliveSince() <= slice.openedAt &&
    now - state.heardUntil() < deafMs &&
    state.db.checks.now().getTime() < slice.untilMs - minuteMarginMs
  );
}

/** Whether a slice is worth its statement: the account is in use, with other calls in flight, and nothing speaks against it. */
function mayOpen(state: EscrowState, use: Use, { accountId }: AdmitRequest): boolean {
  if (use.slice !== null || use.isOpening || use.inFlight === 0 || rateOf(use) < callsInUse) return false;
  const now = performance.now();
  if (now < use.restsUntil || now < (state.recalled.get(accountId) ?? -Infinity)) return false;
  const isLate = 60_000 - (state.db.checks.now().getTime() % 60_000) < openMarginMs;
  return !isLate && now - state.heardUntil() < deafMs && state.aliveSince() <= now;
}

/** Opens a slice with the call as the first that takes of it; null: it could not be opened, and nothing is held for the call. */
async function openSlice(state: EscrowState, use: Use, request: AdmitRequest): Promise<Admitted | null> {
  const { accountId, keyId, want } = request;
  const id = randomUUID();
  const demand = noDemand();
  addDemand(demand, request);
  const windows = [...request.windows];
  use.isOpening = true;
  const sentAt = performance.now();
  try {
    const taken = await take(state, { use, slice: id, request, demand });
    if (taken === null) return null;
    const untilMs = (Math.floor(Number(taken.at_ms) / 60_000) + 1) * 60_000;
    const slice: Slice = {
      ...{ id, accountId, keyId, isOpen: true, isSure: true, isClosed: false, amount: want, carved: 0n, calls: 0, running: 0, full: 0n },
      ...{ stocks: new Map(), demand: noDemand(), funds: { available: 0n, reserved: 0n, keyLeft: null }, untilMs },
      ...{ openedAt: sentAt, provenAt: sentAt, carvedAt: sentAt, taking: null, closing: null, sent: new Set() },
    };
    addTaken(slice, windows, taken);
    for (const { bucket, amount } of windows) slice.stocks.get(bucket)!.unused += amount; // which carving takes
    state.slices.add(slice);
    state.renewed.set(id, { accountId, since: sentAt, held: slice });
    use.slice = slice;
    const admitted = carve(slice, request, Number(taken.at_ms));
    state.carved.set(request.id, { slice, want, use });
    if (wasRecalled(state, accountId, sentAt)) void closeSlice(state, slice);
    return admitted;
  } catch {
    use.restsUntil = performance.now() + restMs;
    state.giveUp({ accountId, id }, null);
    return null;
  } finally {
    use.isOpening = false;
  }
}

interface Asking {
  use: Use;
  slice: string;
  /** Whose call opens it; null: it is open. */
  request: AdmitRequest | null;
  of?: Slice;
  demand: Demand;
}

const escrowTake = `select at_ms, more, available, reserved, key_left, counts, previous, more_amounts
  from escrow_take($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) where calls is not null`;

/** Null: that would be too large a part of what is left. */
async function take({ db, owner, holdLife }: EscrowState, { use, slice, request, of, demand }: Asking): Promise<Taken | null> {
  const { accountId, keyId } = request ?? of!;
  const ahead = Math.min(callsAhead.most, Math.max(callsAhead.usual, Math.ceil(rateOf(use) * secondsAhead)));
  const share = ahead / demand.calls;
  const windows = [...demand.windows.values()];
  await db.turns?.take();
  try {
    const { rows } = await db.pool.query<Taken>(escrowTake, [
      ...[owner, holdLife, slice, request !== null, accountId, keyId, request?.want ?? 0n],
      ...[BigInt(Math.ceil(Number(demand.want) * share)), ahead, callsAhead.least],
      ...[windows.map(({ bucket }) => bucket), windows.map(({ seconds }) => seconds)],
      ...[windows.map(({ amount }) => (request === null ? 0 : amount)), windows.map(({ amount }) => Math.ceil(amount * share))],
      windows.map(({ limit }) => limit),
    ]);
    if (rows[0] === undefined) use.restsUntil = performance.now() + restMs;
    return rows[0] ?? null;
  } finally {
    db.turns?.leave();
  }
}

/** Adds to a slice, unless that is under way. */
function takeMore(state: EscrowState, use: Use, slice: Slice): void {
  const { demand } = slice;
  const sentAt = performance.now();
  if (slice.taking !== null || slice.calls === 0 || demand.calls === 0 || sentAt < use.restsUntil) return;
  slice.demand = noDemand();
  const adding = take(state, { use, slice: slice.id, request: null, of: slice, demand }).then((taken) => {
    if (taken === null) return;
    addTaken(slice, [...demand.windows.values()], taken);
    slice.provenAt = sentAt;
  });
  slice.taking = adding
    .catch((error: unknown) => {
      use.restsUntil = performance.now() + restMs;
      doubt(state, slice);
      if (!isTransient(error)) state.onFault(error, "adding to a slice");
    })
    .finally(() => {
      slice.taking = null;
      endIfDone(state, slice);
    });
}

function wasRecalled({ recalled, recalledAllAt }: EscrowState, accountId: bigint, since: number): boolean {
  return Math.max(recalledAllAt, (recalled.get(accountId) ?? -Infinity) - recalledMs) >= since;
}

function closeIdle(state: EscrowState): void {
  const now = performance.now();
  for (const slice of state.slices) {
    const isLeft = !slice.isOpen && !slice.isClosed && slice.sent.size === 0;
    if (isLeft || (slice.isOpen && (now - slice.carvedAt > idleMs || !mayCarve(state, slice)))) void closeSlice(state, slice);
  }
}
