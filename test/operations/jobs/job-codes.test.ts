// Every code that a job can fail with, as a caller sees it: the upstream's fault by a directive, the code at GET /v1/jobs/{id}, and nothing charged.
// Also the moves that need a whole gateway; the others are tested in test/jobs/moves.test.ts.
import { describe, expect, test } from "vitest";
import type { JobErrorCode } from "../../../src/jobs/types.ts";
import { errors } from "../../../generated/errors.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endedJob, endJob, newJob } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

/** The code, and the upstream models (of the queue, or of OpenAI's images) that lead to it. */
type Fault = { queue?: string[]; openai?: string[] };
const faults: Partial<Record<JobErrorCode, Fault>> = {
  content_policy: { queue: ["sim-job-content_policy_violation", "sim-refuse"] },
  content_policy_likeness: { queue: ["sim-policy-likeness"] },
  content_policy_nsfw: { queue: ["sim-policy-nsfw", "sim-job-nsfw"] },
  content_policy_unsafe: { queue: ["sim-policy-unsafe"] },
  moderation_blocked: { openai: ["sim-refuse"] },
  input_too_large: { queue: ["sim-job-image_too_large", "sim-job-file_too_large"] },
  input_invalid: { queue: ["sim-job-image_load_error", "sim-job-face_detection_error", "sim-job-one_of"] },
  invalid_input: { openai: ["sim-reject"] },
  prompt_too_long: { queue: ["sim-job-string_too_long", "sim-job-sequence_too_long"] },
  provider_timeout: { queue: ["sim-job-generation_timeout", "sim-job-request_timeout"] },
  provider_rate_limited: { queue: ["sim-429", "sim-job-concurrency_limit"], openai: ["sim-429"] },
  provider_unavailable: { queue: ["sim-fail-503", "sim-401", "sim-job-runner_disconnected"], openai: ["sim-fail-500"] },
  provider_error: { queue: ["sim-job-no_media_generated", "sim-job-internal_server_error", "sim-file-html"], openai: ["sim-images-0"] },
};
const cases = (Object.entries(faults) as [JobErrorCode, Fault][]).flatMap(([code, { queue = [], openai = [] }]) => [
  ...queue.map((directive) => ({
    code,
    directive,
    model: `queue/${directive}`,
    route: { provider: "queue", model: `ember/flash-image+${directive}` },
  })),
  ...openai.map((directive) => ({
    code,
    directive,
    model: `openai/${directive}`,
    route: { provider: "north", model: `image-large+${directive}` },
  })),
]);
const image = (id: string, route: object) => ({
  ...{ id, type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 } },
  routes: [route],
});
const queued = (model: string) => ({ provider: "queue", model });
const world = chatWorld(
  [
    ...cases.map(({ model, route }) => image(model, route)),
    image("demo/image", queued("ember/flash-image")),
    {
      ...image("demo/never", queued("ember/video+sim-job-hang")),
      ...{ type: "video", pricing: { mode: "per-second", usd_per_second: 0.1 }, durations: [5] },
    },
  ],
  {
    providers: [provider("north"), provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    tiers: highTiers({ image_concurrent: 1, image_queue_depth_cap: 5 }),
  },
  { jobs: { lookMs: { first: 10, last: 50 }, deadlineMs: { image: 60_000, video: 300 } } },
);
const ask = (account: TestAccount, path: string, body?: object) =>
  world.gateway.request(body === undefined ? "GET" : "POST", path, { key: account.key, body });
const ended = async (account: TestAccount, id: string) => (await endedJob(world.gateway, id, account.key)).json;
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const failedWith = (code: JobErrorCode, model: string, estimated: number, refunded: number | null) => ({
  ...{ id: expect.any(String), object: expect.any(String), status: "failed", model, created_at: time, completed_at: time, output: null },
  ...{ error: { code, message: expect.stringMatching(/^[A-Z].+\.$/s) } },
  ...{ estimated_cost: estimated, charged_amount: null, refunded_amount: refunded },
});

describe("a failed job answers 200 with its code, nothing charged, the whole hold returned", () => {
  test.each(cases)("$code: $model", async ({ code, model }) => {
    const account = await world.account();
    const submitted = await ask(account, "/v1/images/generations", { model, prompt: "A boat", n: 2 });
    expect([submitted.status, submitted.json.estimated_cost]).toEqual([202, 0.08]);
    expect(await ended(account, submitted.json.id)).toEqual(failedWith(code, model, 0.08, 0.08));
    const { status, headers } = await ask(account, `/v1/jobs/${submitted.json.id}`);
    expect([status, headers["retry-after"]]).toEqual([200, undefined]);
    await world.expectUntouched(account);
    const { json: logs } = await ask(account, "/v1/auth/usage/logs");
    expect(logs.data).toMatchObject([{ status: "failed", cost_usd: 0, job_id: submitted.json.id, error: { code } }]);
  });

  test("timeout: the gateway's own deadline", async () => {
    const account = await world.account();
    const { json } = await ask(account, "/v1/videos/generations", { model: "demo/never", prompt: "A boat" });
    expect(await ended(account, json.id)).toEqual(failedWith("timeout", "demo/never", 0.5, 0.5));
    await world.expectUntouched(account);
  });

  test("insufficient_credits: the money was spent before it got a slot; nothing was held, so nothing is released", async () => {
    const account = await world.account({ deposit: "0.05" });
    const first = await newJob(world.gateway, account);
    const { json } = await ask(account, "/v1/images/generations", { model: "demo/image", prompt: "A boat" });
    expect([json.status, json.queue_position]).toEqual(["queued", 1]);
    await endJob(world.gateway, account, first, { to: "succeeded", charged: "0.04" });
    expect(await ended(account, json.id)).toEqual(failedWith("insufficient_credits", "demo/image", 0.04, null));
    expect(await world.gateway.balance(account)).toEqual({ balance: 0.01, reserved: 0, spent: 0.04 });
  });

  test("and these are all the codes that the contract has for jobs", () => {
    const declared = Object.entries(errors).flatMap(([code, row]) => ("job" in row && row.job ? [code] : []));
    expect([...Object.keys(faults), "timeout", "insufficient_credits", "job_cancelled"].sort()).toEqual(declared.sort());
  });
});

test("waiting jobs have positions 1 to n without gaps, are made in the order of their submits, and a replay shows the position", async () => {
  const account = await world.account();
  const first = await newJob(world.gateway, account);
  const submit = async (prompt: string) =>
    (await ask(account, "/v1/images/generations", { model: "demo/image", prompt, idempotency_key: prompt })).json;
  const waiting = [await submit("a"), await submit("b"), await submit("c")];
  expect(waiting.map(({ status, queue_position }) => [status, queue_position])).toEqual([1, 2, 3].map((turn) => ["queued", turn]));
  expect(await submit("b")).toMatchObject({ id: waiting[1].id, status: "queued", queue_position: 2, refunded_amount: null });
  const { json } = await ask(account, "/v1/jobs?status=queued");
  expect(json.data.map(({ queue_position }: { queue_position: number }) => queue_position)).toEqual([3, 2, 1]);
  await endJob(world.gateway, account, first, { to: "failed" });
  // The helper starts jobs without a lease; from here on the gateway's runner has this one.
  const free = "update media_job set lease_owner = null, run_at = now() where account_id = $1 and status = 'pending'";
  await world.gateway.context.db.pool.query(free, [account.accountId]);
  const ends: string[] = [];
  for (const { id } of waiting) {
    const job = await ended(account, id);
    expect(job).toMatchObject({ status: "succeeded", estimated_cost: 0.04, charged_amount: 0.04, refunded_amount: null });
    expect(job).not.toHaveProperty("queue_position");
    ends.push(job.completed_at);
  }
  expect(ends).toEqual([...ends].sort());
  expect(await world.gateway.balance(account)).toEqual({ balance: 19.88, reserved: 0, spent: 0.12 });
});
