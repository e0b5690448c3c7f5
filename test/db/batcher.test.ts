// The batcher's own promises, without a database: order, batching, neighbours, bounds.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createBatcher, FailedFor, BatcherFull } from "../../src/db/batcher.ts";

const options = { waitingMax: 1_000, timeoutMs: 2_000 };

describe("a batcher", () => {
  test("gives each caller its own result, whatever the batches were", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer(), { maxLength: 1_200 }), async (numbers) => {
        const batcher = createBatcher<number, number>({ ...options, waitingMax: 2_000, work: async (items) => items.map((n) => n * 2) });
        expect(await Promise.all(numbers.map((n) => batcher.run(n)))).toEqual(numbers.map((n) => n * 2));
      }),
      { numRuns: 20 },
    );
  });

  test("one call is under way at a time, and what queued meanwhile is the next batch", async () => {
    const batches: number[] = [];
    let under = 0;
    const batcher = createBatcher<number, number>({
      ...options,
      async work(items) {
        under += 1;
        expect(under).toBe(1);
        batches.push(items.length);
        await new Promise((resolve) => setTimeout(resolve, 5));
        under -= 1;
        return items;
      },
    });
    await Promise.all(Array.from({ length: 700 }, (_, n) => batcher.run(n)));
    expect(batches).toEqual([500, 200]);
  });

  test("one bad item does not fail its neighbours", async () => {
    const batcher = createBatcher<number, number>({
      ...options,
      async work(items) {
        if (items.includes(13)) throw new Error("unlucky");
        return items;
      },
    });
    const results = await Promise.allSettled([11, 12, 13, 14].map((n) => batcher.run(n)));
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });

  test("a broken connection repeats the same batch", async () => {
    const seen: number[][] = [];
    const batcher = createBatcher<number, number>({
      ...options,
      async work(items) {
        seen.push([...items]);
        if (seen.length < 3) throw Object.assign(new Error("gone"), { code: "57P01" });
        return items;
      },
    });
    expect(await Promise.all([batcher.run(1), batcher.run(2)])).toEqual([1, 2]);
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  test("one bad item of 500 costs about 2 log n calls, not 500", async () => {
    let calls = 0;
    const batcher = createBatcher<number, number>({
      ...options,
      async work(items) {
        calls += 1;
        if (items.includes(313)) throw new Error("unlucky");
        return items;
      },
    });
    const results = await Promise.allSettled(Array.from({ length: 500 }, (_, n) => batcher.run(n)));
    expect(results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([313]);
    expect(calls).toBeLessThanOrEqual(1 + 2 * 9);
  });

  test("work that names those at fault fails them alone, in two calls", async () => {
    let calls = 0;
    const batcher = createBatcher<{ n: number }, number>({
      ...options,
      async work(items) {
        calls += 1;
        const odd = items.filter(({ n }) => n % 2 === 1);
        if (odd.length > 0) throw new FailedFor(new Set(odd), new Error("odd"));
        return items.map(({ n }) => n);
      },
    });
    const results = await Promise.allSettled(Array.from({ length: 100 }, (_, n) => batcher.run({ n })));
    expect(results.filter(({ status }) => status === "rejected")).toHaveLength(50);
    expect(results[1]).toMatchObject({ reason: { message: "odd" } });
    expect(calls).toBe(2);
  });

  test.each(["from the first call on", "once a bad item has split the batch"])(
    "while the database is unavailable no caller waits for another's timeout, however many wait (%s)",
    async (since) => {
      let calls = since.startsWith("once") ? 0 : 1;
      const batcher = createBatcher<number, number>({
        waitingMax: 20_000,
        timeoutMs: 300,
        async work() {
          throw calls++ === 0 ? new Error("unlucky") : Object.assign(new Error("away"), { code: "ECONNREFUSED" });
        },
      });
      const ended = await Promise.allSettled(Array.from({ length: 3_000 }, () => batcher.run(0)));
      expect(ended.every(({ status }) => status === "rejected")).toBe(true);
      // The first batch tries for 300 ms, with pauses of 20 ms and more; the five behind it have waited as long.
      expect(calls).toBeLessThan(20); // each batch by itself would make 5
    },
  );

  test("what waited long for a database that answers is asked for anyway", async () => {
    const batcher = createBatcher<number, number>({
      waitingMax: 2_000,
      timeoutMs: 10,
      async work(items) {
        await new Promise((resolve) => setTimeout(resolve, 20));
        return items;
      },
    });
    expect(await Promise.all(Array.from({ length: 1_500 }, (_, n) => batcher.run(n)))).toHaveLength(1_500);
  });

  test("refuses what would wait too long instead of queueing without bound", async () => {
    const batcher = createBatcher<number, number>({ waitingMax: 2, timeoutMs: 0, work: async (items) => items });
    const results = await Promise.allSettled([1, 2, 3].map((n) => batcher.run(n)));
    expect(results[2]).toMatchObject({ status: "rejected", reason: expect.any(BatcherFull) as BatcherFull });
  });

  test("drained resolves only when nothing is under way", async () => {
    let done = false;
    const batcher = createBatcher<number, number>({
      ...options,
      async work(items) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        done = true;
        return items;
      },
    });
    void batcher.run(1);
    await batcher.drained();
    expect(done).toBe(true);
  });
});
