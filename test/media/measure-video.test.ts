// Videos with a broken index: reading may fail or loop, and neither may block the gateway.
import { readdirSync, readlinkSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { measureVideo } from "../../src/media/measure-video.ts";
import { fixturePath } from "./file-server.ts";

afterEach(() => vi.useRealTimers());

test("an index without end is given up, while everything else goes on", async () => {
  let turns = 0;
  const ticking = setInterval(() => (turns += 1), 10);
  expect(await measureVideo(fixturePath("clip-endless.mp4"), 1_000)).toBeNull();
  clearInterval(ticking);
  expect(turns).toBeGreaterThan(10);
  expect(
    readdirSync("/proc/self/fd")
      .map(target)
      .filter((path) => path.includes("clip-endless")),
  ).toEqual([]);
});

test("a thread that gets no core for minutes still measures", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
  const measuring = measureVideo(fixturePath("clip.mp4"));
  vi.advanceTimersByTime(600_000);
  expect(await measuring).toEqual({ width: 320, height: 180, seconds: 1.5, fps: 24 });
});

test("a file that is not a video is an error", async () => {
  await expect(measureVideo(fixturePath("picture.png"))).rejects.toThrow();
});

test("many at once are measured", async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => measureVideo(fixturePath("clip.mp4"))));
  expect(all).toEqual(Array.from({ length: 8 }, () => ({ width: 320, height: 180, seconds: 1.5, fps: 24 })));
});

function target(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
