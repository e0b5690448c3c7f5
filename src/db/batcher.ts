// Batchers: each makes one database call out of the items that queued while its last call ran (docs/behaviour/ledger.md#batches).
// They know nothing of money: what a batch does is its `work`.
import { setTimeout as sleep } from "node:timers/promises";
import type { Turns } from "../concurrency/slots.ts";
import { isTransient } from "./transient-error.ts";

interface Batcher<Item, Result> {
  run(item: Item): Promise<Result>;
  /** Resolves when nothing is queued or in flight. */
  drained(): Promise<void>;
}

interface BatcherOptions<Item, Result> {
  /**
   * One call for the whole batch; results in the batch's order. Must be idempotent: it is repeated after a broken connection, without the
   * items whose timeout has passed. All or nothing: a call that fails has changed nothing.
   */
  work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** More waiting items than this are refused with BatcherFull. */
  waitingMax: number;
  /** How long each caller waits for an unavailable database. */
  timeoutMs: number;
  /** Shared with other batchers; absent or null: none. */
  turns?: Turns | null;
  /** Kept up to date for /metrics. */
  gauge?: BatcherGauge;
  /** Hears of each batch that an unavailable database did not take. */
  onOutage?: (error: unknown) => void;
}

/** Plain numbers, so that counting costs nothing. */
export interface BatcherGauge {
  /** Items that queue for the next batch. */
  waiting: number;
  /** Number of batches per bucket: larger than the previous bound, at most as large as the bound at the same index. */
  batches: number[];
  bounds: readonly number[];
  items: number;
  /** Time with a batch in flight. */
  busyMs: number;
  /** performance.now() of the last batch if the database was unavailable, full or read-only; -Infinity if it succeeded. */
  outageAt: number;
}

export class BatcherFull extends Error {}

/** Thrown by work that knows which items are at fault: these fail with `cause`, the others are sent again. */
export class FailedFor extends Error {
  readonly items: ReadonlySet<unknown>;
  constructor(items: ReadonlySet<unknown>, cause: unknown) {
    super("some of a batch failed", { cause });
    this.items = items;
  }
}

/** Larger batches gain nothing and hold their row locks longer. */
const batchMax = 500;
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, batchMax];
const [firstPauseMs, longestPauseMs] = [20, 1_000];

interface Waiting<Item, Result> {
  item: Item;
  /** On the clock of performance.now(). */
  giveUpAt: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function openBatcherGauge(): BatcherGauge {
  return { waiting: 0, batches: batchSizes.map(() => 0), bounds: batchSizes, items: 0, busyMs: 0, outageAt: -Infinity };
}

export function createBatcher<Item, Result>(options: BatcherOptions<Item, Result>): Batcher<Item, Result> {
  const { waitingMax, timeoutMs, turns = null, gauge = openBatcherGauge() } = options;
  const sender = openSender(options, turns, gauge);
  let waiting: Waiting<Item, Result>[] = [];
  let busy = false;
  const whenDrained: (() => void)[] = [];

  async function loop(): Promise<void> {
    while (waiting.length > 0) {
      const pauseMs = pauseBefore(sender.last(), turns === null, performance.now());
      if (pauseMs > 0 && waiting.length < batchMax) await sleep(pauseMs);
      await turns?.take();
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      gauge.waiting -= batch.length;
      await sender.settle(batch);
      turns?.leave();
    }
    busy = false;
    for (const resolve of whenDrained.splice(0)) resolve();
  }

  return {
    run: (item) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= waitingMax) return reject(new BatcherFull());
        waiting.push({ item, giveUpAt: performance.now() + timeoutMs, resolve, reject });
        gauge.waiting += 1;
        if (busy) return;
        busy = true;
        setImmediate(loop);
      }),
    drained: () => (busy ? new Promise((resolve) => whenDrained.push(resolve)) : Promise.resolve()),
  };
}

