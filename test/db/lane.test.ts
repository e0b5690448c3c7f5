// The lane's own promises, without a database: order, batching, neighbours, bounds.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createLane, LaneFull } from "../../src/db/lane.ts";

const options = { waitingMax: 1_000, patienceMs: 2_000 };

describe("a lane", () => {
  test("gives each caller its own result, whatever the batches were", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer(), { maxLength: 1_200 }), async (numbers) => {
        const lane = createLane<number, number>({ ...options, waitingMax: 2_000, work: async (items) => items.map((n) => n * 2) });
        expect(await Promise.all(numbers.map((n) => lane.run(n)))).toEqual(numbers.map((n) => n * 2));
      }),
      { numRuns: 20 },
    );
  });

  test("one call is under way at a time, and what queued meanwhile is the next batch", async () => {
    const batches: number[] = [];
    let under = 0;
    const lane = createLane<number, number>({
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
    await Promise.all(Array.from({ length: 700 }, (_, n) => lane.run(n)));
    expect(batches).toEqual([500, 200]);
  });

  test("one bad item does not fail its neighbours", async () => {
    const lane = createLane<number, number>({
      ...options,
      async work(items) {
        if (items.includes(13)) throw new Error("unlucky");
        return items;
      },
    });
    const results = await Promise.allSettled([11, 12, 13, 14].map((n) => lane.run(n)));
    expect(results.map((result) => result.status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
  });

  test("a broken connection repeats the same batch", async () => {
    const seen: number[][] = [];
    const lane = createLane<number, number>({
      ...options,
      async work(items) {
        seen.push([...items]);
        if (seen.length < 3) throw Object.assign(new Error("gone"), { code: "57P01" });
        return items;
      },
    });
    expect(await Promise.all([lane.run(1), lane.run(2)])).toEqual([1, 2]);
    expect(seen).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
  });

  test("refuses what would wait too long instead of queueing without bound", async () => {
    const lane = createLane<number, number>({ waitingMax: 2, patienceMs: 0, work: async (items) => items });
    const results = await Promise.allSettled([1, 2, 3].map((n) => lane.run(n)));
    expect(results[2]).toMatchObject({ status: "rejected", reason: expect.any(LaneFull) as LaneFull });
  });

  test("drained resolves only when nothing is under way", async () => {
    let done = false;
    const lane = createLane<number, number>({
      ...options,
      async work(items) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        done = true;
        return items;
      },
    });
    void lane.run(1);
    await lane.drained();
    expect(done).toBe(true);
  });
});
