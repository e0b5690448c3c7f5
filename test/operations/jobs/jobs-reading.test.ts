// GET /v1/jobs/{id}: a job in each of its states, its ownership, and waiting for its end.
import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, endJobsOf, expireQueued, type MediaJob, mp4File, newJob, pngFile, refundJob, startJob } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/x", ["x"])], { tiers: highTiers({ image_concurrent: 1, video_concurrent: 1 }) });
const submit = (account: TestAccount, job: Parameters<typeof newJob>[2] = {}) => newJob(world.gateway, account, job);
const finish = (account: TestAccount, job: MediaJob, end: Parameters<typeof endJob>[3]) => endJob(world.gateway, account, job, end);
const read = (account: TestAccount, id: string, query = "") => world.gateway.request("GET", `/v1/jobs/${id}${query}`, { key: account.key });

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const open = { completed_at: null, output: null, error: null, charged_amount: null, refunded_amount: null };

describe("a job's states", () => {
  test("pending, then processing: the hold, and nothing else yet; poll again in a second", async () => {
    const account = await world.account();
    const job = await submit(account);
    const fields = { id: job.shownId, object: "image.job", model: "demo/image", created_at: iso, estimated_cost: 0.04, ...open };
    const pending = await read(account, job.shownId);
    expect([pending.status, pending.headers["retry-after"]]).toEqual([200, "1"]);
    expect(pending.json).toEqual({ ...fields, status: "pending" });
    await startJob(world.gateway, job);
    expect((await read(account, job.shownId)).json).toEqual({ ...fields, status: "processing" });
    await endJobsOf(world.gateway, account);
  });

  test("queued: nothing is held, and positions are 1..n in the order of the submits, whichever jobs leave the queue", async () => {
    const account = await world.account();
    const first = await submit(account);
    const waiting = [await submit(account), await submit(account), await submit(account)];
    const turns = async () => {
      const replies = await Promise.all(waiting.map(({ shownId }) => read(account, shownId)));
      return replies.map(({ json }) => [json.status, json.queue_position]);
    };
    expect(await turns()).toEqual([
      ["queued", 1],
      ["queued", 2],
      ["queued", 3],
    ]);
    expect((await read(account, waiting[0]!.shownId)).json).toMatchObject({ estimated_cost: 0.04, ...open });
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96 });
    await finish(account, first, { to: "failed" });
    expect(await turns()).toEqual([
      ["pending", undefined],
      ["queued", 1],
      ["queued", 2],
    ]);
    await endJobsOf(world.gateway, account);
  });

  test("image and video jobs wait in queues of their own", async () => {
    const account = await world.account();
    for (const kind of ["image", "video"] as const) await submit(account, { kind });
    const image = await submit(account, { kind: "image" });
    const video = await submit(account, { kind: "video" });
    expect((await read(account, image.shownId)).json.queue_position).toBe(1);
    expect((await read(account, video.shownId)).json).toMatchObject({ object: "video.job", queue_position: 1 });
    await endJobsOf(world.gateway, account);
  });

  test("succeeded: the file at an address of the gateway, the charge, and what came back of the hold", async () => {
    const account = await world.account();
    const job = await submit(account, { estimated: "0.06" });
    await finish(account, job, { to: "succeeded", charged: "0.04", files: [pngFile("a.png")] });
    const { json, headers } = await read(account, job.shownId);
    expect(headers["retry-after"]).toBeUndefined();
    expect(json).toEqual({
      ...{
        id: job.shownId,
        object: "image.job",
        status: "succeeded",
        model: "demo/image",
        created_at: iso,
        completed_at: iso,
        error: null,
      },
      ...{ estimated_cost: 0.06, charged_amount: 0.04, refunded_amount: 0.02 },
      output: {
        url: `${world.gateway.context.publicUrl}/media/a.png`,
        metadata: { images: [{ width: 1024, height: 768, content_type: "image/png" }] },
      },
    });
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96, spent: 0.04 });
  });

  test("succeeded with several images: each has its address, the first is the job's; the whole hold is charged", async () => {
    const account = await world.account();
    const job = await submit(account);
    await finish(account, job, { to: "succeeded", files: [pngFile("a.png"), pngFile("b.png")] });
    const { json } = await read(account, job.shownId);
    const urls = json.output.metadata.images.map(({ url }: { url: string }) => url);
    expect(urls).toEqual(["a.png", "b.png"].map((name) => `${world.gateway.context.publicUrl}/media/${name}`));
    expect([json.output.url, json.charged_amount, json.refunded_amount]).toEqual([urls[0], 0.04, null]);
  });

  test("a video shows its length and its frames per second, where they are known", async () => {
    const account = await world.account();
    const job = await submit(account, { kind: "video", estimated: "0.5" });
    await finish(account, job, { to: "succeeded", charged: "0.5", units: 5, files: [{ ...mp4File("a.mp4"), fps: null }] });
    expect((await read(account, job.shownId)).json).toMatchObject({
      ...{ object: "video.job", status: "succeeded", charged_amount: 0.5 },
      output: {
        url: `${world.gateway.context.publicUrl}/media/a.mp4`,
        metadata: { videos: [{ width: 1280, height: 720, duration_s: 5, fps: null, content_type: "video/mp4" }] },
      },
    });
  });

  test("failed answers 200 with its error; the hold came back in full", async () => {
    const account = await world.account();
    const job = await submit(account);
    await finish(account, job, { to: "failed", code: "content_policy", message: "The content was refused." });
    const { status, json, headers } = await read(account, job.shownId);
    expect([status, headers["retry-after"]]).toEqual([200, undefined]);
    expect(json).toMatchObject({
      ...{ status: "failed", completed_at: iso, output: null, charged_amount: null, refunded_amount: 0.04 },
      error: { code: "content_policy", message: "The content was refused." },
    });
    await world.expectUntouched(account);
  });

  test("failed insufficient_credits: the money was spent before it got a slot; nothing was held, nothing was released", async () => {
    const account = await world.account({ deposit: "0.1" });
    const first = await submit(account, { estimated: "0.05" });
    const second = await submit(account, { estimated: "0.06" });
    await finish(account, first, { to: "succeeded", charged: "0.05" });
    expect((await read(account, second.shownId)).json).toMatchObject({
      ...{ status: "failed", estimated_cost: 0.06, charged_amount: null, refunded_amount: null },
      error: { code: "insufficient_credits", message: expect.any(String) },
    });
  });

  test("expired after it ran: timeout, the hold came back; expired while it waited: 0 came back", async () => {
    const account = await world.account();
    const ran = await submit(account);
    const waited = await submit(account);
    await expireQueued(world.gateway, account);
    await finish(account, ran, { to: "expired", code: "timeout" });
    const expired = { status: "expired", completed_at: iso, charged_amount: null, error: { code: "timeout" } };
    expect((await read(account, ran.shownId)).json).toMatchObject({ ...expired, refunded_amount: 0.04 });
    expect((await read(account, waited.shownId)).json).toMatchObject({ ...expired, refunded_amount: 0 });
  });

  test("refunded: the file stays, the charge is 0 and came back", async () => {
    const account = await world.account();
    const job = await submit(account, { estimated: "0.06" });
    await finish(account, job, { to: "succeeded", charged: "0.04" });
    await refundJob(world.gateway, job);
    expect((await read(account, job.shownId)).json).toMatchObject({
      ...{ status: "refunded", charged_amount: 0, refunded_amount: 0.06, estimated_cost: 0.06, error: null },
      output: { url: expect.stringContaining("/media/") },
    });
    expect(await world.gateway.balance(account)).toMatchObject({ balance: 20 });
  });
});

