// The window's arithmetic, by its own laws: what a wait promises holds to the millisecond, and nothing is forgotten or doubled at an edge.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { durationText, laterCount, minuteMs, resetMs, usedOf, waitMs, type WindowCount } from "../../src/limits/window.ts";

const start = 1_790_000_040_000; // a minute's
const count = fc.record({
  atMs: fc.integer({ min: start, max: start + minuteMs - 1 }),
  lengthMs: fc.constant(minuteMs),
  current: fc.integer({ min: 0, max: 500 }),
  previous: fc.integer({ min: 0, max: 500 }),
});
const at = (offsetMs: number, current: number, previous: number): WindowCount => ({
  atMs: start + offsetMs,
  lengthMs: minuteMs,
  current,
  previous,
});

describe("used", () => {
  test.each([
    [0, 0, 30, 30],
    [1, 0, 30, 30],
    [2_000, 0, 30, 29],
    [30_000, 4, 30, 19],
    [59_999, 4, 30, 5],
    [0, 0, 0, 0],
  ])("%i ms into the minute, %i in it and %i in the last one: %i", (offset, current, previous, used) => {
    expect(usedOf(at(offset, current, previous))).toBe(used);
  });

  test("never grows by itself, and is whole at every edge", () => {
    fc.assert(
      fc.property(count, fc.nat(3 * minuteMs), (one, later) => {
        expect(usedOf(laterCount(one, one.atMs + later))).toBeLessThanOrEqual(usedOf(one));
        expect(usedOf(laterCount(one, start + minuteMs))).toBe(one.current);
      }),
    );
  });
});

describe("the wait", () => {
  test("is exactly when the same request would pass", () => {
    fc.assert(
      fc.property(count, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 50, max: 600 }), (one, amount, limit) => {
        const wait = waitMs(one, amount, limit);
        const fits = (ms: number) => usedOf(laterCount(one, one.atMs + ms)) + amount <= limit;
        expect(fits(wait)).toBe(true);
        if (wait > 0) expect(fits(wait - 1)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  test("has no end where the request alone is above the limit", () => {
    expect(waitMs(at(0, 0, 0), 2, 1)).toBe(Infinity);
  });
});

test("the reset is exactly when nothing is used any more", () => {
  fc.assert(
    fc.property(count, (one) => {
      const reset = resetMs(one);
      expect(usedOf(laterCount(one, one.atMs + reset))).toBe(0);
      if (reset > 0) expect(usedOf(laterCount(one, one.atMs + reset - 1))).toBeGreaterThan(0);
    }),
  );
});

test.each([
  [0, "0s"],
  [1, "1s"],
  [37_000, "37s"],
  [60_000, "1m0s"],
  [71_001, "1m12s"],
])("%i ms are %s", (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
