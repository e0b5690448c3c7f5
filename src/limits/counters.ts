// The rate counters in Postgres, with one batcher for takes and corrections: one statement is in flight whatever the concurrency, and
// every replica counts in the same rows (src/db/functions/rate_take.sql). Says nothing of what a limit means.
import { BatcherFull, type BatcherGauge, createBatcher } from "../db/batcher.ts";
import { plainArray } from "../db/arrays.ts";
import type { Db, Queries } from "../db/connect.ts";
import { isSurelyUndone, isTransient } from "../db/transient-error.ts";
import { fail } from "../errors/fail.ts";
import { waitMs, type WindowCount } from "./window.ts";

/** Accounts count from 1; this one stands for callers without an account. */
export const noAccount = 0n;

export interface Take {
  accountId: bigint;
  bucket: string;
  seconds: number;
  /** Negative: given back, in the window of `startMs`. */
  amount: number;
  /** Null: counted without a limit. */
  limit: number | null;
  /** Start of the window; absent: the current one. */
  startMs?: number;
}

export interface Decision {
  /** Index of the take that was refused; null: all were taken. */
  refused: number | null;
  /** The counter of the first take, after the decision. */
  first: WindowCount;
  /** How long until all of the takes pass if nothing else is taken; 0: they did. */
  waitMs: number;
}

export interface Counters {
  /** All or nothing. Fails with overloaded where the database is unavailable or too many wait. */
  take(takes: readonly Take[]): Promise<Decision>;
  /** Counts without a limit, soon, and returns at once; what can't be counted is dropped. */
  correct(changes: readonly Take[]): void;
  close(): Promise<void>;
}

const waitingMax = 20_000;
/** As long as a reservation waits (src/ledger/ledger.ts). */
const timeoutMs = 3_000;
/** Corrections go with the next take, or alone after this. */
const correctionMs = 100;
/** Counts distinct windows. */
const correctionsMax = 20_000;
const sweepMs = 60_000;
/** Bounds one statement, so that it is short. */
const sweepMost = 10_000;

/** `gauge`: for /metrics. */
export function openCounters(db: Db, onFault: (error: unknown, what: string) => void, gauge?: BatcherGauge): Counters {
  let corrections = new Map<string, Take>();
  let timer: NodeJS.Timeout | null = null;
  const add = (changes: readonly Take[]) => {
    for (const change of changes) {
      const key = keyOf(change);
      const known = corrections.get(key);
      if (known === undefined && corrections.size >= correctionsMax) continue;
      corrections.set(key, { ...change, limit: null, amount: change.amount + (known?.amount ?? 0) });
    }
  };
  const batcher = createBatcher({
    waitingMax,
    timeoutMs,
    turns: db.turns,
    ...(gauge && { gauge }),
    async work(items: readonly (readonly Take[])[]) {
      // What is given back is resent only if certainly nothing of it was done: given back twice, it would let too many through.
      const changes = [...corrections.values()];
      corrections = new Map();
      const asked = items.filter((takes) => takes.length > 0);
      if (asked.length + changes.length === 0) return items.map(() => null);
      // Given back first, so that it can be taken at once.
      const rows = await decide(db, changes.length > 0 ? [changes, ...asked] : asked).catch((error: unknown) => {
        // Where it may have been done, only what was added is sent again: counting twice refuses too many, not counting lets too many
        // through.
        add(isSurelyUndone(error) ? changes : changes.filter(({ amount }) => amount > 0));
        throw error;
      });
      let at = changes.length > 0 ? 1 : 0;
      return items.map((takes) => (takes.length === 0 ? null : decisionOf(takes, rows[at++] as Row)));
    },
  });
  const sendCorrections = async () => {
    timer = null;
    if (corrections.size > 0) await batcher.run([]).catch((error: unknown) => onFault(error, "correcting rates"));
  };
  const sweep = setInterval(() => {
    forgetOld(db).catch((error: unknown) => onFault(error, "forgetting old rate windows"));
  }, sweepMs).unref();
  return {
    async take(takes) {
      try {
        return (await batcher.run(takes)) as Decision;
      } catch (cause) {
        if (cause instanceof BatcherFull || isTransient(cause)) fail("overloaded", { cause });
        throw cause;
      }
    },
    correct(changes) {
      add(changes);
      timer ??= setTimeout(() => void sendCorrections(), correctionMs);
    },
    async close() {
      clearInterval(sweep);
      if (timer !== null) clearTimeout(timer);
      await sendCorrections();
      await batcher.drained();
    },
  };
}

