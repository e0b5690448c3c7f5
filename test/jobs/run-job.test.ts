// One job from its claim to its end: which routes are asked, what is charged, what a crash leaves to the next runner.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fileName } from "../../src/jobs/deliver.ts";
import type { JobOutput } from "../../src/jobs/types.ts";
import { MediaFault } from "../../src/media/types.ts";
import { UpstreamError } from "../../src/providers/errors/upstream-error.ts";
import { engineWorld } from "./engine-world.ts";
import type { Engine, Models } from "./engine.ts";
import { entries, rowOf } from "./job-rows.ts";

const world = engineWorld();
const { start, place } = world;
const image = (...routes: string[]): Models => ({ "test/picture": { kind: "image", routes } });
const video = (...routes: string[]): Models => ({ "test/picture": { kind: "video", routes } });
const held = 1_000_000n; // 0.01 USD

async function ended(id: string): Promise<Record<string, unknown>> {
  await expect.poll(async () => (await rowOf(world.db, id))["completed_at"], { interval: 20 }).not.toBeNull();
  return rowOf(world.db, id);
}

const sent = (method: string, part: string) =>
  world.simulator.calls().filter((call) => call.method === method && call.path.includes(part)).length;
const submits = () => world.simulator.calls().filter((call) => call.method === "POST").length;

describe("made", () => {
  test("an image is stored under our name, measured, and charged by its prices", async () => {
    const engine = await start(image("ember/flash-image"));
    const id = await place();
    const row = await ended(id);
    expect(row).toMatchObject({ status: "succeeded", charged: held, refunded: null, route: "queue/ember/flash-image" });
    const { files } = row["output"] as JobOutput;
    expect(files).toEqual([{ name: expect.stringMatching(/^[0-9a-f]{64}\.png$/), content_type: "image/png", width: 1000, height: 1000 }]);
    expect(await engine.media.store.size(files[0]!.name)).toBeGreaterThan(0);
    expect(await entries(world.db, id)).toEqual(["hold -1000000", "hold_settle 1000000", "usage -1000000"]);
    expect(row["attempts"]).toEqual([
      {
        ...{ route: "queue/ember/flash-image", model: "test/picture", outcome: "ok", status: 200, layer: 0 },
        ...{ latency_ms: expect.any(Number), response_id: expect.stringMatching(/^[\da-f-]{36}$/) },
      },
    ]);
    expect(engine.faults).toEqual([]);
  });

  test("fewer images than asked for: only those are charged", async () => {
    await start(image("ember/flash-image+sim-images-2"));
    const row = await ended(await place({ count: 4, estimated: 4n * held }));
    expect(row).toMatchObject({ status: "succeeded", charged: 2n * held, refunded: 2n * held });
  });

  test("more than asked for: only those asked for are shown, and at most the hold is charged", async () => {
    await start(image("ember/flash-image+sim-images-4"));
    const row = await ended(await place({ count: 1, estimated: held / 2n }));
    expect(row).toMatchObject({ status: "succeeded", charged: held / 2n, refunded: null });
    expect((row["output"] as JobOutput).files).toHaveLength(1);
  });

  test("a video is charged by the length that its provider reports", async () => {
    await start(video("ember/clip-video+sim-seconds-3"));
    const row = await ended(await place({ kind: "video", estimated: 1_000_000n * 10n, api: "video" }));
    expect(row).toMatchObject({ status: "succeeded", charged: 600_000n });
    expect((row["output"] as JobOutput).files[0]).toMatchObject({ content_type: "video/mp4", duration_s: 3 });
  });

  test("an unreadable poll is repeated, and three in a row fail the job", async () => {
    const models = image("ember/flash-image");
    let looks = 0;
    const look = async () => {
      looks += 1;
      if (looks !== 3) throw new UpstreamError("unreadable", "it is no answer");
      return { kind: "running" as const };
    };
    const ticket = { id: "1", statusUrl: "", responseUrl: "", cancelUrl: null };
    const images = { fal: async () => ({ kind: "accepted" as const, ticket }) };
    await start(models, { parts: { providers: { images, videos: {}, queues: { fal: { look, cancel: async () => undefined } } } } });
    const row = await ended(await place());
    expect(row).toMatchObject({ status: "failed", error_code: "provider_error", refunded: held });
    expect(looks).toBe(6);
  });

  test("failed polls are repeated", async () => {
    await start(image("ember/flash-image+sim-status-flaky-3+sim-result-flaky-2"));
    expect(await ended(await place())).toMatchObject({ status: "succeeded" });
    expect(submits()).toBe(1);
  });
});

