// POST /v1/images/variations: one uploaded image and no prompt, as an image job of a model that makes variations: same prices, hold and refusals.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkCatalog } from "../../../src/catalog/load.ts";
import type { JobErrorCode } from "../../../src/jobs/types.ts";
import { makeImage } from "../../../src/simulator/made/image.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { endedJob, endJob, jobDeadlines, newJob, withShortTimeout } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language, provider } from "../chat/chat-gateway.ts";

/** What a job fails with, by a fault of the simulator, and the status that its caller gets. */
const faults: [code: string, status: number, fault: string][] = [
  ["moderation_blocked", 422, "+sim-refuse"],
  ["input_too_large", 422, "+sim-reject-413"],
  ["invalid_input", 422, "+sim-reject"],
  ["provider_rate_limited", 429, "+sim-429"],
  ["provider_unavailable", 502, "+sim-fail-503"],
  ["provider_error", 500, "+sim-images-0"],
  ["timeout", 504, "+sim-hang"],
];
const image = (id: string, model: string, more: object = {}) => ({
  ...{ id, type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, supports_variations: true },
  ...{ routes: [{ provider: "north", model }], ...more },
});
const folder = scratchFolder("image-variations-");
const { deadlineMs, endsSoon } = jobDeadlines();
const world = chatWorld(
  [
    ...faults.map(([code, , fault]) => image(`fails/${code}`, `image-large${fault}`)),
    image("demo/vary", "image-large", { reference_usd: 0.01 }),
    image("demo/urls", "dall-e-2"),
    image("demo/needs-one", "image-large", { requires_image: true, max_references: 1 }),
    image("demo/sized", "image-large", { allowed_sizes: ["1024x1024"] }),
    image("demo/slow", "image-large+sim-hang"),
    image("demo/edits", "image-large", { supports_variations: false, input_modalities: ["text", "image"] }),
    language("demo/chat", ["chat"]),
  ],
  { providers: [provider("north")], tiers: highTiers({ image_concurrent: 2, image_queue_depth_cap: 0 }) },
  { env: { SVC_DATA_DIR: folder }, jobs: { lookMs: { first: 10, last: 50 }, deadlineMs } },
);

const png = (seed: string) => makeImage("png", 64, 64, seed).bytes;
const one = [png("harbour")];

async function vary(
  { key }: TestAccount,
  fields: Record<string, string> = {},
  images: readonly Buffer[] = one,
  headers: Record<string, string> = {},
) {
  const form = new FormData();
  for (const bytes of images) form.append("image", new Blob([new Uint8Array(bytes)]), "a.png");
  for (const [name, value] of Object.entries({ model: "demo/vary", ...fields })) form.append(name, value);
  const written = new Response(form);
  const body = Buffer.from(await written.arrayBuffer());
  return world.gateway.request("POST", "/v1/images/variations", {
    ...{ key, body },
    headers: { "content-type": written.headers.get("content-type")!, ...headers },
  });
}

const jobsOf = async ({ key }: TestAccount) => (await world.gateway.request("GET", "/v1/jobs", { key })).json.data;
const onDisk = () => readdirSync(join(folder, "media-incoming"));

describe("200", () => {
  test("the images with their job, charged once, the fee for references included; the host gets the image and no prompt", async () => {
    const account = await world.account();
    const sent = { n: "2", size: "512x512", user: "ada", prompt: "ignored", quality: "ignored" };
    const { status, json, headers } = await vary(account, sent);
    expect([status, headers["preference-applied"]]).toEqual([200, "wait"]);
    expect(json).toMatchObject({ object: "image.job", status: "succeeded", charged_amount: 0.09, created: expect.any(Number) });
    expect(json.data).toEqual(json.output.metadata.images.map(({ url }: { url: string }) => ({ url })));
    expect(json.data).toHaveLength(2);
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.91, reserved: 0, spent: 0.09 });
    const [call] = world.gateway.simulator.calls();
    expect(call!.path).toMatch(/\/images\/variations$/);
    expect(call!.parts!.map(({ name, text, fileName, contentType }) => [name, fileName === null ? text : contentType])).toEqual([
      ["model", "image-large"],
      ["n", "2"],
      ["size", "1024x1024"],
      ["image", "image/png"],
    ]);
    const { rows } = await world.gateway.context.db.pool.query("select operation, request from media_job where account_id = $1", [
      account.accountId,
    ]);
    expect(rows).toEqual([{ operation: "createImageVariation", request: null }]);
    await expect.poll(onDisk).toEqual([]);
  });

  test("a host that answers with addresses; a model that needs an image", async () => {
    const account = await world.account();
    for (const model of ["demo/urls", "demo/needs-one"]) {
      const { status, json } = await vary(account, { model });
      expect([model, status, json.charged_amount, json.data.length]).toEqual([model, 200, 0.04, 1]);
    }
  });

  test("b64_json: the very bytes; the same key again: the same job, for one charge", async () => {
    const account = await world.account();
    const send = () => vary(account, { response_format: "b64_json" }, one, { "idempotency-key": "cover" });
    const first = await send();
    const file = Buffer.from(await (await fetch(first.json.output.url)).arrayBuffer());
    expect(Buffer.from(first.json.data[0].b64_json, "base64").equals(file)).toBe(true);
    expect((await send()).json).toEqual(first.json);
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: 0.05 });
  });

  test("not ready in time: 202 with the job, which goes on", async () => {
    const account = await world.account();
    const ended = await endsSoon(async () => {
      const { status, json } = await vary(account, { model: "demo/slow" }, one, { prefer: "wait=0" });
      expect([status, json.data, json.estimated_cost]).toEqual([202, undefined, 0.04]);
      return endedJob(world.gateway, json.id as string, account.key);
    }, 8_000);
    expect(ended.json).toMatchObject({ status: "failed", error: { code: "timeout" } });
    await world.expectUntouched(account);
  });
});