describe("whose job it is", () => {
  test("every key of the account reads it", async () => {
    const account = await world.account();
    const job = await submit(account);
    const { secret } = await createKey(world.gateway.context.db, {
      accountId: account.accountId,
      name: "second",
      at: new Date(),
    });
    expect((await read({ ...account, key: secret }, job.shownId)).status).toBe(200);
    await endJobsOf(world.gateway, account);
  });

  test("404 job_not_found: unknown, malformed, another account's, a genmedia job, another prefix", async () => {
    const [account, other] = [await world.account(), await world.account()];
    const job = await submit(account);
    const genmedia = await submit(account, { api: "genmedia" });
    const ids = [job.shownId.replace("job_", "vid_"), genmedia.shownId, genmedia.shownId.replace("gm_", "job_")];
    const replies = await Promise.all([
      ...["job_1", "x".repeat(3000), "job_0195c1f2a7e07c310195c1f2a7e07c31", "%F0%9F%8E%A8"].map((id) => read(account, id)),
      ...ids.map((id) => read(account, id)),
      read(other, job.shownId),
      read(other, job.shownId, "?wait=25"),
    ]);
    for (const { status, json } of replies) {
      expect([status, json.error.code]).toEqual([404, "job_not_found"]);
      expect(json.error.message.length).toBeLessThan(300);
    }
    await endJobsOf(world.gateway, account);
  });
});
