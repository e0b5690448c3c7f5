// POST /v1/videos/generations: the effect of each field, the amount held, and each refusal with nothing held.
import { describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { postEntry } from "../../../src/ledger/post.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { withShortTimeout } from "../../support/media-jobs.ts";
import { videoModels, heldOf, imageModels, submitWorld } from "../images/submit-gateway.ts";

const world = submitWorld("/v1/videos/generations", "vid/steps");
const { accepted, refused } = world;
const raw = (key: string | undefined, body: unknown) =>
  world.gateway.request("POST", "/v1/videos/generations", { ...(key === undefined ? {} : { key }), body });
const codeOf = ({ status, json }: Awaited<ReturnType<typeof raw>>) => [status, json.error.code];
const address = "https://a.example/1.png";

describe("a new job", () => {
  test("202 pending, its hold placed; an alias names the model", async () => {
    const account = await world.account();
    const { status, json, headers } = await world.submit(account, { model: "film" });
    expect(status).toBe(202);
    expect(json).toEqual({
      ...{ id: expect.stringMatching(/^vid_[0-9a-f]{32}$/), object: "video.job", status: "pending", model: "vid/steps" },
      ...{ created_at: expect.any(String), completed_at: null, output: null, error: null },
      ...{ estimated_cost: 0.5, charged_amount: null, refunded_amount: null },
    });
    expect(headers).toMatchObject({ "retry-after": "1", "x-svc-alias": "film" });
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.5, balance: 19.5 });
  });

  test("an idempotency key names it: one job, one hold", async () => {
    const account = await world.account();
    const replies = await Promise.all([1, 2].map(() => world.submit(account, {}, { "idempotency-key": "shot-3" })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 202]);
    expect(replies[0]!.json.id).toBe(replies[1]!.json.id);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.5, balance: 19.5 });
  });

  test("the idempotency key of an image names no video", async () => {
    const account = await world.account();
    const body = { model: "img/plain", prompt: "A lighthouse", idempotency_key: "both" };
    const image = await world.gateway.request("POST", "/v1/images/generations", { key: account.key, body });
    const film = await world.submit(account, { idempotency_key: "both" });
    expect([image.status, film.status]).toEqual([202, 202]);
  });

  test("null means not given; of extra only what the model names goes on", async () => {
    const none = { image_url: null, audio_url: null, duration_s: null, aspect_ratio: null, extra: null, idempotency_key: null };
    expect(await accepted(none, 0.5)).toEqual({
      ...{ prompt: "A lighthouse", firstFrame: null, soundTrack: null, seconds: 5, aspect: null, extra: {} },
    });
    const given = {
      image_url: address,
      audio_url: "https://a.example/1.mp3",
      aspect_ratio: "9:16",
      extra: { cfg_scale: 0.5, seed: 1, duration: 10 },
    };
    expect(await accepted(given, 0.5)).toMatchObject({
      ...{ firstFrame: address, soundTrack: "https://a.example/1.mp3", aspect: "9:16", extra: { cfg_scale: 0.5 } },
    });
  });
});

describe("duration_s", () => {
  test.each([
    ["vid/steps", 5, 5, 0.5],
    ["vid/steps", 5.001, 10, 1],
    ["vid/steps", 0.1, 5, 0.5],
    ["vid/steps", 10, 10, 1],
    ["vid/any", null, 4, 0.4],
    ["vid/any", 7.25, 7.25, 0.725],
    ["vid/any", 1.00001, 1.001, 0.1001],
  ])("%s, %d: %d seconds are made and held", async (model, duration_s, seconds, hold) => {
    expect(await accepted({ model, duration_s }, hold)).toMatchObject({ seconds });
  });
  test.each([
    ["vid/steps", 0],
    ["vid/steps", -5],
    ["vid/steps", 10.5],
    ["vid/any", 300.1],
    ["vid/steps", "5"],
    ["vid/steps", [5]],
  ])("400 invalid_duration: %s, %j", async (model, duration_s) => {
    expect((await refused({ model, duration_s }, 400, "invalid_duration")).json.error.param).toBe("duration_s");
  });
  test("the refusal says what the model makes", async () => {
    const messageOf = async (model: string, duration_s: number) =>
      (await refused({ model, duration_s }, 400, "invalid_duration")).json.error.message;
    expect(await messageOf("vid/steps", 11)).toContain("it must be at most 10; it makes 5, 10 seconds.");
    expect(await messageOf("vid/any", 301)).toContain("it must be at most 300.");
  });
});