/** Sends batches, and retries while the database is unavailable, until each item has succeeded or failed. */
function openSender<Item, Result>({ work, onOutage }: BatcherOptions<Item, Result>, turns: Turns | null, gauge: BatcherGauge) {
  type Batch = Waiting<Item, Result>[];
  let last: LastStatement = { startedAt: 0, endedAt: 0 };
  /** The error of an unavailable database; null: it answers. */
  let outage: unknown = null;

  function began(size: number): number {
    const bucket = Math.min(batchSizes.length - 1, 32 - Math.clz32(size - 1));
    gauge.batches[bucket] = (gauge.batches[bucket] as number) + 1;
    gauge.items += size;
    return performance.now();
  }

  function sent(startedAt: number): void {
    last = { startedAt, endedAt: performance.now() };
    gauge.busyMs += last.endedAt - startedAt;
  }

  async function settle(asked: Batch): Promise<void> {
    let batch = outage === null ? asked : refuseLate(asked, performance.now());
    for (let pauseMs = firstPauseMs; batch.length > 0; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const startedAt = began(batch.length);
      try {
        const results = await work(batch.map(({ item }) => item));
        sent(startedAt);
        outage = null;
        gauge.outageAt = -Infinity;
        return batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        sent(startedAt);
        if (!isTransient(error)) {
          outage = null;
          return settleApart(batch, error);
        }
        outage = error;
        gauge.outageAt = performance.now();
        onOutage?.(error);
        batch = refuseLate(batch, performance.now() + pauseMs);
        if (batch.length === 0) return;
        turns?.leave();
        await sleep(pauseMs);
        await turns?.take();
      }
    }
  }

  /** One bad item must not fail its neighbours. */
  async function settleApart(batch: Batch, error: unknown): Promise<void> {
    if (error instanceof FailedFor) {
      const { true: failed = [], false: others = [] } = Object.groupBy(batch, ({ item }) => String(error.items.has(item)));
      for (const { reject } of failed) reject(error.cause);
      return settle(others);
    }
    if (batch.length === 1) return batch[0]!.reject(error);
    const middle = Math.ceil(batch.length / 2);
    await settle(batch.slice(0, middle));
    await settle(batch.slice(middle));
  }

  /** The items whose timeout ends after `at`. */
  function refuseLate(batch: Batch, at: number): Batch {
    for (const { giveUpAt, reject } of batch) if (giveUpAt < at) reject(outage);
    return batch.filter(({ giveUpAt }) => giveUpAt >= at);
  }

  return { settle, last: () => last };
}

// How long a batcher waits for more items before its next statement. A statement costs this process about as much as half a request and
// Postgres several times that, whatever the size of its batch: under load fewer and larger ones serve every caller sooner.

/** The pause between two statements of a batcher when this process is fully busy. A longer one saves little and adds latency. */
const fullLoadMs = 4;
/** A process that is less busy than this sends at once. */
const freeShare = 0.5;
/** How often the load is measured. */
const sampleMs = 50;
/** A batcher pauses for as long as its last statement took, except after a slow one: callers are already waiting. */
const restMaxMs = 5;

/** A batcher's last statement, on the clock of performance.now(). */
interface LastStatement {
  startedAt: number;
  endedAt: number;
}

let before = performance.eventLoopUtilization();
let [lookedAt, share] = [performance.now(), 0];

/** Milliseconds to wait; 0 or less: none. `rests`: whether to pause for the database; false where batchers share a mutex. */
export function pauseBefore({ startedAt, endedAt }: LastStatement, rests: boolean, now: number): number {
  const restedAt = rests ? endedAt + Math.min(endedAt - startedAt, restMaxMs) : startedAt;
  return Math.max(startedAt + gapMs(now), restedAt) - now;
}

function gapMs(now: number): number {
  if (now - lookedAt >= sampleMs) {
    const current = performance.eventLoopUtilization();
    share = performance.eventLoopUtilization(current, before).utilization;
    before = current;
    lookedAt = now;
  }
  return share <= freeShare ? 0 : (fullLoadMs * (share - freeShare)) / (1 - freeShare);
}
