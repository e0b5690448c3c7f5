// Jobs that an operator cancels: whatever was done for them so far, the hold is released once, and the provider is asked to stop.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { inTransaction } from "../../src/db/connect.ts";
import { fileName } from "../../src/jobs/deliver.ts";
import { cancelJob } from "../../src/jobs/staff-jobs.ts";
import type { Media } from "../../src/media/types.ts";
import { newAccount } from "../ledger/new-account.ts";
import { sized } from "../support/size.ts";
import { engineWorld } from "./engine-world.ts";
import { mediaCatalog, type Models } from "./engine.ts";
import { entries, finish, lease, rowOf, statuses, submit } from "./job-rows.ts";

const world = engineWorld();
const { start, place } = world;
const image = (route: string, cost?: object): Models => ({ "test/picture": { kind: "image", routes: [route], ...(cost && { cost }) } });
const plain = "ember/flash-image";
const cancel = (id: string, models = image(plain)): ReturnType<typeof cancelJob> => {
  const catalog = mediaCatalog(world.simulator.url, models);
  return inTransaction(world.db, (transaction) => cancelJob(transaction, catalog, `job_${id.replaceAll("-", "")}`));
};
const done = (before: string, released = 1_000_000n) => ({ refused: null, before, released });
const cancelled = { status: "failed", error_code: "job_cancelled", charged: null, refunded: 1_000_000n, output: null, request: null };
const released = ["hold -1000000", "hold_release 1000000"];
const accepted = (id: string) => expect.poll(async () => (await rowOf(world.db, id))["upstream"], { interval: 10 }).not.toBeNull();
const asked = (method: string, part: string) =>
  world.simulator.calls().filter((call) => call.method === method && call.path.includes(part)).length;
const expenseOf = async (id: string) =>
  (await world.db.pool.query<{ expense: bigint | null }>("select expense from usage_log where id = $1", [id])).rows[0]!.expense;
const lateOf = async (id: string) => (await world.db.pool.query("select amount from media_expense where job_id = $1", [id])).rows;

describe("before a provider has it", () => {
  test("one that waits for a slot: it held nothing, so nothing is released; the next in the queue gets the slot of one that ran", async () => {
    const accountId = await newAccount(world.db, { deposit: 1_000n });
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.push((await submit(world.db, { accountId })).id);
    expect(await cancel(ids[2]!)).toEqual(done("queued", 0n));
    expect(await rowOf(world.db, ids[2]!)).toMatchObject({ ...cancelled, refunded: null });
    expect(await entries(world.db, ids[2]!)).toEqual([]);
    expect(await cancel(ids[0]!)).toEqual(done("pending", 100n));
    expect(await statuses(world.db, accountId)).toEqual(["failed", "pending", "failed", "pending", "queued"]);
    expect(await entries(world.db, ids[3]!)).toEqual(["hold -100"]);
    for (const id of [ids[1]!, ids[3]!, ids[4]!]) expect(await cancel(id)).toMatchObject({ refused: null });
  });

  test("one whose call is under way: the call is broken off, its route may have made it, and no other is asked", async () => {
    const asking = Promise.withResolvers<AbortSignal>();
    const images = {
      fal: ({ signal }: { signal: AbortSignal }) => {
        asking.resolve(signal);
        return new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
      },
    };
    const engine = await start(image(plain), {
      times: { renewMs: 60_000, leaseMs: 60_000 },
      parts: { providers: { images, videos: {}, queues: {} } },
    });
    const id = await place();
    const signal = await asking.promise;
    expect(await cancel(id, image(plain, { per_image: 0.004 }))).toEqual(done("processing"));
    await expect.poll(() => signal.aborted).toBe(true);
    expect(await rowOf(world.db, id)).toMatchObject({
      ...cancelled,
      late_at: null,
      attempts: [{ outcome: "gateway_error", cost: "400000" }],
    });
    expect(await expenseOf(id)).toBe(400_000n);
    expect(await entries(world.db, id)).toEqual(released);
    expect(engine.faults).toEqual([]);
  });
});

