// What POST /v1/images/generations refuses, and in which order: each code with nothing held and no job made.
import { describe, expect, test } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import { withShortTimeout } from "../../support/media-jobs.ts";
import { heldOf, imageModels, submitWorld } from "./submit-gateway.ts";

const world = submitWorld("/v1/images/generations", "img/plain");
const { refused } = world;
const raw = (key: string | undefined, body: unknown, headers: Record<string, string> = {}) =>
  world.gateway.request("POST", "/v1/images/generations", { ...(key === undefined ? {} : { key }), body, headers });
const codeOf = ({ status, json }: Awaited<ReturnType<typeof raw>>) => [status, json.error.code];

describe("400 invalid_model", () => {
  test.each(["img/unknown", "demo/chat", "vid/steps", "img/paused", "img/retired", "drawn", "", "x".repeat(100_000)])(
    "%.40s",
    async (model) => {
      const { json } = await refused({ model }, 400, "invalid_model");
      expect(json.error).toMatchObject({ param: "model", type: "invalid_request_error" });
      expect(json.error.message.length).toBeLessThan(400);
      const served = imageModels.filter((one) => !("state" in one)).map(({ id }) => id);
      expect(served).toEqual(expect.arrayContaining(json.suggested_models));
      expect(json.suggested_models).not.toEqual([]);
    },
  );
  test("names what was likely meant, and what replaces a retired model", async () => {
    expect((await refused({ model: "img/plian" }, 400, "invalid_model")).json.did_you_mean).toBe("img/plain");
    expect((await refused({ model: "img/retired" }, 400, "invalid_model")).json.did_you_mean).toBe("img/plain");
  });
  test("says what is the matter with a model of the catalog, and what takes its place", async () => {
    const messageOf = async (model: string) => (await refused({ model }, 400, "invalid_model")).json.error.message;
    expect(await messageOf("img/retired")).toMatch(/img\/retired .*; it is retired\. Use img\/plain instead\.$/);
    expect(await messageOf("drawn")).toMatch(/drawn .*; it is retired\. Use img\/plain instead\.$/);
    expect(await messageOf("img/paused")).toMatch(/img\/paused .*; it is paused\.$/);
    expect(await messageOf("vid/steps")).toMatch(/; it is served by \/v1\/videos\/generations\.$/);
    expect(await messageOf("demo/chat")).toMatch(/; it is served by \/v1\/chat\/completions\.$/);
    expect(await messageOf("img/unknown")).toMatch(/ is not an image model that is served here\.$/);
  });
  test.each([{ model: undefined }, { model: null }, { model: 5 }, { model: ["img/plain"] }])("an invalid model: %j", async (body) => {
    expect((await refused(body, 400, "invalid_model")).json.error.param).toBe("model");
  });
});

describe("400 invalid_prompt", () => {
  test.each([undefined, null, 5, ["a"], "", "  \n ", "a".repeat(4001), "🎈".repeat(4001), "a\0b"])("%#", async (prompt) => {
    expect((await refused({ prompt }, 400, "invalid_prompt")).json.error.param).toBe("prompt");
  });
  test("4000 characters are taken, however many units they have", async () => {
    expect((await world.submit(await world.account(), { prompt: "🎈".repeat(4000) })).status).toBe(202);
  });
  test("half a surrogate pair is no fault", async () => {
    expect(
      (await raw((await world.account()).key, '{"model":"img/plain","prompt":"a \\ud800 b","extra":{"style":"\\udc00"}}')).status,
    ).toBe(202);
  });
});

test("400 invalid_parameter: a NUL where it could not be kept", async () => {
  expect((await refused({ extra: { style: "a\0" } }, 400, "invalid_parameter")).json.error.param).toBe("extra.style");
});