describe("400", () => {
  test.each(["img/plain", "demo/chat"])("invalid_model: %s makes no videos", async (model) => {
    const { json } = await refused({ model }, 400, "invalid_model");
    expect(json.suggested_models).toEqual(["vid/steps", "vid/any", "vid/first-frame", "vid/nowhere"]);
  });
  test.each([undefined, "", "a".repeat(4001), 5, "a\0"])("invalid_prompt: %#", async (prompt) => {
    expect((await refused({ prompt }, 400, "invalid_prompt")).json.error.param).toBe("prompt");
  });
  test("image_url_required: a model that starts from an image", async () => {
    await refused({ model: "vid/first-frame" }, 400, "image_url_required");
    expect(await accepted({ model: "vid/first-frame", image_url: address }, 0.6)).toMatchObject({ firstFrame: address, seconds: 6 });
  });
  test.each([
    [{ image_url: "http://a.example/1" }, "image_url"],
    [{ audio_url: "https://10.0.0.1/1" }, "audio_url"],
    [{ aspect_ratio: "1:1" }, "aspect_ratio"],
    [{ extra: [] }, "extra"],
    [{ extra: { cfg_scale: "http://10.0.0.1/a" } }, "extra.cfg_scale"],
    [{ model: undefined }, "model"],
    [{ model: 5 }, "model"],
  ])("invalid_parameter: %j", async (body, param) => {
    expect((await refused(body, 400, "invalid_parameter")).json.error.param).toBe(param);
  });
  test("invalid_parameter: no JSON object", async () => {
    expect(codeOf(await raw((await world.account()).key, "{"))).toEqual([400, "invalid_parameter"]);
  });
});

describe("404 model_not_found", () => {
  test.each(["vid/unknown", "vid/paused", ""])("%j", async (model) => {
    const { json } = await refused({ model }, 404, "model_not_found");
    expect(json.suggested_models[0]).toMatch(/^vid\//);
  });
});

describe("callers who may not", () => {
  test("401 auth_error", async () => {
    expect(codeOf(await raw(undefined, {}))).toEqual([401, "auth_error"]);
    expect(codeOf(await raw("svc_wrong", {}))).toEqual([401, "auth_error"]);
  });
  test("402 model_requires_paid: before the tier without slots", async () => {
    await refused({}, 402, "model_requires_paid", await world.account({ signupCredit: true }));
  });
  test("402 insufficient_balance", async () => {
    const { json } = await refused({ model: "vid/any", duration_s: 201 }, 402, "insufficient_balance");
    expect(json).toMatchObject({ need_usd: 20.1, have_usd: 20, held_usd: 0 });
  });
  test("402 key_limit_reached", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 1 where account_id = $1", [account.accountId]);
    await refused({}, 402, "key_limit_reached", account);
  });
  test("403 permission_denied: a tier without video slots, and which deposit lifts it", async () => {
    const account = await world.account({ deposit: "1", credit: "10" });
    const { json } = await refused({}, 403, "permission_denied", account);
    expect(json.error.message).toContain("deposits of 5 USD in total lift this");
  });
  test("202 right after the first deposit, although the caller was known without it", async () => {
    const account = await world.account({ signupCredit: true });
    await refused({}, 402, "model_requires_paid", account);
    const { db } = world.gateway.context;
    await postEntry(db, { accountId: account.accountId, kind: "deposit", amount: 500_000_000n, ref: "test", at: new Date() });
    expect((await world.submit(account, {})).status).toBe(202);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.5, balance: 5 });
  });
  test("403 permission_denied: a suspended account", async () => {
    const account = await world.account();
    await setSuspended(world.gateway.context.db, account.accountId, new Date());
    expect(codeOf(await raw(account.key, {}))).toEqual([403, "permission_denied"]);
  });
  test("413 invalid_request: more than 25 MB", async () => {
    expect(codeOf(await raw((await world.account()).key, `{"prompt":"${"x".repeat(25 * 1024 * 1024)}"}`))).toEqual([
      413,
      "invalid_request",
    ]);
  });
});

describe("500", () => {
  test("provider_error: no route of the model speaks a protocol that makes videos; not retryable", async () => {
    const reply = await refused({ model: "vid/nowhere" }, 500, "provider_error");
    expect([reply.json.error.type, reply.headers["x-should-retry"], reply.json.error.retryable]).toEqual(["api_error", "false", false]);
  });
  test("db_error: the database goes away at the submit", async () => {
    const account = await world.account();
    await refused({ duration_s: 0 }, 400, "invalid_duration", account); // the account is known from here on
    const away = { part: "media_submit", code: "57P01" };
    const { context } = world.gateway;
    await withShortTimeout(context, () => whileFailing(context.db, away, () => refused({}, 500, "db_error", account)));
  });
});

describe("while no video model is served", () => {
  const paused = videoModels.map((model) => ({ ...model, state: { paused: true } }));
  const without = submitWorld("/v1/videos/generations", "vid/steps", { models: [...imageModels, ...paused] });
  test.each([{}, "{", "", "[]", { model: 5 }, { model: "vid/steps", prompt: "" }, { model: "img/plain" }])(
    "404 model_not_found right after authentication, whatever the body: %j",
    async (body) => {
      const { gateway } = without;
      const poor = await gateway.createAccount({ signupCredit: true });
      const reply = await gateway.request("POST", "/v1/videos/generations", { key: poor.key, body });
      expect(codeOf(reply)).toEqual([404, "model_not_found"]);
      expect(codeOf(await gateway.request("POST", "/v1/videos/generations", { body }))).toEqual([401, "auth_error"]);
    },
  );
  test("404 for a body that is too large and of no type that is read", async () => {
    const { gateway } = without;
    const account = await gateway.createAccount();
    const body = "x".repeat(26 * 1024 * 1024);
    const headers = { "content-type": "text/plain" };
    expect(codeOf(await gateway.request("POST", "/v1/videos/generations", { key: account.key, body, headers }))).toEqual([
      404,
      "model_not_found",
    ]);
  });
});
