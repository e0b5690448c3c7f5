// Videos that the simulator makes: what a player reads of them, and that they depend on nothing but the request.
import { afterEach, expect, test, vi } from "vitest";
import { videoFacts, makeVideo } from "../../src/simulator/made/mp4.ts";
import { readVideo } from "./image-check.ts";

afterEach(() => void vi.useRealTimers());

test.each([
  ["16:9", 8, 1280, 720],
  ["9:16", 5, 720, 1280],
  ["1:1", 2.5, 720, 720],
  ["16:9", 0, 1280, 720],
])("a video of %s and %d seconds is what it says of itself", async (aspect, seconds, width, height) => {
  const facts = videoFacts(aspect, seconds);
  expect(facts).toEqual({ width, height, seconds: Math.max(seconds, 1 / 24), fps: 24 });
  const { sizes, type, packetCount, ...read } = await readVideo(await makeVideo(aspect, seconds));
  expect(read).toMatchObject({ width, height, fps: 24 });
  expect(read.seconds).toBeCloseTo(facts.seconds, 6);
  expect(type).toMatch(/^video\/mp4; codecs="avc1\./);
  expect(sizes).toHaveLength(packetCount);
  expect(packetCount).toBe(Math.round(facts.seconds * 24));
});

test("the same video a year later is the same bytes", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01") });
  const first = await makeVideo("16:9", 1);
  vi.setSystemTime(new Date("2027-01-01"));
  expect((await makeVideo("16:9", 1)).equals(first)).toBe(true);
});
