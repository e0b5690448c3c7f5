// POST /v1/genmedia/run against the simulator's queue: jobs that end in time, the hint for those that don't, and callers who disconnect.
import { describe, expect, test } from "vitest";
import { countWaiters } from "../../support/count-waiters.ts";
import { eventually } from "../../support/eventually.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, endJobsOf, newJob } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

const model = (id: string, type: "image" | "video", upstream: string, more: object = {}) => ({
  ...{ id, type, routes: [{ provider: "queue", model: upstream }] },
  pricing: type === "image" ? { mode: "per-image", usd_per_image: 0.04 } : { mode: "per-second", usd_per_second: 0.1 },
  ...(type === "image" ? {} : { durations: [5, 10], default_duration_s: 5 }),
  ...more,
});
const world = chatWorld(
  [
    model("demo/image", "image", "ember/flash-image"),
    model("demo/slow", "image", "ember/flash-image+sim-slow-700ms"),
    model("demo/slower", "image", "ember/flash-image+sim-slow-4000ms"),
    model("demo/never", "image", "ember/flash-image+sim-job-hang"),
    model("demo/refusing", "image", "ember/flash-image+sim-policy-likeness"),
    model("demo/video", "video", "ember/video"),
  ],
  {
    providers: [provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    aliases: { picture: "demo/image" },
    tiers: highTiers({ image_concurrent: 2 }),
  },
  { jobs: { lookMs: { first: 10, last: 50 }, runWaitMs: 90_000 } },
);

const run = (account: TestAccount, body: object, more: { headers?: Record<string, string>; signal?: AbortSignal } = {}) =>
  world.gateway.request("POST", "/v1/genmedia/run", { key: account.key, body, ...more });
const read = async (account: TestAccount, id: string) =>
  (await world.gateway.request("GET", `/v1/genmedia/jobs/${id}`, { key: account.key })).json;
const jobsOf = async ({ accountId }: TestAccount) =>
  (await world.gateway.context.db.pool.query("select * from media_job where account_id = $1 order by seq", [accountId])).rows;
const giveUpAfter = (ms: number) => {
  const { jobs } = world.gateway.context;
  world.gateway.context.jobs = { ...jobs, runWaitMs: ms };
  return () => void (world.gateway.context.jobs = jobs);
};

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

describe("a run that ends in time", () => {
  test("a database that is away while it waits costs no answer: the job is held, and its payer hears of it", async () => {
    const account = await world.account();
    const breaking = { part: "queue_position", code: "ECONNRESET", turns: [2, 3] };
    const { result, seen } = await whileFailing(world.gateway.context.db, breaking, () =>
      run(account, { model: "demo/slow", prompt: "A boat" }),
    );
    expect(seen).toBeGreaterThan(3);
    const { status, json } = result;
    expect({ status, charged: json.charged_amount }).toEqual({ status: 200, charged: 0.04 });
  });

  test.each([
    ["nested", { input: { prompt: "A boat", size: "1024x1024", seed: 7 }, prompt: 5 }],
    ["flat", { prompt: "A boat", size: "1024x1024", seed: 7, quality: null }],
  ])("200 COMPLETED, its input %s", async (_, fields) => {
    const account = await world.account();
    const { status, json, headers } = await run(account, { model: "demo/image", ...fields });
    expect(status).toBe(200);
    expect(headers["retry-after"]).toBeUndefined();
    expect(headers["x-ratelimit-remaining-requests"]).toBeDefined();
    expect(json).toEqual({
      ...{ request_id: expect.stringMatching(/^gm_[0-9a-f]{32}$/), status: "COMPLETED", model: "demo/image", hint: null },
      output: {
        images: [{ url: expect.stringContaining(`${world.gateway.url}/media/`), width: 1024, height: 1024, content_type: "image/png" }],
      },
      ...{ estimated_cost: 0.04, charged_amount: 0.04, refunded_amount: null, created_at: iso, completed_at: iso },
    });
    expect(world.sent().find((sent) => sent?.prompt !== undefined)).toMatchObject({ prompt: "A boat" });
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96, spent: 0.04 });
    expect(await read(account, json.request_id)).toEqual(json);
  });

  test("a video model makes a video, charged for the seconds that were made", async () => {
    const account = await world.account();
    const { status, json } = await run(account, { model: "demo/video", input: { prompt: "A boat drifts", duration_s: 4 } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      ...{ status: "COMPLETED", model: "demo/video", estimated_cost: 0.5, charged_amount: 0.5 },
      output: { video: { url: expect.stringContaining("/media/"), content_type: "video/mp4", duration_s: 5 } },
    });
  });

  test("an alias is resolved, and named in x-svc-alias", async () => {
    const account = await world.account();
    const { json, headers } = await run(account, { model: "picture", prompt: "A boat" });
    expect([json.model, headers["x-svc-alias"]]).toEqual(["demo/image", "picture"]);
  });

  test("422 with the job's code and fal's word where it fails; nothing is charged", async () => {
    const account = await world.account();
    const { status, json, headers } = await run(account, { model: "demo/refusing", prompt: "A boat" });
    expect(status).toBe(422);
    const [job] = await jobsOf(account);
    expect(json).toEqual({
      error: job.error_message,
      details: { error_type: "content_policy_violation", code: "content_policy_likeness", request_id: headers["x-request-id"] },
    });
    expect(await read(account, job.shown_id)).toMatchObject({ status: "FAILED", error: json.error, refunded_amount: 0.04 });
    await world.expectUntouched(account);
  });
});

