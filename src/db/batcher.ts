// A lane makes one database call out of all that queued while the last one ran (DATA.md 2, "natural batching").
// It knows nothing of money: what a batch does is its `work`.
import { setTimeout as sleep } from "node:timers/promises";
import type { Turns } from "./mutex.ts";
import { isDatabaseAway } from "./transient-error.ts";

interface Lane<Item, Result> {
  run(item: Item): Promise<Result>;
  /** Resolves when nothing is queued or under way. */
  drained(): Promise<void>;
}

interface LaneOptions<Item, Result> {
  /**
   * One call for the whole batch; results in the batch's order. Must be idempotent: a broken connection repeats it, without those whose
   * patience has ended. All or nothing: what fails has done nothing for anybody.
   */
  work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** More waiting items than this are refused with LaneFull. */
  waitingMax: number;
  /** How long each caller waits for a database that is away. */
  patienceMs: number;
  /** Shared with other lanes; absent or null: none. */
  turns?: Turns | null;
  /** Kept up to date for /metrics. */
  gauge?: LaneGauge;
}

/** Plain numbers, so that counting costs nothing. */
export interface LaneGauge {
  /** Items that queue for the next batch. */
  waiting: number;
  /** How many batches were at most as large as the bound of the same place, and larger than the one before it. */
  batches: number[];
  bounds: readonly number[];
  items: number;
  /** Time with a batch under way. */
  busyMs: number;
  /** performance.now() of the last batch, where the database was away, full or only read; -Infinity: it was done. */
  awayAt: number;
}

export class LaneFull extends Error {}

/** Thrown by work that knows whose fault it is: these items fail with `cause`, the others are asked for again. */
export class FailedFor extends Error {
  readonly items: ReadonlySet<unknown>;
  constructor(items: ReadonlySet<unknown>, cause: unknown) {
    super("some of a batch failed", { cause });
    this.items = items;
  }
}

/** Larger batches gain nothing (DATA.md 2) and hold their row locks longer. */
const batchMax = 500;
const laneSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, batchMax];
const firstPauseMs = 20;
const longestPauseMs = 1_000;

interface Waiting<Item, Result> {
  item: Item;
  /** On the clock of performance.now(). */
  giveUpAt: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function openLaneGauge(): LaneGauge {
  return { waiting: 0, batches: laneSizes.map(() => 0), bounds: laneSizes, items: 0, busyMs: 0, awayAt: -Infinity };
}

export function createLane<Item, Result>(options: LaneOptions<Item, Result>): Lane<Item, Result> {
  const { waitingMax, patienceMs, turns = null, gauge = openLaneGauge() } = options;
  const sender = openSender(options.work, turns, gauge);
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
        if (waiting.length >= waitingMax) return reject(new LaneFull());
        waiting.push({ item, giveUpAt: performance.now() + patienceMs, resolve, reject });
        gauge.waiting += 1;
        if (busy) return;
        busy = true;
        setImmediate(loop);
      }),
    drained: () => (busy ? new Promise((resolve) => whenDrained.push(resolve)) : Promise.resolve()),
  };
}

/** Sends batches, again where the database is away, until each item is settled one way or the other. */
function openSender<Item, Result>(work: LaneOptions<Item, Result>["work"], turns: Turns | null, gauge: LaneGauge) {
  type Batch = Waiting<Item, Result>[];
  let last: LastStatement = { startedAt: 0, endedAt: 0 };
  /** What the database failed with, since it is away; null: it answers. */
  let away: unknown = null;

  async function send(items: readonly Item[]): Promise<readonly Result[]> {
    const startedAt = performance.now();
    const size = Math.min(laneSizes.length - 1, 32 - Math.clz32(items.length - 1));
    gauge.batches[size] = (gauge.batches[size] as number) + 1;
    gauge.items += items.length;
    try {
      return await work(items);
    } finally {
      last = { startedAt, endedAt: performance.now() };
      gauge.busyMs += last.endedAt - startedAt;
    }
  }

  async function settle(asked: Batch): Promise<void> {
    let batch = away === null ? asked : refuseLate(asked, performance.now());
    for (let pauseMs = firstPauseMs; batch.length > 0; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const results = await send(batch.map(({ item }) => item));
        away = null;
        gauge.awayAt = -Infinity;
        return batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
      } catch (error) {
        if (!isDatabaseAway(error)) {
          away = null;
          return settleApart(batch, error);
        }
        away = error;
        gauge.awayAt = performance.now();
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

  /** Those whose patience lasts longer than `at`. */
  function refuseLate(batch: Batch, at: number): Batch {
    for (const { giveUpAt, reject } of batch) if (giveUpAt < at) reject(away);
    return batch.filter(({ giveUpAt }) => giveUpAt >= at);
  }

  return { settle, last: () => last };
}

// How long a lane waits for company before its next statement. A statement costs this process about as much as half a request and Postgres
// several times that, whatever the size of its batch: under load fewer and larger ones serve everybody sooner.

/** Between two statements of a lane where this process has no time left. More saves little and is felt. */
const fullLoadMs = 4;
/** A process busy for less of its time sends at once. */
const freeShare = 0.5;
/** How often the load is looked at. */
const sampleMs = 50;
/** The database gets as much rest from a lane as its last statement took, a slow one excepted: others wait for it already. */
const restMaxMs = 5;

/** A lane's last statement, on the clock of performance.now(). */
interface LastStatement {
  startedAt: number;
  endedAt: number;
}

let before = performance.eventLoopUtilization();
let lookedAt = performance.now();
let share = 0;

/** Milliseconds to wait; 0 or less: none. `rests`: for the database; not where lanes have turns (turns.ts). */
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
