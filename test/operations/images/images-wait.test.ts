// `Prefer: wait` on POST /v1/images/generations: the images in the answer itself, for the same hold and the same money as the job.
import { describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { endedJob, endJob, endJobsOf, jobDeadlines, newJob } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

/** What a job fails with, by a directive of the simulator, and the status that its waiting caller gets. */
const faults: [code: string, status: number, route: { provider: string; model: string }][] = [
  ["content_policy", 422, { provider: "queue", model: "ember/flash-image+sim-refuse" }],
  ["content_policy_likeness", 422, { provider: "queue", model: "ember/flash-image+sim-policy-likeness" }],
  ["content_policy_nsfw", 422, { provider: "queue", model: "ember/flash-image+sim-policy-nsfw" }],
  ["content_policy_unsafe", 422, { provider: "queue", model: "ember/flash-image+sim-policy-unsafe" }],
  ["moderation_blocked", 422, { provider: "north", model: "image-large+sim-refuse" }],
  ["input_too_large", 422, { provider: "queue", model: "ember/flash-image+sim-job-image_too_large" }],
  ["input_invalid", 422, { provider: "queue", model: "ember/flash-image+sim-job-image_load_error" }],
  ["invalid_input", 422, { provider: "north", model: "image-large+sim-reject" }],
  ["prompt_too_long", 400, { provider: "queue", model: "ember/flash-image+sim-job-string_too_long" }],
  ["provider_timeout", 504, { provider: "queue", model: "ember/flash-image+sim-job-generation_timeout" }],
  ["provider_rate_limited", 429, { provider: "queue", model: "ember/flash-image+sim-429" }],
  ["provider_unavailable", 502, { provider: "queue", model: "ember/flash-image+sim-fail-503" }],
  ["provider_error", 500, { provider: "north", model: "image-large+sim-images-0" }],
  ["timeout", 504, { provider: "queue", model: "ember/flash-image+sim-job-hang" }],
];
const image = (id: string, route: object) => ({
  ...{ id, type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
  routes: [route],
});
const { deadlineMs, endsSoon } = jobDeadlines();
const world = chatWorld(
  [
    ...faults.map(([code, , route]) => image(`fails/${code}`, route)),
    image("demo/image", { provider: "queue", model: "ember/flash-image" }),
  ],
  {
    providers: [provider("north"), provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    tiers: highTiers({ image_concurrent: 1, image_queue_depth_cap: 5 }),
  },
  { jobs: { lookMs: { first: 10, last: 50 }, deadlineMs } },
);
const generate = ({ key }: TestAccount, body: object, prefer = "wait", headers: Record<string, string> = {}) =>
  world.gateway.request("POST", "/v1/images/generations", {
    key,
    body: { model: "demo/image", prompt: "A boat", ...body },
    headers: { prefer, ...headers },
  });
const seconds = (at: string) => Math.floor(Date.parse(at) / 1000);

describe("an image that is ready in time", () => {
  test("200 with its addresses beside the job, charged once", async () => {
    const account = await world.account();
    const { status, json, headers } = await generate(account, { n: 2, response_format: "url" });
    expect([status, headers["preference-applied"], headers["retry-after"]]).toEqual([200, "wait", undefined]);
    expect(json).toMatchObject({ object: "image.job", status: "succeeded", charged_amount: 0.08, created: seconds(json.created_at) });
    expect(json.data).toEqual(json.output.metadata.images.map(({ url }: { url: string }) => ({ url })));
    expect(json.data).toHaveLength(2);
    for (const { url } of json.data as { url: string }[]) expect((await fetch(url)).headers.get("content-type")).toBe("image/png");
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.92, reserved: 0, spent: 0.08 });
  });

  test("b64_json: the very bytes of the file", async () => {
    const account = await world.account();
    const { json } = await generate(account, { response_format: "b64_json" });
    expect(Object.keys(json.data[0])).toEqual(["b64_json"]);
    const file = Buffer.from(await (await fetch(json.output.url)).arrayBuffer());
    expect(Buffer.from(json.data[0].b64_json, "base64").equals(file)).toBe(true);
  });

  test("b64_json of a file that is gone: its address, since the image is paid for", async () => {
    const account = await world.account();
    const send = () => generate(account, { response_format: "b64_json", idempotency_key: "kept" });
    const { json } = await send();
    const { store } = world.gateway.context.media;
    await store.remove(new URL(json.output.url).pathname.split("/").at(-1)!);
    expect((await send()).json.data).toEqual([{ url: json.output.url }]);
  });

  test("a repeat with the same key answers the same images, for one charge", async () => {
    const account = await world.account();
    const send = () => generate(account, {}, "respond-async, Wait=30", { "idempotency-key": "cover" });
    const [first, second] = await Promise.all([send(), send()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.json).toEqual(first.json);
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.96, reserved: 0, spent: 0.04 });
  });
});