describe("a run that does not", () => {
  test("202 with a hint, IN_PROGRESS; the job goes on and is read where the hint says", async () => {
    const account = await world.account();
    const slow = { model: "demo/slower", prompt: "A boat", idempotency_key: "boat" };
    const first = run(account, slow);
    await eventually(async () => expect(await jobsOf(account)).toMatchObject([{ status: "processing" }]), 5);
    const restore = giveUpAfter(0);
    const { status, json, headers } = await run(account, slow).finally(restore);
    expect([status, headers["retry-after"]]).toEqual([202, "1"]);
    expect(json).toEqual({
      ...{ request_id: json.request_id, status: "IN_PROGRESS", model: "demo/slower", estimated_cost: 0.04 },
      ...{ hint: `Poll GET /v1/genmedia/jobs/${json.request_id}`, charged_amount: null, refunded_amount: null },
    });
    expect(await first).toMatchObject({ status: 200, json: { request_id: json.request_id } });
    expect(await read(account, json.request_id)).toMatchObject({ status: "COMPLETED", charged_amount: 0.04 });
  });

  test("202 IN_QUEUE where every slot is taken; nothing is held for it", async () => {
    const account = await world.account();
    for (let n = 0; n < 2; n += 1) await newJob(world.gateway, account);
    const restore = giveUpAfter(0);
    const { status, json } = await run(account, { model: "demo/image", prompt: "A boat" }).finally(restore);
    expect([status, json.status, json.estimated_cost]).toEqual([202, "IN_QUEUE", 0.04]);
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.92 });
    await endJobsOf(world.gateway, account);
    await expect.poll(() => read(account, json.request_id)).toMatchObject({ status: expect.stringMatching(/COMPLETED|FAILED/) });
  });

  test("a disconnect does not stop it, and ends the wait", async () => {
    const account = await world.account();
    const waiters = countWaiters(world.gateway);
    const leaving = new AbortController();
    const left = expect(run(account, { model: "demo/slow", prompt: "A boat" }, { signal: leaving.signal })).rejects.toThrow();
    await eventually(() => expect(waiters.now).toBe(1));
    leaving.abort();
    await left;
    waiters.restore();
    await eventually(() => expect(waiters.now).toBe(0));
    const statusOf = async () => (await jobsOf(account))[0].status as string;
    await expect.poll(statusOf).toBe("succeeded");
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96, spent: 0.04 });
  });
});

describe("an idempotency key", () => {
  test("names the job: asked again it answers that one, and nothing is charged twice; the body's wins over the header's", async () => {
    const account = await world.account();
    const first = await run(account, { model: "demo/image", prompt: "A boat", idempotency_key: "boat" });
    const second = await run(
      account,
      { model: "demo/image", prompt: "Another", idempotency_key: "boat" },
      { headers: { "idempotency-key": "x" } },
    );
    const third = await run(account, { model: "demo/image", prompt: "A third" }, { headers: { "idempotency-key": "boat" } });
    expect([second.status, second.json]).toEqual([200, first.json]);
    expect([third.status, third.json]).toEqual([200, first.json]);
    expect(await jobsOf(account)).toHaveLength(1);
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96 });
  });

  test("of a job that still runs waits for its end like others", async () => {
    const account = await world.account();
    const job = await newJob(world.gateway, account, { api: "genmedia", idempotencyKey: "boat" });
    const runs = [1, 2, 3].map(() => run(account, { model: "demo/image", prompt: "A boat", idempotency_key: "boat" }));
    await endJob(world.gateway, account, job, { to: "succeeded" });
    for (const { status, json } of await Promise.all(runs)) expect([status, json.request_id]).toEqual([200, job.shownId]);
  });

  test("belongs to this API: an image job of the same key is another job", async () => {
    const account = await world.account();
    const image = await newJob(world.gateway, account, { idempotencyKey: "boat" });
    const { json } = await run(account, { model: "demo/image", prompt: "A boat", idempotency_key: "boat" });
    expect(json.request_id.slice(3)).not.toBe(image.shownId.slice(4));
    await endJobsOf(world.gateway, account);
  });
});
