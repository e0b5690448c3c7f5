// A slice: one hold of this process for an account and key, out of which it admits calls in memory, with the calls that were counted for it in
// advance. What it is, what a call takes of it, and what a batch of settlements takes off it for good. Asks no database (escrow.ts does).
import type { LRUCache } from "lru-cache";
import type { Db } from "../db/connect.ts";
import type { Amount } from "../money.ts";
import type { Admitted, AdmitRequest, CallWindow } from "./admission.ts";
import type { OpenCall } from "./replica.ts";
import type { BatchSlices, Settlement, SliceSum, Taking, UnusedCount } from "./settlement.ts";

/** Calls or tokens of a window that were counted in advance. */
interface Stock {
  limit: number | null;
  seconds: number;
  startMs: number;
  unused: number;
  /** Unused after the last taking. */
  full: number;
  /** The window's count after the last taking, and the count of the one before it. */
  count: number;
  previous: number;
}

/** What calls asked of a slice since its last taking, be they admitted out of it or not. */
export interface Demand {
  calls: number;
  want: Amount;
  windows: Map<string, CallWindow>;
}

export interface Slice {
  id: string;
  accountId: bigint;
  keyId: bigint | null;
  /** False: nothing more is admitted out of it. */
  isOpen: boolean;
  /** False: an answer was lost, or a statement found something else. It ends by being given up. */
  isSure: boolean;
  /** It has given back what it had left. */
  isClosed: boolean;
  /** What the hold has, as far as it was confirmed. */
  amount: Amount;
  /** Of that, what calls took that are not settled; and how many they are. */
  carved: Amount;
  calls: number;
  /** Of these, whose settlement hasn't been asked for. */
  running: number;
  /** Free after the last taking. */
  full: Amount;
  stocks: Map<string, Stock>;
  demand: Demand;
  /** What the account and the key had left after the last taking, and what was held. */
  funds: Pick<Admitted, "available" | "reserved" | "keyLeft">;
  /** By performance.now(): when it was opened, when the last statement that found it was sent, and when the last call took of it. */
  openedAt: number;
  provenAt: number;
  carvedAt: number;
  /** The end of the minute of its windows, by the database's clock. */
  untilMs: number;
  /** Statements that add to it, or close it; null: none. */
  taking: Promise<unknown> | null;
  closing: Promise<unknown> | null;
  /** Settlements that were sent while it was open. */
  sent: Set<Promise<unknown>>;
}

/** A call that has no hold of its own. */
interface CarvedCall {
  slice: Slice;
  want: Amount;
  use: Use;
}

export interface EscrowParts {
  db: Db;
  owner: string;
  holdLife: string;
  /** Holds that are renewed as long as this process lives, by their ids. */
  renewed: Map<string, OpenCall>;
  /** When the present series of heartbeats began, by performance.now(); Infinity: this process may look dead to the others. */
  aliveSince: () => number;
  /** The hold is given back by a later round, if it is there. */
  giveUp: (slice: { accountId: bigint; id: string }, unheard: null) => void;
  onFault: (error: unknown, what: string) => void;
}

/** The calls of an account with one key, in this process. */
export interface Use {
  key: string;
  /** Admitted and not settled, with a hold of their own or out of a slice. */
  inFlight: number;
  second: number;
  /** In this second and in the one before. */
  calls: number;
  callsBefore: number;
  slice: Slice | null;
  isOpening: boolean;
  /** Opens and adds nothing before this moment of performance.now(). */
  restsUntil: number;
}

export interface EscrowState extends EscrowParts {
  /** All recalls before this moment of performance.now() were heard. */
  heardUntil: () => number;
  uses: LRUCache<string, Use>;
  slices: Set<Slice>;
  carved: Map<string, CarvedCall>;
  /** Calls with a hold of their own, by their ids. */
  plain: Map<string, Use>;
  /** Accounts that were recalled: until when they get no slice. */
  recalled: LRUCache<bigint, number>;
  /** When all slices were recalled, by performance.now(). */
  recalledAllAt: number;
  timer: NodeJS.Timeout;
}

/** What escrow_take returns. */
export interface Taken {
  at_ms: bigint;
  more: bigint;
  available: bigint;
  reserved: bigint;
  key_left: bigint | null;
  counts: bigint[];
  previous: bigint[];
  more_amounts: bigint[];
}

export const noDemand = (): Demand => ({ calls: 0, want: 0n, windows: new Map() });

