// A runner that was suspended while another one took its job: what the other one made stays, and is charged once.
import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import type { Db } from "../../src/db/connect.ts";
import type { JobsOptions, JobTimes } from "../../src/jobs/parts.ts";
import { openMedia } from "../../src/media/media.ts";
import { type KeepOrder, type Media, MediaFault } from "../../src/media/types.ts";
import { engineWorld } from "./engine-world.ts";
import { finish, rowOf } from "./job-rows.ts";

const world = engineWorld();
let media: Media;
beforeAll(async () => {
  const dataDir = mkdtempSync(join(inject("runFolder"), "svc-media-"));
  media = await openMedia({ dataDir, blobUrl: null, allowPrivateUrls: true }, { pausesMs: [1] });
});
afterAll(() => media.close());

const start = (keep: Media["keep"], parts: Partial<JobsOptions> = {}, times: Partial<JobTimes> = {}) =>
  world.start(
    { "test/picture": { kind: "image", routes: ["ember/flash-image"] } },
    { times, parts: { media: { keep, store: media.store }, ...parts } },
  );
const place = () => world.place({ estimated: 2_000_000n, count: 2 });

/** Stores the first file; the second one waits until the runner has to let go, or until it fails. */
function halfKept() {
  const first = Promise.withResolvers<string>();
  const fail = Promise.withResolvers<never>();
  let count = 0;
  const keep = async (order: KeepOrder) => {
    if (count++ === 0) {
      const kept = await media.keep(order);
      first.resolve(kept.name);
      return kept;
    }
    const aborted = new Promise<never>((_, reject) => {
      order.signal.addEventListener("abort", () => reject(order.signal.reason as Error), { once: true });
    });
    return await Promise.race([aborted, fail.promise]);
  };
  return { keep, first: first.promise, fail: () => fail.reject(new MediaFault("invalid", "It is no picture.")) };
}

/** Like another process that found the lease over, made everything and stored it under the same names. */
async function takeAndFinish(id: string): Promise<void> {
  const other = randomUUID();
  await world.db.pool.query("update media_job set lease_owner = $2, run_at = now() + interval '1 min' where id = $1", [id, other]);
  expect(await finish(world.db, id, other, { charged: 2_000_000n })).toBe(true);
}

test("a runner that lost its job while it stored files removes none of them: they are the other's, and paid", async () => {
  const { keep, first } = halfKept();
  const engine = await start(keep);
  const id = await place();
  const name = await first;
  await takeAndFinish(id);
  await engine.stop(0);
  expect(await media.store.size(name)).toBeGreaterThan(0);
  expect(await rowOf(world.db, id)).toMatchObject({ status: "succeeded", charged: 2_000_000n });
});

test("nor does one that fails before it knows", async () => {
  const { keep, first, fail } = halfKept();
  const engine = await start(keep);
  const id = await place();
  const name = await first;
  await takeAndFinish(id);
  fail();
  await engine.stop(5_000);
  expect(await media.store.size(name)).toBeGreaterThan(0);
});

test("a job that fails leaves no file behind", async () => {
  const { keep, first, fail } = halfKept();
  await start(keep);
  const id = await place();
  const name = await first;
  fail();
  await expect.poll(async () => (await rowOf(world.db, id))["status"]).toBe("failed");
  await expect.poll(() => media.store.size(name)).toBeNull();
});

test("a runner that was suspended after writing its intent does not ask: the job has failed meanwhile", async () => {
  let asked = 0;
  const images = { fal: () => (asked++, Promise.reject(new Error("nobody asks"))) };
  const id = await place();
  const query = async (sql: string, values: unknown[]) => {
    const result = await world.db.pool.query(sql, values);
    if (sql.includes("set status = 'processing'")) {
      await takeAndFinish(id);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500); // longer than the lease
    }
    return result;
  };
  const parts = { db: { ...world.db, pool: { query } as unknown as Db["pool"] }, providers: { images, videos: {}, queues: {} } };
  const engine = await start(media.keep, parts, { leaseMs: 1_000 });
  await expect.poll(async () => (await rowOf(world.db, id))["status"]).toBe("succeeded");
  await engine.stop(5_000);
  expect(asked).toBe(0);
});