describe("refused before anything is held", () => {
  test.each<[number, string, string, Record<string, string>, Buffer[]]>([
    [400, "invalid_parameter", "image", {}, []],
    [400, "invalid_parameter", "image", {}, [png("a"), png("b")]],
    [400, "invalid_parameter", "image", {}, [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")]],
    [400, "invalid_model", "model", { model: "demo/none" }, one],
    [400, "invalid_model", "model", { model: "demo/chat" }, one],
    [400, "invalid_parameter", "n", { n: "two" }, one],
    [400, "invalid_parameter", "size", { model: "demo/sized", size: "17x17" }, one],
    [413, "invalid_request", "image", {}, [Buffer.alloc(25 * 1024 * 1024 + 1, png("b"))]],
  ])("%i %s: %s %j", async (status, code, param, fields, images) => {
    const account = await world.account();
    const { status: given, json } = await vary(account, fields, images);
    expect([given, json.error.code, json.error.param]).toEqual([status, code, param]);
    expect(await jobsOf(account)).toEqual([]);
    await expect.poll(onDisk).toEqual([]);
    await world.expectUntouched(account);
  });

  test("400 invalid_parameter names the models that make variations", async () => {
    const account = await world.account();
    const { status, json } = await vary(account, { model: "demo/edits" });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "model"]);
    expect(json.error.message).toContain("demo/edits makes no variations of images; these models do: fails/moderation_blocked");
    await world.expectUntouched(account);
  });

  test("401: without a key, and with an unknown one", async () => {
    const form = { body: "", headers: { "content-type": "multipart/form-data; boundary=x" } };
    const codeOf = async (more: object) =>
      (await world.gateway.request("POST", "/v1/images/variations", { ...form, ...more })).json.error.code;
    expect([await codeOf({}), await codeOf({ key: "svc_wrong" })]).toEqual(["auth_error", "auth_error"]);
  });

  test("402: a newcomer, a balance and a budget that do not reach; 403 model_not_allowed", async () => {
    const codeOf = async (account: TestAccount) => {
      const { status, json } = await vary(account);
      return [status, json.error.code];
    };
    expect(await codeOf(await world.account({ signupCredit: true }))).toEqual([402, "model_requires_paid"]);
    expect(await codeOf(await world.account({ deposit: "0.04" }))).toEqual([402, "insufficient_balance"]);
    const bound = await world.account();
    const { pool } = world.gateway.context.db;
    await pool.query("update key_budget set limit_amount = 1000 where account_id = $1", [bound.accountId]);
    expect(await codeOf(bound)).toEqual([402, "key_limit_reached"]);
    const other = await world.account();
    await pool.query("update api_key set allowed_models = '{demo/edits}' where account_id = $1", [other.accountId]);
    expect(await codeOf(other)).toEqual([403, "model_not_allowed"]);
  });

  test("429 rate_limited: slots and queue are those of all images", async () => {
    const account = await world.account();
    const running = [await newJob(world.gateway, account), await newJob(world.gateway, account)];
    const { status, json } = await vary(account);
    expect([status, json.error.code]).toEqual([429, "rate_limited"]);
    for (const job of running) await endJob(world.gateway, account, job, { to: "failed" });
  });

  test("500 db_error: the database goes away at the submit", async () => {
    const account = await world.account();
    await vary(account, { model: "demo/none" }); // the account is known from here on
    const { context } = world.gateway;
    const failing = () => whileFailing(context.db, { part: "media_submit", code: "57P01" }, () => vary(account));
    const { status, json } = (await withShortTimeout(context, failing)).result;
    expect([status, json.error.code]).toEqual([500, "db_error"]);
  });
});

describe("a job that fails meanwhile is its caller's error, and nothing is charged", () => {
  test.each(faults)("%s: %i", async (code, status) => {
    const account = await world.account();
    const failing = () => vary(account, { model: `fails/${code}` });
    const failed = await (code === "timeout" ? endsSoon(failing) : failing());
    expect([failed.status, failed.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });

  test.each<[JobErrorCode, number]>([
    ["prompt_too_long", 400],
    ["content_policy", 422],
    ["content_policy_likeness", 422],
    ["content_policy_nsfw", 422],
    ["content_policy_unsafe", 422],
    ["input_invalid", 422],
    ["provider_timeout", 504],
  ])("%s: %i, of a job of any images endpoint by its key", async (code, status) => {
    const account = await world.account();
    const job = await newJob(world.gateway, account, { idempotencyKey: "cover" });
    await endJob(world.gateway, account, job, { to: "failed", code });
    const failed = await vary(account, {}, one, { "idempotency-key": "cover" });
    expect([failed.status, failed.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });
});

describe("the catalog refuses supports_variations", () => {
  const model = image("demo/vary", "m");
  test.each([
    ["over a protocol that has none", { protocol: "fal" }, model, /speaks fal, over which no variations can be had/],
    ["of nothing", {}, { ...model, max_references: 0 }, /max_references: is 0, but a variation has an image/],
    [
      "outside images",
      {},
      language("demo/chat", ["m"], { supports_variations: true }),
      /supports_variations: belongs to image models only/,
    ],
  ])("%s", (_, more, wrong, message) => {
    const hosts = [{ ...provider("north"), base_url: "http://127.0.0.1:9001/v1", ...more }];
    const { problems } = checkCatalog(JSON.stringify({ providers: hosts, models: [wrong] }));
    expect(problems.map((problem) => problem.message)).toEqual([expect.stringMatching(message)]);
  });
});