describe("routes", () => {
  test("after a route that is down the next one is tried; both are on record", async () => {
    await start(image("ember/a-image+sim-fail-503", "ember/b-image"));
    const row = await ended(await place());
    expect(row).toMatchObject({ status: "succeeded", route: "queue/ember/b-image" });
    expect((row["attempts"] as { outcome: string }[]).map(({ outcome }) => outcome)).toEqual(["unavailable", "ok"]);
    const { rows: logged } = await world.db.pool.query("select fallback_layer from usage_log where id = $1", [row["id"]]);
    expect(logged).toEqual([{ fallback_layer: 1 }]);
  });

  test("a request that a route rejects goes to no other", async () => {
    await start(image("ember/a-image+sim-reject-422", "ember/b-image"));
    expect(await ended(await place())).toMatchObject({ status: "failed", error_code: "input_invalid", charged: null, refunded: held });
    expect(submits()).toBe(1);
  });

  test("once accepted, a failure ends the job", async () => {
    await start(image("ember/a-image+sim-job-internal_server_error", "ember/b-image"));
    const row = await ended(await place());
    expect(row).toMatchObject({ status: "failed", error_code: "provider_error", refunded: held });
    expect(submits()).toBe(1);
  });

  test.each([
    ["sim-fail-503", "provider_unavailable"],
    ["sim-429", "provider_rate_limited"],
    ["sim-401", "provider_unavailable"],
    ["sim-refuse", "content_policy"],
    ["sim-hang", "provider_timeout"],
    ["sim-policy-nsfw", "content_policy_nsfw"],
    ["sim-file-fail-404", "provider_error"],
  ])("%s: failed with %s, the hold is released, and no message names the provider", async (directive, code) => {
    await start(image(`ember/secretive-image+${directive}`));
    const id = await place({ count: 2, estimated: 2n * held });
    const row = await ended(id);
    expect(row).toMatchObject({ status: "failed", error_code: code, charged: null, refunded: 2n * held, output: null });
    expect(row["error_message"]).not.toMatch(/ember|secretive|127\.0\.0\.1|queue|http/);
    expect(await entries(world.db, id)).toEqual(["hold -2000000", "hold_release 2000000"]);
  });
});

test("one file of several that can't be stored fails the job, and none is left in the store", async () => {
  const engine = await start(image("ember/flash-image+sim-file-flaky-1"), {
    parts: {
      media: {
        keep: ({ name }) =>
          name === fileName("s".repeat(32), 1) ? Promise.reject(new MediaFault("unreachable", "Gone.")) : Promise.resolve(keptFile(name)),
        store: { remove: (name: string) => Promise.resolve(void removed.push(name)) } as unknown as Engine["media"]["store"],
      },
    },
  });
  const removed: string[] = [];
  const keptFile = (name: string) => ({ name, contentType: "image/png", bytes: 1, width: 1, height: 1, seconds: null, fps: null });
  const id = await place({ count: 3, estimated: 3n * held });
  expect(await ended(id)).toMatchObject({ status: "failed", error_code: "provider_error", error_message: "Gone.", refunded: 3n * held });
  await expect.poll(() => [...removed].sort()).toEqual([fileName("s".repeat(32), 0), fileName("s".repeat(32), 2)].sort());
  expect(engine.faults).toEqual([]);
});

describe("too late", () => {
  test("work that hangs is cancelled upstream at the deadline, and the job has failed with timeout", async () => {
    await start(image("ember/flash-image+sim-job-hang"), { times: { deadlineMs: { image: 1_500, video: 1_500 } } });
    const id = await place();
    expect(await ended(id)).toMatchObject({ status: "failed", error_code: "timeout", refunded: held });
    expect(sent("PUT", "/cancel")).toBe(1);
    await expect.poll(async () => (await rowOf(world.db, id))["late_at"]).toBeNull(); // cancelled: no more polls
    expect((await world.db.pool.query("select 1 from media_expense where job_id = $1", [id])).rowCount).toBe(0);
  });

  test("what an upstream makes after that is written down as the operator's expense, once", async () => {
    const models = image("ember/flash-image+sim-slow-3500ms+sim-uncancellable");
    const times = { deadlineMs: { image: 1_500, video: 1_500 } };
    await Promise.all([start(models, { times }), start(models, { times })]);
    const id = await place();
    expect(await ended(id)).toMatchObject({ status: "failed", error_code: "timeout", refunded: held });
    const expense = async () => (await world.db.pool.query("select amount, route from media_expense where job_id = $1", [id])).rows;
    await expect.poll(expense).toEqual([{ amount: held, route: "queue/ember/flash-image+sim-slow-3500ms+sim-uncancellable" }]);
    await expect.poll(async () => (await rowOf(world.db, id))["late_at"]).toBeNull();
    expect(await entries(world.db, id)).toEqual(["hold -1000000", "hold_release 1000000"]);
  });
});