async function forgetOld(db: Db): Promise<void> {
  for (let swept = sweepMost; swept === sweepMost;) {
    const { rows } = await db.pool.query<{ swept: bigint }>("select rate_sweep($1) as swept", [sweepMost]);
    swept = Number(rows[0]?.swept);
  }
}

function keyOf({ accountId, startMs = 0, bucket }: Take): string {
  return `${accountId} ${startMs} ${bucket}`;
}

interface Row {
  at_ms: bigint;
  refused: number;
  n: bigint | null;
  previous: bigint | null;
  /** The counters of every take of a refused request. */
  each_n: (bigint | null)[] | null;
  each_previous: (bigint | null)[] | null;
}

/** One of every call, which connections prepare. */
export const rateTake = "select at_ms, refused, n, previous, each_n, each_previous from rate_take($1, $2, $3, $4, $5, $6, $7, $8)";

/** As `Counters.take` decides it, in a transaction of the caller's. */
export async function takeIn(transaction: Queries, takes: readonly Take[]): Promise<Decision> {
  return decisionOf(takes, (await decide(transaction, [takes]))[0]!);
}

/** One row for each request, in their order. */
async function decide(db: Queries, requests: readonly (readonly Take[])[]): Promise<Row[]> {
  return (await db.pool.query<Row>(rateTake, columnsOf(requests))).rows;
}

function decisionOf(takes: readonly Take[], row: Row): Decision {
  const refused = row.refused === 0 ? null : row.refused - 1;
  const first = countOf(row.at_ms, takes[0] as Take, row.n, row.previous);
  if (refused === null) return { refused, first, waitMs: 0 };
  const waits = takes.map((take, index) => {
    const { at_ms: atMs, each_n: each, each_previous: previous } = row;
    if (each === null || take.limit === null) return 0;
    return waitMs(countOf(atMs, take, each[index] ?? null, previous?.[index] ?? null), take.amount, take.limit);
  });
  return { refused, first, waitMs: Math.max(...waits) };
}

function countOf(atMs: bigint, { seconds }: Take, current: bigint | null, previous: bigint | null): WindowCount {
  return { atMs: Number(atMs), lengthMs: seconds * 1000, current: Number(current ?? 0n), previous: Number(previous ?? 0n) };
}

/** The arguments of rate_take: the distinct windows, then every take with the index of its window. */
function columnsOf(asked: readonly (readonly Take[])[]): unknown[] {
  const places = new Map<string, number>();
  const windows: [accounts: bigint[], buckets: string[], seconds: number[], starts: number[]] = [[], [], [], []];
  const takes: [requests: number[], places: number[], amounts: number[], limits: number[]] = [[], [], [], []];
  asked.forEach((wanted, index) => {
    for (const take of wanted) {
      const { accountId, bucket, seconds, amount, limit, startMs = 0 } = take;
      const key = keyOf(take);
      let place = places.get(key);
      if (place === undefined) {
        place = places.size + 1;
        places.set(key, place);
        windows[0].push(accountId);
        windows[1].push(bucket);
        windows[2].push(seconds);
        windows[3].push(startMs / 1000);
      }
      takes[0].push(index + 1);
      takes[1].push(place);
      takes[2].push(amount);
      takes[3].push(limit ?? -1);
    }
  });
  const [accounts, buckets, seconds, starts] = windows;
  return [plainArray(accounts), buckets, plainArray(seconds), plainArray(starts), ...takes.map((column) => plainArray(column))];
}
