// Waiting for the end of a job, below HTTP: what wakes a waiter.
import { expect, test, vi } from "vitest";
import { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import { engineWorld } from "./engine-world.ts";
import type { Models } from "./engine.ts";
import { rowOf } from "./job-rows.ts";

const world = engineWorld();
const { start, place } = world;
const models: Models = { "test/picture": { kind: "image", routes: ["ember/flash-image"] } };
const never = new AbortController().signal;

test("is notified of it by another process, and still knows of an end just before", async () => {
  let isOver = false;
  const look = async () => {
    if (isOver) throw new UpstreamError("failed", "it failed");
    return { kind: "running" as const };
  };
  const images = {
    fal: async () => ({ kind: "accepted" as const, ticket: { id: "1", statusUrl: "", responseUrl: "", cancelUrl: null } }),
  };
  const parts = { providers: { images, videos: {}, queues: { fal: { look, cancel: async () => undefined } } } };
  await start(models, { parts });
  const id = await place();
  await expect.poll(async () => (await rowOf(world.db, id))["upstream"]).not.toBeNull();
  const { jobs } = await start(models, { parts });
  const shown = (await rowOf(world.db, id))["shown_id"] as string;
  // Before it would read the row by itself, after 5 s.
  const timer = setTimeout;
  const timers = vi
    .spyOn(globalThis, "setTimeout")
    .mockImplementation(((work: () => void, ms?: number, ...values: []) =>
      timer(work, ms === 5_000 ? 60_000 : ms, ...values)) as typeof setTimeout);
  const isEnded = jobs.ended(shown, 60_000, never);
  expect(timers).toHaveBeenLastCalledWith(expect.any(Function), 5_000);
  isOver = true;
  expect(await isEnded).toBe(true);
  expect((await rowOf(world.db, id))["status"]).toBe("failed");
  expect(await jobs.ended(shown, 60_000, never)).toBe(true);
  timers.mockRestore();
});

test("ends with its time and with its signal", async () => {
  const { jobs } = await start(models);
  expect(await jobs.ended("job_other", 20, never)).toBe(true);
  const leaving = new AbortController();
  const gone = jobs.ended("job_other", 60_000, leaving.signal);
  leaving.abort();
  expect(await gone).toBe(true);
});