describe("400 invalid_parameter: an address in extra that may lead into a private network reaches no provider", () => {
  test.each<[object, string]>([
    [{ loras: [{ path: "http://169.254.169.254/latest/" }] }, "extra.loras[0].path"],
    [{ controlnets: [{ scale: 1, control: { image_url: "https://metadata/" } }] }, "extra.controlnets[0].control.image_url"],
    [{ adapter: "file:///etc/passwd" }, "extra.adapter"],
    [{ adapter: "http://models.example.com/a" }, "extra.adapter"],
    [{ adapter: ["https://models.example.com/a", "https://127.0.0.1.nip.io/"] }, "extra.adapter[1]"],
    [{ adapter: " https://vllm:8000/" }, "extra.adapter"],
    [{ adapter: "s3://bucket/a" }, "extra.adapter"],
    [{ lora: "http://10.0.0.1/a b" }, "extra.lora"],
    [{ lora: "http://models.example.com/a b" }, "extra.lora"],
    [{ lora: "file:///models/a b" }, "extra.lora"],
    [{ lora: "h\tttp://10.0.0.1/a" }, "extra.lora"],
    [{ lora: "\u0001http://10.0.0.1/a" }, "extra.lora"],
    [{ lora: "https://kubernetes.default/" }, "extra.lora"],
    [{ negative_prompt: "https://10.0.0.1/ is ugly" }, "extra.negative_prompt"],
    [{ negative_prompt: "http://10.0.0.1 is ugly" }, "extra.negative_prompt"],
    [{ negative_prompt: "https://x.com @10.0.0.1/ is ugly" }, "extra.negative_prompt"],
    [{ negative_prompt: "https://x.com \\@10.0.0.1/ is ugly" }, "extra.negative_prompt"],
    [{ negative_prompt: "https://x.com\n.internal/ is ugly" }, "extra.negative_prompt"],
    [{ negative_prompt: "https://vllm\n.x.com/ is ugly" }, "extra.negative_prompt"],
    [{ negative_prompt: "https://x.com\ufeff.internal/ is ugly" }, "extra.negative_prompt"],
  ])("%j", async (extra, param) => {
    expect((await refused({ extra }, 400, "invalid_parameter")).json.error.param).toBe(param);
  });
  test.each([
    "https://x.com is ugly",
    "http://x.com is ugly",
    " https://x.com, https://y.com: both are ugly",
    "https://x.com/a b is ugly; http://127.0.0.1/ is too",
    "https://x.com\nis ugly",
    "file: ugly",
    "/ugly",
  ])("words that begin with a public address, or with none, are taken: %j", async (negative_prompt) => {
    expect((await world.submit(await world.account(), { extra: { negative_prompt } })).status).toBe(202);
  });
  test("public ones, words and what is left out anyway are taken", async () => {
    const extra = {
      loras: [{ path: "https://models.example.com/a" }, { path: "owner/name" }],
      negative_prompt: "no http://127.0.0.1/ please",
      image_url: "http://127.0.0.1/",
    };
    expect((await world.submit(await world.account(), { extra })).status).toBe(202);
  });
});

describe("before any field", () => {
  test("401 auth_error: no key, or a wrong one", async () => {
    expect(codeOf(await raw(undefined, {}))).toEqual([401, "auth_error"]);
    expect(codeOf(await raw("svc_wrong", {}))).toEqual([401, "auth_error"]);
  });
  test("400 invalid_parameter: no JSON object", async () => {
    const { key } = await world.account();
    expect(codeOf(await raw(key, "{"))).toEqual([400, "invalid_parameter"]);
    expect(codeOf(await raw(key, "[]"))).toEqual([400, "invalid_parameter"]);
  });
  test("413 invalid_request: more than 25 MB", async () => {
    const body = JSON.stringify({ model: "img/plain", prompt: "x".repeat(25 * 1024 * 1024) });
    expect(codeOf(await raw((await world.account()).key, body))).toEqual([413, "invalid_request"]);
  });
  test("403 permission_denied: a suspended account", async () => {
    const account = await world.account();
    await setSuspended(world.gateway.context.db, account.accountId, new Date());
    expect(codeOf(await raw(account.key, {}))).toEqual([403, "permission_denied"]);
  });
});

