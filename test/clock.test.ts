// Silences, on a clock of the test's own.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lookEveryMs, onSilence } from "../src/clock.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  await vi.advanceTimersByTimeAsync(lookEveryMs); // the timer that all silences share ends at its next look
  vi.useRealTimers();
});

/** After how many milliseconds each silence was told. */
function watch(ms: number) {
  const told: number[] = [];
  const since = performance.now();
  return { told, ...onSilence(ms, () => told.push(performance.now() - since)) };
}

test("a silence is told when it has lasted, and again each time as long, at most one look late", async () => {
  await vi.advanceTimersByTimeAsync(30);
  const { told, stop } = watch(1_000);
  await vi.advanceTimersByTimeAsync(3_500);
  expect(told.length).toBe(3);
  told.forEach((at, turn) => {
    expect(at).toBeGreaterThanOrEqual(1_000 * (turn + 1));
    expect(at).toBeLessThanOrEqual(1_000 * (turn + 1) + lookEveryMs);
  });
  stop();
});

test("what is heard begins it anew, however often, also after a pause of the whole process", async () => {
  const { told, heard, stop } = watch(1_000);
  for (let turn = 0; turn < 5; turn += 1) {
    await vi.advanceTimersByTimeAsync(950);
    heard();
  }
  vi.setSystemTime(Date.now() + 60_000);
  await vi.advanceTimersByTimeAsync(500);
  expect(told).toEqual([]);
  stop();
});

test("a silence that was stopped is not told, others are; all share one timer, which ends after the last", async () => {
  const silences = Array.from({ length: 100 }, () => watch(1_000));
  expect(vi.getTimerCount()).toBe(1);
  for (const { stop } of silences.slice(1)) stop();
  await vi.advanceTimersByTimeAsync(1_500);
  expect(silences.map(({ told }) => told.length)).toEqual([1, ...Array.from({ length: 99 }, () => 0)]);
  silences[0]!.stop();
  await vi.advanceTimersByTimeAsync(lookEveryMs);
  expect(vi.getTimerCount()).toBe(0);
});

test("stopping others, and listening anew, while a silence is told disturbs none", async () => {
  const told: string[] = [];
  const second = onSilence(1_000, () => told.push("second"));
  let third = second;
  const first = onSilence(500, () => {
    told.push("first");
    second.stop();
    first.stop();
    third = onSilence(300, () => told.push("third"));
  });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(told).toEqual(["first", "third"]);
  third.stop();
});