export function addDemand(demand: Demand, { want, windows }: AdmitRequest): void {
  demand.calls += 1;
  demand.want += want;
  for (const window of windows) {
    const known = demand.windows.get(window.bucket);
    if (known === undefined) demand.windows.set(window.bucket, { ...window });
    else known.amount += window.amount;
  }
}

/** After a statement that took more for it. */
export function addTaken(slice: Slice, windows: readonly CallWindow[], taken: Taken): void {
  const atMs = Number(taken.at_ms);
  slice.amount += taken.more;
  slice.full = freeOf(slice);
  slice.funds = { available: taken.available, reserved: taken.reserved, keyLeft: taken.key_left };
  windows.forEach(({ bucket, limit, seconds }, place) => {
    const unused = (slice.stocks.get(bucket)?.unused ?? 0) + Number(taken.more_amounts[place]);
    const startMs = atMs - (atMs % (seconds * 1000));
    const [count, previous] = [Number(taken.counts[place]), Number(taken.previous[place])];
    slice.stocks.set(bucket, { limit, seconds, startMs, unused, full: unused, count, previous });
  });
}

export const freeOf = ({ amount, carved }: Pick<Slice, "amount" | "carved">): Amount => amount - carved;

/** Whether it has what the call wants; "changed": a limit is not the one that it was taken under. */
export function fits(slice: Slice, { want, windows }: AdmitRequest): boolean | "changed" {
  let fit = freeOf(slice) >= want;
  for (const { bucket, amount, limit } of windows) {
    const stock = slice.stocks.get(bucket);
    if (stock === undefined || stock.unused < amount) fit = false;
    else if (stock.limit !== limit) return "changed";
  }
  return fit;
}

/** Whether less than half is left of anything. */
export function runsLow(slice: Slice): boolean {
  if (freeOf(slice) * 2n < slice.full) return true;
  for (const { unused, full } of slice.stocks.values()) if (unused * 2 < full) return true;
  return false;
}

/** For a call that fits. */
export function carve(slice: Slice, { want, windows }: AdmitRequest, atMs: number): Admitted {
  const { available, reserved, keyLeft } = slice.funds;
  const free = freeOf(slice);
  slice.carved += want;
  slice.calls += 1;
  slice.running += 1;
  slice.carvedAt = performance.now();
  for (const { bucket, amount } of windows) slice.stocks.get(bucket)!.unused -= amount;
  const { count, unused, previous } = slice.stocks.get(windows[0]!.bucket)!;
  return {
    available: available + free,
    reserved: reserved > free ? reserved - free : 0n,
    keyLeft: keyLeft === null ? null : keyLeft + free,
    atMs,
    count: count - unused,
    previous,
  };
}

export function unusedOf(slice: Slice): UnusedCount[] {
  return [...slice.stocks]
    .filter(([, { unused }]) => unused > 0)
    .map(([bucket, { startMs, unused }]) => ({ bucket, startMs, amount: unused }));
}

/**
 * What a batch takes off the slices of its calls: of an open one the costs, as far as they were held, so that the rest serves further calls; of
 * another one all that was held. A slice ends with the batch that has all of its calls.
 */
export function takingsOf(
  items: readonly Settlement[],
  carvedOf: (id: string) => CarvedCall | undefined,
): BatchSlices & { ended: Set<Slice> } {
  const sums = new Map<Slice, { taken: Amount; calls: number; last: Taking }>();
  const takings = items.map(({ id, log }) => {
    const call = carvedOf(id);
    if (call === undefined) return undefined;
    const { slice, want } = call;
    const cost = BigInt(log.cost);
    const taking: Taking = { slice: slice.id, amount: slice.isOpen && cost < want ? cost : want };
    const sum = sums.get(slice);
    if (sum === undefined) sums.set(slice, { taken: taking.amount, calls: 1, last: taking });
    else {
      sum.taken += taking.amount;
      sum.calls += 1;
      sum.last = taking;
    }
    return taking;
  });
  const ended = new Set<Slice>();
  const all = [...sums].map(([slice, { taken, calls, last }]): SliceSum => {
    const { accountId, id } = slice;
    if (calls < slice.calls || slice.taking !== null || slice.closing !== null || !slice.isSure)
      return { accountId, id, taken, unused: null };
    ended.add(slice);
    last.amount += slice.amount - taken;
    return { accountId, id, taken: slice.amount, unused: unusedOf(slice) };
  });
  return { takings, sums: all, ended };
}
