// GET /v1/genmedia/jobs/{request_id}: the same jobs in fal's format, and errors in genmedia's body.
import { describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { errors } from "../../../generated/errors.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, endJobsOf, expireQueued, mp4File, newJob, pngFile, refundJob, startJob } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const world = chatWorld([language("demo/x", ["x"])], { tiers: highTiers({ image_concurrent: 1 }) });
const submit = (account: TestAccount, job: Parameters<typeof newJob>[2] = {}) =>
  newJob(world.gateway, account, { api: "genmedia", ...job });
const read = (key: string, id: string) => world.gateway.request("GET", `/v1/genmedia/jobs/${id}`, { key });

const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const running = { model: "demo/image", estimated_cost: 0.04, charged_amount: null, refunded_amount: null };

describe("a genmedia job", () => {
  test("IN_QUEUE while it waits and until it is handed over, then IN_PROGRESS; poll again in a second", async () => {
    const account = await world.account();
    const [job, waiting] = [await submit(account), await submit(account)];
    const statuses = async () => {
      const replies = await Promise.all([job, waiting].map(({ shownId }) => read(account.key, shownId)));
      for (const [index, { status, json, headers }] of replies.entries()) {
        const { shownId } = [job, waiting][index]!;
        expect([status, headers["retry-after"]]).toEqual([200, "1"]);
        expect(json).toEqual({
          ...{ request_id: shownId, status: json.status, hint: `Poll GET /v1/genmedia/jobs/${shownId}`, ...running },
        });
      }
      return replies.map(({ json }) => json.status);
    };
    expect(await statuses()).toEqual(["IN_QUEUE", "IN_QUEUE"]);
    await startJob(world.gateway, job);
    expect(await statuses()).toEqual(["IN_PROGRESS", "IN_QUEUE"]);
    await endJobsOf(world.gateway, account);
  });

  test("COMPLETED: every image with its address", async () => {
    const account = await world.account();
    const job = await submit(account, { estimated: "0.06" });
    await endJob(world.gateway, account, job, { to: "succeeded", charged: "0.04", files: [pngFile("a.png"), pngFile("b.png")] });
    const { status, json, headers } = await read(account.key, job.shownId);
    expect([status, headers["retry-after"]]).toEqual([200, undefined]);
    const images = ["a.png", "b.png"].map((name) => ({
      ...{ url: `${world.gateway.context.publicUrl}/media/${name}`, width: 1024, height: 768, content_type: "image/png" },
    }));
    expect(json).toEqual({
      ...{ request_id: job.shownId, status: "COMPLETED", model: "demo/image", output: { images }, hint: null },
      ...{ estimated_cost: 0.06, charged_amount: 0.04, refunded_amount: 0.02, created_at: iso, completed_at: iso },
    });
  });

  test("COMPLETED: a video; it stays so after a refund", async () => {
    const account = await world.account();
    const job = await submit(account, { kind: "video", estimated: "0.5" });
    await endJob(world.gateway, account, job, { to: "succeeded", charged: "0.5", files: [mp4File("a.mp4")] });
    const url = `${world.gateway.context.publicUrl}/media/a.mp4`;
    const output = { video: { url, content_type: "video/mp4", duration_s: 5, width: 1280, height: 720 } };
    expect((await read(account.key, job.shownId)).json).toMatchObject({ output, charged_amount: 0.5, refunded_amount: null });
    await refundJob(world.gateway, job);
    expect((await read(account.key, job.shownId)).json).toMatchObject({
      ...{ status: "COMPLETED", output, charged_amount: 0, refunded_amount: 0.5 },
    });
  });

  test("FAILED answers 200: the provider's word, our code, the reading request's id", async () => {
    const account = await world.account();
    const job = await submit(account);
    await endJob(world.gateway, account, job, { to: "failed", code: "input_invalid", message: "No.", word: "face_detection_error" });
    const { status, json, headers } = await read(account.key, job.shownId);
    expect(status).toBe(200);
    expect(json).toEqual({
      ...{ request_id: job.shownId, status: "FAILED", model: "demo/image", error: "No." },
      details: { error_type: "face_detection_error", code: "input_invalid", request_id: headers["x-request-id"] },
      ...{ estimated_cost: 0.04, charged_amount: null, refunded_amount: 0.04, created_at: iso, completed_at: iso },
    });
  });

  test.each(Object.entries(errors).flatMap(([code, row]) => ("job" in row && row.job ? [code as "provider_error"] : [])))(
    "FAILED %s: a word of fal where the provider gave none, or none that is a word",
    async (code) => {
      const account = await world.account();
      for (const word of [undefined, "Sent by https://provider.example"]) {
        const job = await submit(account);
        await endJob(world.gateway, account, job, { to: "failed", code, ...(word === undefined ? {} : { word }) });
        const { json } = await read(account.key, job.shownId);
        expect(json.details).toMatchObject({ code, error_type: expect.stringMatching(/^[a-z_]+$/) });
      }
    },
  );

  test("EXPIRED: what was held came back, which is 0 of one that only waited", async () => {
    const account = await world.account();
    const [ran, waited] = [await submit(account), await submit(account)];
    await expireQueued(world.gateway, account);
    await endJob(world.gateway, account, ran, { to: "expired", code: "timeout" });
    const expired = { status: "EXPIRED", charged_amount: null, details: { code: "timeout", error_type: "request_timeout" } };
    expect((await read(account.key, ran.shownId)).json).toMatchObject({ ...expired, refunded_amount: 0.04 });
    expect((await read(account.key, waited.shownId)).json).toMatchObject({ ...expired, refunded_amount: 0 });
  });
});

describe("refusals, in genmedia's body", () => {
  const expectRefusal = ({ status, json, headers }: Awaited<ReturnType<typeof read>>, code: string) => {
    expect(json).toMatchObject({ error: expect.any(String), details: { error_type: expect.any(String), code } });
    expect(json.details.request_id).toBe(headers["x-request-id"]);
    return status;
  };

  test("404 job_not_found: unknown, another account's, an image job", async () => {
    const [account, other] = [await world.account(), await world.account()];
    const genmedia = await submit(account);
    const image = await submit(account, { api: "image" });
    for (const [key, id] of [
      ...[[account.key, "gm_1"] as const, [account.key, image.shownId] as const],
      ...[[account.key, image.shownId.replace("job_", "gm_")] as const, [other.key, genmedia.shownId] as const],
    ])
      expect(expectRefusal(await read(key, id), "job_not_found")).toBe(404);
    await endJobsOf(world.gateway, account);
  });

  test("401 missing_api_key, invalid_api_key; 403 permission_denied", async () => {
    const account = await world.account();
    const path = "/v1/genmedia/jobs/gm_1";
    expect(expectRefusal(await world.gateway.request("GET", path), "missing_api_key")).toBe(401);
    expect(expectRefusal(await read("svc_wrong", "gm_1"), "invalid_api_key")).toBe(401);
    expect(expectRefusal(await read((await world.gateway.createSession(account)).token, "gm_1"), "permission_denied")).toBe(403);
    await setSuspended(world.gateway.context.db, account.accountId, new Date());
    expect(expectRefusal(await read(account.key, "gm_1"), "permission_denied")).toBe(403);
  });
});