describe("what it costs the operator", () => {
  const costly = (kind: "image" | "video", route: string, cost: object): Models => ({ "test/picture": { kind, routes: [route], cost } });
  const expenseOf = async (id: string) =>
    (await world.db.pool.query<{ expense: bigint }>("select expense from usage_log where id = $1", [id])).rows[0]!.expense;

  test("fewer images than asked for cost as many as there are", async () => {
    await start(costly("image", "ember/flash-image+sim-images-2", { per_image: 0.004, per_request: 0.001 }));
    const id = await place({ count: 4, estimated: 4n * held });
    await ended(id);
    expect(await expenseOf(id)).toBe(900_000n);
  });

  test("what an upstream makes too late costs what its route says, and the job itself nothing", async () => {
    const route = "ember/clip-video+sim-slow-3500ms+sim-uncancellable+sim-seconds-3";
    await start(costly("video", route, { per_second: 0.01 }), { times: { deadlineMs: { image: 1_500, video: 1_500 } } });
    const id = await place({ kind: "video", api: "video", estimated: 10_000_000n });
    expect(await ended(id)).toMatchObject({ status: "failed", error_code: "timeout" });
    expect(await expenseOf(id)).toBe(0n);
    const late = async () => (await world.db.pool.query("select amount from media_expense where job_id = $1", [id])).rows;
    await expect.poll(late, { interval: 50 }).toEqual([{ amount: 3_000_000n }]);
  });

  test("a route that was asked by a process that died may have made it all", async () => {
    const id = await place();
    const { pool } = world.db;
    const asked = "update media_job set status = 'processing', intent_at = now(), route = 'queue/ember/flash-image' where id = $1";
    await pool.query(asked, [id]);
    await start(costly("image", "ember/flash-image", { per_image: 0.004 }));
    expect(await ended(id)).toMatchObject({ status: "failed", attempts: [{ outcome: "gateway_error", cost: "400000" }] });
    expect(await expenseOf(id)).toBe(400_000n);
  });
});

describe("taken up again", () => {
  test("asked, with an unknown outcome: failed with provider_error, and never asked again", async () => {
    const id = await place();
    await world.db.pool.query(
      "update media_job set status = 'processing', intent_at = now(), route = 'queue/ember/flash-image' where id = $1",
      [id],
    );
    await start(image("ember/flash-image"));
    expect(await ended(id)).toMatchObject({ status: "failed", error_code: "provider_error", refunded: held });
    expect(submits()).toBe(0);
  });

  test("a process that stops hands over accepted work at once; another one continues it, and nothing is asked twice", async () => {
    const models = image("ember/flash-image+sim-slow-1500ms");
    const first = await start(models);
    const id = await place();
    await expect.poll(async () => (await rowOf(world.db, id))["upstream"]).not.toBeNull();
    await first.stop(60_000);
    expect(await rowOf(world.db, id)).toMatchObject({ status: "processing", lease_owner: null });
    await start(models);
    expect(await ended(id)).toMatchObject({ status: "succeeded", charged: held });
    expect(submits()).toBe(1);
  });

  test("a process that stops waits for a call under way", async () => {
    const models = image("ember/flash-image+sim-slow-1500ms");
    const ask = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const images = {
      fal: async () => {
        asked.resolve();
        await ask.promise;
        return { kind: "accepted" as const, ticket: { id: "1", statusUrl: "", responseUrl: "", cancelUrl: null } };
      },
    };
    const first = await start(models, {
      parts: {
        providers: { images, videos: {}, queues: { fal: { look: async () => ({ kind: "waiting" }), cancel: async () => undefined } } },
      },
    });
    const id = await place();
    await asked.promise;
    const stopping = first.stop(10_000);
    ask.resolve();
    await stopping;
    expect(await rowOf(world.db, id)).toMatchObject({ status: "processing", lease_owner: null, upstream: { id: "1" } });
    await world.db.pool.query("update media_job set started_at = now() - interval '31 min' where id = $1", [id]);
    await start(models);
    expect(await ended(id)).toMatchObject({ status: "expired" });
  });

  test("a runner whose lease another one took writes nothing more", async () => {
    await start(image("ember/flash-image+sim-slow-2000ms"));
    const id = await place();
    await expect.poll(async () => (await rowOf(world.db, id))["upstream"]).not.toBeNull();
    const other = randomUUID();
    await world.db.pool.query("update media_job set lease_owner = $2, run_at = now() + interval '1 min' where id = $1", [id, other]);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await rowOf(world.db, id)).toMatchObject({ status: "processing", lease_owner: other, output: null });
    await world.db.pool.query("update media_job set run_at = now() where id = $1", [id]);
    expect(await ended(id)).toMatchObject({ status: "succeeded" });
    expect(submits()).toBe(1);
  });
});
