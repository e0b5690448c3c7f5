// GET /v1/jobs: pages, newest first, and every filter.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { endJob, endJobsOf, type MediaJob, mp4File, newJob } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const image = {
  id: "demo/image",
  type: "image",
  pricing: { mode: "per-image", usd_per_image: 0.04 },
  routes: [{ provider: "north", model: "x" }],
};
const world = chatWorld([language("demo/x", ["x"]), image], { tiers: highTiers(), aliases: { picture: "demo/image" } });
const list = (account: TestAccount, query = "") => world.gateway.request("GET", `/v1/jobs${query}`, { key: account.key });
const idsOf = async (account: TestAccount, query = "") => {
  const { status, json } = await list(account, query);
  expect(status).toBe(200);
  return json.data.map(({ id }: { id: string }) => id) as string[];
};

let account: TestAccount;
let jobs: Record<"done" | "failed" | "video" | "other" | "waiting", MediaJob>;
beforeAll(async () => {
  account = await world.account();
  const submit = (job: Parameters<typeof newJob>[2]) => newJob(world.gateway, account, job);
  const done = await submit({});
  await endJob(world.gateway, account, done, { to: "succeeded" });
  const failed = await submit({ alias: "picture" });
  await endJob(world.gateway, account, failed, { to: "failed", code: "provider_timeout" });
  await submit({ api: "genmedia" });
  const video = await submit({ kind: "video", estimated: "0.5" });
  await endJob(world.gateway, account, video, { to: "succeeded", charged: "0.5", files: [mp4File()] });
  const other = await submit({ model: "demo/retired-since" });
  for (let n = 0; n < 3; n += 1) await submit({ kind: "video", api: "genmedia" });
  const waiting = await submit({ kind: "video" });
  jobs = { done, failed, video, other, waiting };
});
afterAll(() => endJobsOf(world.gateway, account));
const shown = (...names: (keyof typeof jobs)[]) => names.map((name) => jobs[name].shownId);

describe("a page", () => {
  test("is newest first, image and video jobs together, without those of genmedia", async () => {
    const { json } = await list(account);
    expect(json).toMatchObject({ object: "list", has_more: false, first_id: jobs.waiting.shownId, last_id: jobs.done.shownId });
    expect(json.data.map(({ id }: { id: string }) => id)).toEqual(shown("waiting", "other", "video", "failed", "done"));
    expect(json.data.map(({ object }: { object: string }) => object)).toEqual([
      "video.job",
      "image.job",
      "video.job",
      "image.job",
      "image.job",
    ]);
  });

  test("shows each job as reading it does, queue position included", async () => {
    const { json } = await list(account);
    expect(json.data[0]).toMatchObject({ status: "queued", queue_position: 2 }); // a genmedia video waits before it
    for (const job of json.data) {
      const read = await world.gateway.request("GET", `/v1/jobs/${job.id}`, { key: account.key });
      expect(read.json).toEqual(job);
    }
  });

  test("is followed by after=last_id until there is no more", async () => {
    const found: string[] = [];
    let page = await list(account, "?limit=2");
    for (; page.json.has_more; page = await list(account, `?limit=2&after=${page.json.last_id}`))
      found.push(...page.json.data.map(({ id }: { id: string }) => id));
    found.push(...page.json.data.map(({ id }: { id: string }) => id));
    expect(found).toEqual(shown("waiting", "other", "video", "failed", "done"));
    expect((await list(account, `?after=${jobs.done.shownId}`)).json).toEqual({
      ...{ object: "list", data: [], has_more: false, first_id: null, last_id: null },
    });
  });

  test("holds 20 where nothing is said", async () => {
    const many = await world.account();
    for (let n = 0; n < 21; n += 1) {
      const job = await newJob(world.gateway, many);
      await endJob(world.gateway, many, job, { to: "failed" });
    }
    const { json } = await list(many);
    expect([json.data.length, json.has_more]).toEqual([20, true]);
  });

  test("of an account without jobs is empty, and shows no other account's", async () => {
    expect(await idsOf(await world.account())).toEqual([]);
  });
});

describe("filters", () => {
  test.each([
    ["status=queued", ["waiting"]],
    ["status=succeeded,failed", ["video", "failed", "done"]],
    ["status=succeeded&status=failed", ["video", "failed", "done"]],
    ["status=refunded", []],
    ["kind=image", ["other", "failed", "done"]],
    ["kind=video", ["waiting", "video"]],
    ["model=demo%2Fvideo", ["waiting", "video"]],
    ["model=picture", ["failed", "done"]],
    ["model=demo/retired-since", ["other"]],
    ["model=demo/none", []],
    ["kind=image&status=failed&model=demo/image", ["failed"]],
    ["kind=video&model=demo/image", []],
  ] as const)("%s", async (query, names) => {
    expect(await idsOf(account, `?${query}`)).toEqual(shown(...names));
  });

  test("go with a page", async () => {
    expect(await idsOf(account, `?kind=image&limit=1&after=${jobs.other.shownId}`)).toEqual(shown("failed"));
  });
});

describe("400 invalid_parameter", () => {
  test.each(["status=done", "status=queued,nonsense", "kind=audio", "limit=0", "limit=101", "limit=x"])("%s", async (query) => {
    const { status, json } = await list(account, `?${query}`);
    expect([status, json.error.code, json.error.param.split("[")[0]]).toEqual([400, "invalid_parameter", query.split("=")[0]]);
  });

  test("after: unknown, another account's, a genmedia job's", async () => {
    const other = await world.account();
    const foreign = await newJob(world.gateway, other);
    const genmedia = await newJob(world.gateway, account, { api: "genmedia" });
    for (const id of ["job_1", "job_0195c1f2a7e07c310195c1f2a7e07c31", foreign.shownId, genmedia.shownId]) {
      const { status, json } = await list(account, `?after=${id}`);
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "after"]);
    }
    await endJobsOf(world.gateway, other);
    await endJob(world.gateway, account, genmedia, { to: "failed" });
  });

  test("GET /v1/jobs/{id}?wait: 0 to 25, whole seconds", async () => {
    for (const wait of ["-1", "26", "1.5", "x"]) {
      const { status, json } = await world.gateway.request("GET", `/v1/jobs/${jobs.done.shownId}?wait=${wait}`, { key: account.key });
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "wait"]);
    }
  });
});
