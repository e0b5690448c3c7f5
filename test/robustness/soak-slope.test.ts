// What the soak makes of figures over time: a rise is told from noise.
import { expect, test } from "vitest";
import { isFlat, slopeOf } from "../bench/soak-slope.ts";

const smallest = 16;
/** Bytes after so many calls: megabytes of noise that repeats, and so many bytes kept of each call. */
const points = (kept: number) =>
  Array.from({ length: 80 }, (_, at) => ({ x: at * 200, y: 60e6 + ((at * 7919) % 101) * 20_000 + kept * at * 200 }));

test("noise of 2 MB around a level heap is flat", () => {
  expect(isFlat(slopeOf(points(0)), smallest)).toBe(true);
});

test("200 bytes kept of each call are a rise, whatever the noise", () => {
  const slope = slopeOf(points(200));
  expect(slope.perUnit).toBeGreaterThan(100);
  expect(isFlat(slope, smallest)).toBe(false);
});

test("a heap that falls is flat", () => {
  expect(isFlat(slopeOf(points(-200)), smallest)).toBe(true);
});

test("neighbours that resemble each other make a slope less sure", () => {
  const waves = Array.from({ length: 80 }, (_, at) => ({ x: at, y: Math.sin(at / 12) }));
  const shuffled = waves.map(({ x }, at) => ({ x, y: waves[(at * 37) % 80]!.y }));
  expect(slopeOf(waves).error).toBeGreaterThan(2 * slopeOf(shuffled).error);
});
