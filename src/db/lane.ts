// A lane makes one database call out of all that queued while the last one ran (DATA.md 2, "natural batching").
// It knows nothing of money: what a batch does is its `work`.
import { isDatabaseAway } from "../away.ts";

interface Lane<Item, Result> {
  run(item: Item): Promise<Result>;
  /** Resolves when nothing is queued or under way. */
  drained(): Promise<void>;
}

interface LaneOptions<Item, Result> {
  /** One call for the whole batch; results in the batch's order. Must be idempotent: a broken connection repeats it. */
  work: (items: readonly Item[]) => Promise<readonly Result[]>;
  /** More waiting items than this are refused with LaneFull. */
  waitingMax: number;
  /** How long a batch is repeated while the database is away. */
  patienceMs: number;
}

export class LaneFull extends Error {}

/** Larger batches gain nothing (DATA.md 2) and hold their row locks longer. */
const batchMax = 500;
const firstPauseMs = 20;
const longestPauseMs = 1_000;

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

export function createLane<Item, Result>({ work, waitingMax, patienceMs }: LaneOptions<Item, Result>): Lane<Item, Result> {
  let waiting: Waiting<Item, Result>[] = [];
  let busy = false;
  const whenDrained: (() => void)[] = [];

  async function loop(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      await settleBatch(batch);
    }
    busy = false;
    for (const resolve of whenDrained.splice(0)) resolve();
  }

  async function settleBatch(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await patiently(() => work(batch.map(({ item }) => item)), patienceMs);
      batch.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (batch.length === 1 || isDatabaseAway(error)) for (const { reject } of batch) reject(error);
      // One bad item must not fail its neighbours.
      else for (const one of batch) await settleBatch([one]);
    }
  }

  return {
    run: (item) =>
      new Promise((resolve, reject) => {
        if (waiting.length >= waitingMax) return reject(new LaneFull());
        waiting.push({ item, resolve, reject });
        if (busy) return;
        busy = true;
        setImmediate(loop);
      }),
    drained: () => (busy ? new Promise((resolve) => whenDrained.push(resolve)) : Promise.resolve()),
  };
}

async function patiently<Result>(attempt: () => Promise<Result>, patienceMs: number): Promise<Result> {
  const giveUpAt = performance.now() + patienceMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() + pauseMs > giveUpAt) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
