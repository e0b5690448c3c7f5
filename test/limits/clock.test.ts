// A clock that is set back blocks no caller: what this process decides alone goes by elapsed time.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { boundReads, createLocalCounter } from "../../src/limits/limits.ts";
import type { Decision } from "../../src/limits/counters.ts";
import { minuteMs } from "../../src/limits/window.ts";

const hourMs = 60 * minuteMs;
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "Date"] }));
afterEach(() => void vi.useRealTimers());

const setBack = () => vi.setSystemTime(Date.now() - hourMs);

test("the ceiling of a process", () => {
  const ceiling = createLocalCounter({ countRefused: true });
  const passed = () => Array.from({ length: 10 }, () => ceiling.count("a", 5)).filter(({ within }) => within).length;
  expect(passed()).toBe(5);
  setBack();
  vi.advanceTimersByTime(2 * minuteMs);
  expect(passed()).toBe(5);
});

test("a bound that was exhausted", async () => {
  const refused: Decision = { refused: 0, first: { atMs: 0, lengthMs: minuteMs, current: 5, previous: 0 }, waitMs: 30_000 };
  const decisions = [refused, { ...refused, refused: null }];
  const bounds = boundReads({ take: async () => decisions.shift()! });
  const ask = () => bounds.assertWithin({ accountId: 1n, bucket: "reads" }, 5);
  await expect(ask()).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  setBack();
  vi.advanceTimersByTime(29_000);
  await expect(ask()).rejects.toMatchObject({ code: "rate_limit_exceeded" });
  vi.advanceTimersByTime(1_001);
  await expect(ask()).resolves.toBeUndefined();
});
