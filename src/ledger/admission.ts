// The usual admission: a batch of calls counted and held in one statement, account by account, where all of an account's calls surely fit
// (src/db/functions/admit_calls.sql).
import { plainArray } from "../db/arrays.ts";
import type { Db } from "../db/connect.ts";
import type { Amount } from "../money.ts";

/** A rate limit that a call counts against, in the current window. */
export interface CallWindow {
  bucket: string;
  seconds: number;
  amount: number;
  /** Null: counted without a limit. */
  limit: number | null;
}

export interface AdmitRequest {
  accountId: bigint;
  /** The key whose budget it also comes out of; null: none. */
  keyId: bigint | null;
  /** Fixed for the request's life; settle names it. */
  id: string;
  /** Held in full. */
  want: Amount;
  /** It needs a hold of its own, by which it is found; absent: it may be admitted out of a slice. */
  isNamed?: boolean;
  /** The first one's count is returned; in a batch all calls have the same first bucket. */
  windows: readonly CallWindow[];
}

export interface Admitted {
  /** What the account could spend before this call. */
  available: Amount;
  /** Held by other requests in flight. */
  reserved: Amount;
  /** What the key could spend before this call; null: it has no budget. */
  keyLeft: Amount | null;
  /** The database's time, ms since 1970. */
  atMs: number;
  /** The first window after this call, and the one before it. */
  count: number;
  previous: number;
}

interface Row {
  at_ms: bigint;
  accounts: bigint[] | null;
  available: bigint[] | null;
  reserved: bigint[] | null;
  n: bigint[] | null;
  previous: bigint[] | null;
  keys: bigint[] | null;
  keys_left: (bigint | null)[] | null;
}

export const admitCalls = `select at_ms, accounts, available, reserved, n, previous, keys, keys_left
  from admit_calls($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`;

/** Above any count. */
const noLimit = 2n ** 62n;

/** In the batch's order; null: the account's calls may not all fit, and nothing was done. */
export function admitBatch(db: Db, owner: string, life: string, items: readonly AdmitRequest[]): Promise<(Admitted | null)[]> {
  const { funds, budgets, windows } = sumsOf(items);
  const column = <Sum>(sums: readonly Sum[], read: (sum: Sum) => bigint | number | string | null) => plainArray(sums.map(read));
  const values = [
    owner,
    life,
    items[0]!.windows[0]!.bucket,
    column(funds, ({ accountId }) => accountId),
    column(funds, ({ want }) => want),
    column(budgets, ({ accountId }) => accountId),
    column(budgets, ({ keyId }) => keyId),
    column(budgets, ({ want }) => want),
    column(windows, ({ accountId }) => accountId),
    windows.map(({ bucket }) => bucket),
    column(windows, ({ seconds }) => seconds),
    column(windows, ({ amount }) => amount),
    column(windows, ({ limit }) => limit ?? noLimit),
    column(items, ({ accountId }) => accountId),
    column(items, ({ id }) => id),
    column(items, ({ want }) => want),
    column(items, ({ keyId }) => keyId),
  ];
  return db.pool.query<Row>(admitCalls, values).then(({ rows }) => shareOut(items, { funds, budgets, windows }, rows[0]!));
}

interface Sums {
  funds: { accountId: bigint; want: bigint }[];
  budgets: { accountId: bigint; keyId: bigint; want: bigint }[];
  /** In the order in which the database locks them. */
  windows: ({ accountId: bigint } & CallWindow)[];
}

/** What the batch takes in all from each balance, budget and window. */
function sumsOf(items: readonly AdmitRequest[]): Sums {
  const funds = new Map<bigint, Sums["funds"][number]>();
  const budgets = new Map<bigint, Sums["budgets"][number]>();
  const windows = new Map<bigint, Map<string, Sums["windows"][number]>>();
  for (const { accountId, keyId, want, windows: counted } of items) {
    const fund = funds.get(accountId);
    if (fund === undefined) funds.set(accountId, { accountId, want });
    else fund.want += want;
    if (keyId !== null) {
      const budget = budgets.get(keyId);
      if (budget === undefined) budgets.set(keyId, { accountId, keyId, want });
      else budget.want += want;
    }
    let own = windows.get(accountId);
    if (own === undefined) windows.set(accountId, (own = new Map<string, Sums["windows"][number]>()));
    for (const window of counted) {
      const sum = own.get(window.bucket);
      if (sum === undefined) own.set(window.bucket, { accountId, ...window });
      else {
        sum.amount += window.amount;
        if (window.limit !== null) sum.limit = Math.min(sum.limit ?? Infinity, window.limit);
      }
    }
  }
  return {
    funds: [...funds.values()],
    budgets: [...budgets.values()],
    windows: [...windows.values()].flatMap((own) => [...own.values()]).sort(inLockOrder),
  };
}

function inLockOrder(a: Sums["windows"][number], b: Sums["windows"][number]): number {
  if (a.accountId !== b.accountId) return a.accountId < b.accountId ? -1 : 1;
  return a.bucket < b.bucket ? -1 : 1;
}

/** What each call of the batch found, as if they had come one after another. */
function shareOut(items: readonly AdmitRequest[], { funds, budgets, windows }: Sums, row: Row): (Admitted | null)[] {
  const places = new Map((row.accounts ?? []).map((accountId, place) => [accountId, place]));
  const shown = items[0]!.windows[0]!.bucket;
  const wanted = new Map(funds.map(({ accountId, want }) => [accountId, want]));
  const counting = new Map(windows.filter(({ bucket }) => bucket === shown).map(({ accountId, amount }) => [accountId, amount]));
  const keysWant = new Map(budgets.map(({ keyId, want }) => [keyId, want]));
  const keysLeft = new Map((row.keys ?? []).map((keyId, place) => [keyId, row.keys_left![place] ?? null]));
  return items.map(({ accountId, keyId, want, windows: [first] }) => {
    const place = places.get(accountId);
    if (place === undefined) return null;
    // Of this call and those behind it, which are not there yet.
    const ahead = wanted.get(accountId)!;
    wanted.set(accountId, ahead - want);
    const uncounted = counting.get(accountId)! - first!.amount;
    counting.set(accountId, uncounted);
    const keyAhead = keyId === null ? 0n : keysWant.get(keyId)!;
    if (keyId !== null) keysWant.set(keyId, keyAhead - want);
    const keyLeft = keyId === null ? null : keysLeft.get(keyId)!;
    return {
      available: row.available![place]! + ahead,
      reserved: row.reserved![place]! - ahead,
      keyLeft: keyLeft === null ? null : keyLeft + keyAhead,
      atMs: Number(row.at_ms),
      count: Number(row.n![place]) - uncounted,
      previous: Number(row.previous![place]),
    };
  });
}