describe("while a provider works on it", () => {
  test("the provider is asked to stop, and is polled until it says that it has", async () => {
    const engine = await start(image(`${plain}+sim-job-hang`, { per_image: 0.004 }));
    const id = await place();
    await accepted(id);
    expect(await cancel(id, image(`${plain}+sim-job-hang`))).toEqual(done("processing"));
    expect(await rowOf(world.db, id)).toMatchObject(cancelled);
    await expect.poll(async () => (await rowOf(world.db, id))["late_at"]).toBeNull();
    expect(asked("PUT", "/cancel")).toBe(1);
    expect([await expenseOf(id), await lateOf(id)]).toEqual([0n, []]);
    expect(await entries(world.db, id)).toEqual(released);
    expect(engine.faults).toEqual([]);
  });

  test("also where the process that ran it is dead: another one asks", async () => {
    const route = `${plain}+sim-job-hang`;
    const first = await start(image(route));
    const id = await place();
    await accepted(id);
    await first.stop(0);
    await cancel(id, image(route));
    expect(asked("PUT", "/cancel")).toBe(0);
    await start(image(route));
    await expect.poll(() => asked("PUT", "/cancel")).toBe(1);
    await expect.poll(async () => (await rowOf(world.db, id))["late_at"]).toBeNull();
  });

  test("what it makes anyway is the operator's expense, once, and the customer's money stays released", async () => {
    const route = `${plain}+sim-slow-4000ms+sim-uncancellable`;
    await Promise.all([start(image(route, { per_image: 0.004 })), start(image(route, { per_image: 0.004 }))]);
    const id = await place();
    await accepted(id);
    await cancel(id);
    await expect.poll(() => lateOf(id)).toEqual([{ amount: 400_000n }]);
    await expect.poll(async () => (await rowOf(world.db, id))["late_at"]).toBeNull();
    expect([await expenseOf(id), await entries(world.db, id)]).toEqual([0n, released]);
  });

  test("what a runner has stored of it by then is removed again", async () => {
    const names = [0, 1].map((index) => fileName("s".repeat(32), index));
    const removed: string[] = [];
    const storing = Promise.withResolvers<void>();
    const keep: Media["keep"] = ({ name, signal }) => {
      if (name === names[0])
        return Promise.resolve({ name, contentType: "image/png", bytes: 1, width: 1, height: 1, seconds: null, fps: null });
      storing.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    };
    const store = { remove: (name: string) => Promise.resolve(void removed.push(name)) } as unknown as Media["store"];
    const engine = await start(image(plain), { times: { renewMs: 60_000, leaseMs: 60_000 }, parts: { media: { keep, store } } });
    const id = await place({ count: 2 });
    await storing.promise;
    await cancel(id);
    await expect.poll(() => removed).toEqual([names[0]]);
    expect(await rowOf(world.db, id)).toMatchObject(cancelled);
    expect(engine.faults).toEqual([]);
  });
});

test("one that has ended moves nothing: it answers how it ended, however often it is asked", async () => {
  const accountId = await newAccount(world.db, { deposit: 1_000n });
  const { id } = await submit(world.db, { accountId });
  await finish(world.db, id, await lease(world.db, id), { charged: 100n });
  const row = await rowOf(world.db, id);
  expect(await cancel(id)).toMatchObject({ refused: "succeeded" });
  expect(await rowOf(world.db, id)).toEqual(row);
  const { id: other } = await submit(world.db, { accountId });
  expect(await cancel(other)).toMatchObject({ refused: null });
  expect(await cancel(other)).toMatchObject({ refused: "failed" });
  expect(await entries(world.db, other)).toEqual(["hold -100", "hold_release 100"]);
  expect(await cancel("00000000-0000-7000-8000-000000000000")).toMatchObject({ refused: "unknown" });
});

test("cancelled while they are being made, several times each: either the end or one cancel wins, and the books are exact", async () => {
  const models = image(plain);
  // A machine that stands still for a second must not cost a job its lease: that would be another way to end.
  const times = { leaseMs: 30_000 };
  await Promise.all([start(models, { times }), start(models, { times })]);
  const count = sized(60, 24);
  const ids: string[] = [];
  const tries = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const id = await place();
      ids[n] = id;
      // The first is cancelled at once and the last after its end; the others in the middle of whatever is done for them.
      if (n === count - 1) await expect.poll(() => entries(world.db, id)).toHaveLength(3);
      else {
        if (n > 0) await accepted(id);
        await sleep(n * 10);
      }
      return Promise.all([cancel(id), cancel(id), cancel(id)]);
    }),
  );
  for (const [n, id] of ids.entries()) {
    await expect.poll(async () => (await rowOf(world.db, id))["completed_at"], { interval: 20 }).not.toBeNull();
    const { status, error_code } = await rowOf(world.db, id);
    const won = tries[n]!.filter(({ refused }) => refused === null).length;
    expect([won, status, error_code, await entries(world.db, id)]).toEqual(
      won === 1
        ? [1, "failed", "job_cancelled", released]
        : [0, "succeeded", null, ["hold -1000000", "hold_settle 1000000", "usage -1000000"]],
    );
    const { rowCount } = await world.db.pool.query("select 1 from usage_log where id = $1", [id]);
    expect(rowCount).toBe(1);
  }
});
