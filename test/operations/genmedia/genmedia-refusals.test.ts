// What POST /v1/genmedia/run refuses, in genmedia's body, and every code that a job can fail with.
import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import { errors, dialects } from "../../../generated/errors.ts";
import type { JobErrorCode } from "../../../src/jobs/types.ts";
import { parseUsd } from "../../../src/money.ts";
import { eventually } from "../../support/eventually.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { endJob, endJobsOf, expireQueued, newJob, withShortTimeout } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";

const route = { routes: [{ provider: "queue", model: "ember/flash-image+sim-job-hang" }] };
const each = { pricing: { mode: "per-image", usd_per_image: 0.04 } };
const world = chatWorld(
  [
    language("demo/chat", ["x"]),
    { id: "demo/image", type: "image", ...each, ...route },
    { id: "demo/edit", type: "image", requires_image: true, max_references: 2, ...each, ...route },
    { id: "demo/gone", type: "image", state: { retired: true, replacement: "demo/image" }, ...each },
    {
      id: "demo/video",
      type: "video",
      durations: [5],
      default_duration_s: 5,
      pricing: { mode: "per-second", usd_per_second: 0.1 },
      ...route,
    },
  ],
  {
    providers: [provider("north"), provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    tiers: highTiers({ image_concurrent: 1, image_queue_depth_cap: 1 }).map((tier) =>
      tier.tier === 1 ? { ...tier, video_concurrent: 0 } : tier,
    ),
  },
);
const run = (account: TestAccount, body: unknown) => world.gateway.request("POST", "/v1/genmedia/run", { key: account.key, body });
const refusalOf = ({ status, json, headers }: TestReply) => {
  expect(json.error).toEqual(expect.stringMatching(/\S/));
  expect(json.details).toMatchObject({ error_type: expect.any(String), request_id: headers["x-request-id"] });
  return [status, json.details.code];
};
const prompt = "A boat";

describe("what is refused of a request", () => {
  test.each([
    [400, "invalid_json", "{"],
    [400, "missing_parameter", { prompt }],
    [400, "invalid_parameter", { model: 5, prompt }],
    [400, "invalid_parameter", { model: "demo/image", input: { prompt, n: "2" } }],
    [400, "invalid_parameter", { model: "demo/image", prompt, n: "2" }],
    [400, "invalid_parameter", { model: "demo/image", prompt: 5 }],
    [400, "invalid_parameter", { model: "demo/edit", prompt, image_urls: "https://pictures.example/a.png" }],
    [400, "invalid_parameter", { model: "demo/edit", prompt, image_url: "http://pictures.example/a.png" }],
    [400, "invalid_parameter", { model: "demo/video", prompt, aspect_ratio: "1:1" }],
    [400, "invalid_prompt", { model: "demo/image" }],
    [400, "invalid_prompt", { model: "demo/image", prompt: " " }],
    [400, "invalid_prompt", { model: "demo/image", input: { size: "1024x1024" }, prompt }],
    [400, "invalid_prompt", { model: "demo/image", prompt: "x".repeat(4001) }],
    [400, "image_url_required", { model: "demo/edit", prompt }],
    [400, "too_many_references", { model: "demo/edit", prompt, image_urls: [1, 2, 3].map((n) => `https://pictures.example/${n}.png`) }],
    [400, "invalid_duration", { model: "demo/video", prompt, duration_s: 6 }],
    [400, "wrong_endpoint", { model: "demo/chat", prompt }],
    [404, "model_not_found", { model: "demo/none", prompt }],
    [404, "model_not_found", { model: "demo/gone", prompt }],
    [413, "request_too_large", JSON.stringify({ model: "demo/image", filler: "x".repeat(25 * 1024 * 1024) })],
  ] as const)("%i %s: %.80j", async (status, code, body) => {
    const account = await world.account({ deposit: "50" });
    expect(refusalOf(await run(account, body))).toEqual([status, code]);
    await world.expectUntouched(account, 50);
  });

  test("401 missing_api_key, invalid_api_key; 403 permission_denied for a session", async () => {
    const account = await world.account();
    const body = { model: "demo/image", prompt };
    expect(refusalOf(await world.gateway.request("POST", "/v1/genmedia/run", { body }))).toEqual([401, "missing_api_key"]);
    expect(refusalOf(await run({ ...account, key: "svc_wrong" }, body))).toEqual([401, "invalid_api_key"]);
    const { token } = await world.gateway.createSession(account);
    expect(refusalOf(await run({ ...account, key: token }, body))).toEqual([403, "permission_denied"]);
  });

  test("wrong_endpoint names the model's own, model_not_found what is near", async () => {
    const account = await world.account();
    expect((await run(account, { model: "demo/chat", prompt })).json.error).toContain("/v1/chat/completions");
    expect((await run(account, { model: "demo/imag", prompt })).json).toMatchObject({ did_you_mean: "demo/image" });
    const unlike = await run(account, { model: "zzzzzz", prompt });
    expect(unlike.json, "only what this endpoint sells").toMatchObject({ suggested_models: ["demo/image", "demo/edit", "demo/video"] });
  });

  test("403 permission_denied: a tier without video jobs, and the deposit that lifts it", async () => {
    const account = await world.account();
    const reply = await run(account, { model: "demo/video", prompt });
    expect(refusalOf(reply)).toEqual([403, "permission_denied"]);
    expect(reply.json.error).toContain("allows no video jobs; deposits of 50 USD");
  });
});

describe("money", () => {
  test("402 model_requires_paid: nothing was ever paid in", async () => {
    const reply = await run(await world.account({ credit: "5" }), { model: "demo/image", prompt });
    expect(refusalOf(reply)).toEqual([402, "model_requires_paid"]);
    expect(reply.json).toMatchObject({
      ...{ need_usd: 5, required: 5, have_usd: 5, balance: 5, held_usd: 0, topup_url: expect.any(String) },
      ...{ topup: { url: expect.any(String), minimum_usd: 5 }, details: { model: "demo/image", tier: 0 } },
    });
  });

  test("402 insufficient_credits: the hold cannot be placed", async () => {
    const account = await world.account({ deposit: "0.03" });
    const reply = await run(account, { model: "demo/image", prompt });
    expect(refusalOf(reply)).toEqual([402, "insufficient_credits"]);
    expect(reply.json).toMatchObject({ need_usd: 0.04, have_usd: 0.03, details: { model: "demo/image", tier: 0 } });
    await world.expectUntouched(account, 0.03);
  });

  test("402 key_limit_reached: the key may not spend so much", async () => {
    const account = await world.account();
    const key = { accountId: account.accountId, name: "small", budget: { limit: parseUsd("0.03")! }, at: new Date() };
    const { secret } = await createKey(world.gateway.context.db, key);
    expect(refusalOf(await run({ ...account, key: secret }, { model: "demo/image", prompt }))).toEqual([402, "key_limit_reached"]);
    await world.expectUntouched(account);
  });

  test("402 insufficient_credits of a job that got its slot after the money was spent", async () => {
    const account = await world.account({ deposit: "0.1" });
    const first = await newJob(world.gateway, account, { estimated: "0.07" });
    const running = run(account, { model: "demo/image", prompt });
    await untilQueued(account);
    await endJob(world.gateway, account, first, { to: "succeeded", charged: "0.07" });
    const reply = await running;
    expect(refusalOf(reply)).toEqual([402, "insufficient_credits"]);
    expect(reply.json).toMatchObject({
      need_usd: 0.04,
      have_usd: 0.03,
      details: { code: "insufficient_credits" },
    });
  });

  test("402 key_limit_reached of a job that got its slot after its key's budget was spent; the account could pay", async () => {
    const account = await world.account();
    const first = await newJob(world.gateway, account);
    const running = run(account, { model: "demo/image", prompt });
    await untilQueued(account);
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 4000000 where account_id = $1", [account.accountId]);
    await endJob(world.gateway, account, first, { to: "succeeded", charged: "0.03" });
    const reply = await running;
    expect(refusalOf(reply)).toEqual([402, "key_limit_reached"]);
    expect(reply.json).toMatchObject({ need_usd: 0.04, have_usd: 0.01, balance: 19.97 });
  });

  async function untilQueued({ accountId }: TestAccount): Promise<void> {
    const queued = "select 1 from media_job where account_id = $1 and status = 'queued'";
    await eventually(async () => expect((await world.gateway.context.db.pool.query(queued, [accountId])).rows).toHaveLength(1));
  }
});

describe("what the gateway cannot take", () => {
  test("429 rate_limited: the queue is full; retry in 5 s", async () => {
    const account = await world.account();
    for (let n = 0; n < 2; n += 1) await newJob(world.gateway, account);
    const reply = await run(account, { model: "demo/image", prompt });
    expect(refusalOf(reply)).toEqual([429, "rate_limited"]);
    expect(reply.headers["retry-after"]).toBe("5");
    await endJobsOf(world.gateway, account);
  });

  test("500 db_error: the database is away at the submit; nothing is held", async () => {
    const account = await world.account();
    const away = { part: "media_submit", code: "57P03" };
    const { context } = world.gateway;
    const ask = () => run(account, { model: "demo/image", prompt });
    const { result } = await withShortTimeout(context, () => whileFailing(context.db, away, ask));
    expect(refusalOf(result)).toEqual([500, "db_error"]);
    await world.expectUntouched(account);
  });
});

const jobCodes = Object.entries(errors).flatMap(([code, row]) => ("job" in row && row.job ? [code as JobErrorCode] : []));
const { statuses } = dialects.genmedia as { statuses: Partial<Record<string, number>> };

describe("a job that failed", () => {
  test.each(jobCodes.filter((code) => code !== "insufficient_credits"))("%s: its sentence, and its word", async (code) => {
    const account = await world.account();
    const job = await newJob(world.gateway, account, { api: "genmedia", idempotencyKey: code });
    await endJob(world.gateway, account, job, { to: "failed", code, message: "What the job says.", word: "a_word" });
    const reply = await run(account, { model: "demo/image", prompt, idempotency_key: code });
    expect(refusalOf(reply)).toEqual([code === "prompt_too_long" ? 400 : statuses[code], code]);
    expect(reply.json).toMatchObject({ error: "What the job says.", details: { error_type: "a_word" } });
    await world.expectUntouched(account);
  });

  test("504 timeout: it expired", async () => {
    const account = await world.account();
    const running = await newJob(world.gateway, account);
    await newJob(world.gateway, account, { api: "genmedia", idempotencyKey: "late" });
    await expireQueued(world.gateway, account);
    expect(refusalOf(await run(account, { model: "demo/image", prompt, idempotency_key: "late" }))).toEqual([504, "timeout"]);
    await endJob(world.gateway, account, running, { to: "failed" });
  });
});