describe("without the wish to wait, the answer is the job alone", () => {
  test.each(["", "respond-async", "wait-not", "waiting=3"])("Prefer: %s", async (prefer) => {
    const account = await world.account();
    const { status, json, headers } = await generate(account, { response_format: "b64_json" }, prefer);
    expect([status, headers["preference-applied"], json.data, json.created]).toEqual([202, undefined, undefined, undefined]);
  });
});

describe("an image that is not ready in time", () => {
  test("the job as it is: queued while no slot is free; it is made and charged later", async () => {
    const account = await world.account();
    const first = await newJob(world.gateway, account);
    const { status, json, headers } = await generate(account, {}, "wait=1");
    expect([status, json.status, json.data, headers["preference-applied"], headers["retry-after"]]).toEqual([
      200,
      "queued",
      undefined,
      "wait",
      "1",
    ]);
    await endJob(world.gateway, account, first, { to: "failed" });
    // The helper starts jobs without a lease; from here on the gateway's runner has this one.
    const free = "update media_job set lease_owner = null, run_at = now() where account_id = $1 and status = 'pending'";
    await world.gateway.context.db.pool.query(free, [account.accountId]);
    const ended = await endedJob(world.gateway, json.id as string, account.key);
    expect(ended.json).toMatchObject({ status: "succeeded", charged_amount: 0.04 });
  });

  test("wait=0 answers at once; a repeat with the same key meanwhile is 200, as without the header", async () => {
    const account = await world.account();
    await newJob(world.gateway, account, { idempotencyKey: "slow" });
    expect((await generate(account, { idempotency_key: "slow" }, "wait=0")).status).toBe(200);
    await endJobsOf(world.gateway, account);
    expect(await generate(account, {}, "wait=0")).toMatchObject({
      status: 202,
      json: { status: expect.stringMatching(/pending|processing/) },
    });
  });

  test("a caller who leaves does not stop the job", async () => {
    const account = await world.account();
    const leaving = new AbortController();
    const asked = fetch(`${world.gateway.url}/v1/images/generations`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json", prefer: "wait" },
      body: JSON.stringify({ model: "demo/image", prompt: "A boat" }),
      signal: leaving.signal,
    });
    const jobs = async () => (await world.gateway.request("GET", "/v1/jobs", { key: account.key })).json.data;
    await expect.poll(async () => (await jobs()).length).toBe(1);
    leaving.abort();
    await asked.catch(() => undefined);
    await expect.poll(async () => (await jobs())[0]).toMatchObject({ status: "succeeded", charged_amount: 0.04 });
  });
});

describe("a job that fails meanwhile is its caller's error, and nothing is charged", () => {
  test.each(faults)("%s: %i", async (code, status) => {
    const account = await world.account();
    const failing = () => generate(account, { model: `fails/${code}` });
    const failed = await (code === "timeout" ? endsSoon(failing) : failing());
    expect([failed.status, failed.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });

  test("402 insufficient_balance: the money was spent before it got a slot", async () => {
    const account = await world.account({ deposit: "0.05" });
    const first = await newJob(world.gateway, account);
    const waiting = generate(account, {});
    const jobs = async () => (await world.gateway.request("GET", "/v1/jobs?status=queued", { key: account.key })).json.data;
    await expect.poll(async () => (await jobs()).length).toBe(1);
    await endJob(world.gateway, account, first, { to: "succeeded", charged: "0.04" });
    const { status, json } = await waiting;
    expect([status, json.error.code, json.need_usd]).toEqual([402, "insufficient_balance", 0.04]);
  });
});
