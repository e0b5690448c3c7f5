import { describe, expect, test } from "vitest";
import { pauseBefore } from "../../src/db/batcher.ts";

describe("a batcher before its next statement", () => {
  test("rests as long as its last one took", () => {
    expect(pauseBefore({ startedAt: 1_000, endedAt: 1_003 }, true, 1_003)).toBeGreaterThanOrEqual(3);
    expect(pauseBefore({ startedAt: 1_000, endedAt: 1_003 }, true, 1_100)).toBeLessThan(0);
  });
  test("never waits long, however slow the database was", () => {
    expect(pauseBefore({ startedAt: 1_000, endedAt: 9_000 }, true, 9_000)).toBe(5);
  });
  test("does not rest where batchers have turns", () => {
    expect(pauseBefore({ startedAt: 1_000, endedAt: 1_050 }, false, 1_050)).toBeLessThanOrEqual(0);
  });
  test("begins at once", () => {
    expect(pauseBefore({ startedAt: 0, endedAt: 0 }, true, 1_000)).toBeLessThan(0);
  });
});
