// Bounded parallel work: results in order, and one failure ends the rest.
import { describe, expect, test } from "vitest";
import { sideBySide } from "../../src/language/decisions/request-adapter.ts";

const items = Array.from({ length: 50 }, (_, at) => at);
const never = new AbortController().signal;

const atMost = (atOnce: number, signal: AbortSignal, stops = () => false) => ({ atOnce, signal, stops });

describe("side by side", () => {
  test("results stand in the items' order, whichever ended first; no more run at once than may", async () => {
    let running = 0;
    let most = 0;
    const results = await sideBySide(items, atMost(7, never), async (item) => {
      most = Math.max(most, ++running);
      for (let turn = 0; turn < (item * 7) % 5; turn++) await Promise.resolve();
      running -= 1;
      return item * 2;
    });
    expect(results).toEqual(items.map((item) => item * 2));
    expect(most).toBe(7);
  });

  test("the first failure cancels what runs, begins nothing more, and is what is thrown once all has ended", async () => {
    const begun: number[] = [];
    let ended = 0;
    const work = (item: number, signal: AbortSignal) => {
      begun.push(item);
      if (item === 2) return Promise.reject(new Error("broken"));
      return new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => {
          ended += 1;
          reject(new Error("cancelled"));
        }),
      );
    };
    await expect(sideBySide(items, atMost(4, never), work)).rejects.toThrow("broken");
    expect(begun).toEqual([0, 1, 2, 3]);
    expect(ended).toBe(3);
  });

  test("the caller's signal reaches all of it, and its reason is what is thrown", async () => {
    const leaving = new AbortController();
    const work = (_: number, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const all = sideBySide(items, atMost(4, leaving.signal), work);
    leaving.abort(new Error("left"));
    await expect(all).rejects.toThrow("left");
  });

  test("once it is to stop nothing further begins, and what began gives its results", async () => {
    let stops = false;
    const begun: number[] = [];
    const work = async (item: number) => {
      begun.push(item);
      stops ||= item === 5;
      await Promise.resolve();
      return item * 2;
    };
    expect(
      await sideBySide(
        items,
        atMost(4, never, () => stops),
        work,
      ),
    ).toEqual(begun.map((item) => item * 2));
    expect(begun.length).toBeGreaterThanOrEqual(6);
    expect(begun.length).toBeLessThan(items.length);
    stops = true;
    expect(
      await sideBySide(
        [1, 2],
        atMost(1, never, () => true),
        work,
      ),
    ).toEqual([2]); // the first is asked: nothing was sent before it
  });

  test("nothing to do is done", async () => {
    expect(await sideBySide([], atMost(4, never), () => Promise.reject(new Error()))).toEqual([]);
  });
});