describe("402", () => {
  test("model_requires_paid: an account that never paid reaches the free model alone", async () => {
    const account = await world.account({ signupCredit: true });
    const { json } = await refused({}, 402, "model_requires_paid", account);
    expect(json).toMatchObject({ details: { model: "img/plain", tier: 0 }, have_usd: 0.5 });
    expect((await world.submit(account, { model: "img/free" })).status).toBe(202);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.0035, balance: 0.4965 });
  });
  test("insufficient_balance: the hold does not fit, and says by how much", async () => {
    const account = await world.account({ deposit: "0.15" });
    const { json } = await refused({ n: 4 }, 402, "insufficient_balance", account);
    expect(json).toMatchObject({
      need_usd: 0.16,
      have_usd: 0.15,
      required: 0.16,
      balance: 0.15,
      held_usd: 0,
      topup_url: expect.any(String),
    });
    expect((await world.submit(account, { n: 3 })).status).toBe(202);
    await refused({}, 402, "insufficient_balance", account);
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.12, balance: 0.03 });
  });
  test("key_limit_reached: the account could pay, the key may not", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 3999999 where account_id = $1", [account.accountId]);
    expect((await refused({}, 402, "key_limit_reached", account)).json).toMatchObject({ need_usd: 0.04, have_usd: 0.03999999 });
  });
});

describe("429 rate_limited", () => {
  test("the queue is full: slots, then places in it, then none; a refused submit holds nothing", async () => {
    const account = await world.account({ credit: "1" }); // tier 0: 2 run, 6 wait
    const replies = [];
    for (let index = 0; index < 8; index++) replies.push(await world.submit(account, { model: "img/free" }));
    expect(replies.map(({ status, json }) => [status, json.status, json.queue_position])).toEqual([
      [202, "pending", undefined],
      [202, "pending", undefined],
      ...[1, 2, 3, 4, 5, 6].map((turn) => [200, "queued", turn]),
    ]);
    expect(replies[2]!.json).toEqual({
      ...{ id: expect.stringMatching(/^job_/), object: "image.job", status: "queued", queue_position: 1, model: "img/free" },
      ...{ created_at: expect.any(String), estimated_cost: 0.0035 },
    });
    expect(replies[2]!.headers["retry-after"]).toBe("1");
    expect(await heldOf(world.gateway, account)).toEqual({ held: 0.007, balance: 0.993 });
    const full = await refused({ model: "img/free" }, 429, "rate_limited", account);
    expect(full.json.error.message).toContain("6");
    expect(full.headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
  });
});

describe("500", () => {
  test("provider_error: no route of the model speaks a protocol that makes images; not retryable", async () => {
    const reply = await refused({ model: "img/nowhere" }, 500, "provider_error");
    expect([reply.json.error.type, reply.headers["x-should-retry"], reply.json.error.retryable]).toEqual(["api_error", "false", false]);
  });
  test("db_error: the database goes away at the submit", async () => {
    const account = await world.account();
    await refused({ model: "img/unknown" }, 400, "invalid_model", account); // the account is known from here on
    const away = { part: "media_submit", code: "57P01" };
    const { context } = world.gateway;
    const { result } = await withShortTimeout(context, () => whileFailing(context.db, away, () => refused({}, 500, "db_error", account)));
    expect(result.json.error.type).toBe("api_error");
  });
});

describe("the first of several refusals", () => {
  test.each([
    [{ model: 5, prompt: "" }, 400, "invalid_model"],
    [{ model: "img/unknown", prompt: "" }, 400, "invalid_prompt"],
    [{ model: "img/unknown", size: 5 }, 400, "invalid_parameter"],
    [{ model: "img/paused", image_url: "http://localhost" }, 400, "invalid_model"],
    [{ model: "img/edit" }, 400, "image_url_required"],
    [{ model: "img/quality", quality: "best" }, 400, "invalid_parameter"],
    [{ model: "img/plain" }, 402, "model_requires_paid"],
    [{ model: "img/nowhere" }, 402, "model_requires_paid"],
  ])("of a poor account: %j is %i %s", async (body, status, code) => {
    await refused(body, status, code, await world.account({ signupCredit: true }));
  });
});
