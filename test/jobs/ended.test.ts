// Waiting for the end of a job, below HTTP: what wakes a waiter.
import { expect, test, vi } from "vitest";
import { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import { engineWorld } from "./engine-world.ts";
import type { Models } from "./engine.ts";
import { finish, lease, rowOf } from "./job-rows.ts";

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
  const { jobs } = await start(models, { parts, times: { endsMs: 600_000 } }); // it doesn't look by itself
  const shown = (await rowOf(world.db, id))["shown_id"] as string;
  const isEnded = jobs.ended(shown, 60_000, never);
  isOver = true;
  expect(await isEnded).toBe(true);
  expect((await rowOf(world.db, id))["status"]).toBe("failed");
  expect(await jobs.ended(shown, 60_000, never)).toBe(true);
});

test("is made up for where its notification was lost: one statement looks for all jobs that are waited for", async () => {
  const ids = await Promise.all([place(), place(), place()]);
  const owners = await Promise.all(ids.map((id) => lease(world.db, id)));
  const { jobs } = await start(models);
  const shown = await Promise.all(ids.map(async (id) => (await rowOf(world.db, id))["shown_id"] as string));
  const asked = vi.spyOn(world.db.pool, "query");
  const ended = Array.from({ length: 30 }, (_, at) => jobs.ended(shown[at % 3]!, 60_000, never));
  const looks = () =>
    asked.mock.calls.filter(([text]) => String(text).includes("completed_at is not null")) as unknown as [string, [string[]]][];
  await expect.poll(looks).not.toEqual([]);
  expect(looks()[0]![1][0].toSorted()).toEqual(ids.toSorted());
  await Promise.all(ids.map((id, at) => finish(world.db, id, owners[at]!, { charged: 1_000_000n }))); // which notifies nobody
  expect(await Promise.all(ended)).toEqual(Array.from({ length: 30 }, () => true));
  asked.mockRestore();
});

test("ends with its time and with its signal", async () => {
  const { jobs } = await start(models);
  expect(await jobs.ended("job_other", 20, never)).toBe(true);
  const leaving = new AbortController();
  const gone = jobs.ended("job_other", 60_000, leaving.signal);
  leaving.abort();
  expect(await gone).toBe(true);
});
