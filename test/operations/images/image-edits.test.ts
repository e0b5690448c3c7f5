// POST /v1/images/edits: uploaded images are the references of an image job, whose images are in the answer: same prices, hold and refusals.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeImage } from "../../../src/simulator/made/image.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { whileFailing } from "../../support/failing-statements.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { endedJob, endJob, jobDeadlines, newJob, withShortTimeout } from "../../support/media-jobs.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

const queue = (model: string) => ({ provider: "queue", model: `ember/flash-image${model}` });
const north = (model: string) => ({ provider: "north", model: `image-large${model}` });
/** What a job fails with, by a directive of the simulator, and the status that its caller gets. */
const faults: [code: string, status: number, route: { provider: string; model: string }][] = [
  ["content_policy", 422, queue("+sim-refuse")],
  ["content_policy_likeness", 422, queue("+sim-policy-likeness")],
  ["content_policy_nsfw", 422, queue("+sim-policy-nsfw")],
  ["content_policy_unsafe", 422, queue("+sim-policy-unsafe")],
  ["moderation_blocked", 422, north("+sim-refuse")],
  ["input_too_large", 422, queue("+sim-job-image_too_large")],
  ["input_invalid", 422, queue("+sim-job-image_load_error")],
  ["invalid_input", 422, north("+sim-reject")],
  ["prompt_too_long", 400, queue("+sim-job-string_too_long")],
  ["provider_timeout", 504, queue("+sim-job-generation_timeout")],
  ["provider_rate_limited", 429, queue("+sim-429")],
  ["provider_unavailable", 502, queue("+sim-fail-503")],
  ["provider_error", 500, north("+sim-images-0")],
  ["timeout", 504, queue("+sim-job-hang")],
];
const image = (id: string, route: object, more: object = {}) => ({
  ...{ id, type: "image", input_modalities: ["text", "image"], pricing: { mode: "per-image", usd_per_image: 0.04 } },
  ...{ routes: [route], ...more },
});
const folder = scratchFolder("image-edits-");
const { deadlineMs, endsSoon } = jobDeadlines();
const world = chatWorld(
  [
    ...faults.map(([code, , route]) => image(`fails/${code}`, route)),
    image("demo/edit", north(""), { supports_mask: true, reference_usd: 0.01, max_references: 3, requires_image: true }),
    image("demo/queued", queue(""), { supports_mask: true }),
    image("demo/slow", queue("+sim-job-hang")),
    image("demo/no-mask", queue("")),
    image("demo/draws", queue(""), { input_modalities: ["text"] }),
  ],
  {
    providers: [provider("north"), provider("queue", { protocol: "fal", base_url: "simulator:/fal" })],
    tiers: highTiers({ image_concurrent: 2, image_queue_depth_cap: 0 }),
  },
  { env: { SVC_DATA_DIR: folder }, jobs: { lookMs: { first: 10, last: 50 }, deadlineMs } },
);

const png = (seed: string) => makeImage("png", 64, 64, seed).bytes;
interface Sent {
  image?: Buffer[];
  mask?: Buffer;
  /** The name of the part of the images. */
  part?: string;
}
const one: Sent = { image: [png("harbour")] };

async function edit({ key }: TestAccount, fields: Record<string, string> = {}, sent: Sent = one, headers: Record<string, string> = {}) {
  const form = new FormData();
  const file = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]);
  for (const bytes of sent.image ?? []) form.append(sent.part ?? "image", file(bytes), "a.png");
  if (sent.mask !== undefined) form.append("mask", file(sent.mask), "mask.png");
  for (const [name, value] of Object.entries({ model: "demo/edit", prompt: "A starry night", ...fields })) form.append(name, value);
  const written = new Response(form);
  const body = Buffer.from(await written.arrayBuffer());
  return world.gateway.request("POST", "/v1/images/edits", {
    ...{ key, body },
    headers: { "content-type": written.headers.get("content-type")!, ...headers },
  });
}

const jobsOf = async ({ key }: TestAccount) => (await world.gateway.request("GET", "/v1/jobs", { key })).json.data;
const onDisk = () => readdirSync(join(folder, "media-incoming"));

describe("200", () => {
  test("the images with their job, charged once, the fee for references included; the uploads are gone with the job", async () => {
    const account = await world.account();
    const { status, json, headers } = await edit(account, { n: "2" }, { image: [png("a"), png("b")], mask: png("mask"), part: "image[]" });
    expect([status, headers["preference-applied"]]).toEqual([200, "wait"]);
    expect(json).toMatchObject({ object: "image.job", status: "succeeded", charged_amount: 0.09, created: expect.any(Number) });
    expect(json.data).toEqual(json.output.metadata.images.map(({ url }: { url: string }) => ({ url })));
    expect(json.data).toHaveLength(2);
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.91, reserved: 0, spent: 0.09 });
    const files = world.gateway.simulator.calls()[0]!.parts!.filter(({ bytes }) => bytes > 50);
    expect(files.map(({ name, contentType, bytes }) => [name, contentType, bytes])).toEqual([
      ["image[]", "image/png", png("a").length],
      ["image[]", "image/png", png("b").length],
      ["mask", "image/png", png("mask").length],
    ]);
    const { rows } = await world.gateway.context.db.pool.query("select operation, request from media_job where account_id = $1", [
      account.accountId,
    ]);
    expect(rows).toEqual([{ operation: "createImageEdit", request: null }]);
    await expect.poll(onDisk).toEqual([]);
  });

  test("a provider that takes addresses gets data URLs", async () => {
    const account = await world.account();
    const { status } = await edit(account, { model: "demo/queued" }, { ...one, mask: png("mask") });
    expect(status).toBe(200);
    const url = (bytes: Buffer) => `data:image/png;base64,${bytes.toString("base64")}`;
    const harbour = url(one.image![0]!);
    expect(world.gateway.simulator.calls().find(({ method }) => method === "POST")!.json).toMatchObject({
      ...{ prompt: "A starry night", image_url: harbour, image_urls: [harbour], mask_url: url(png("mask")) },
    });
  });

  test("b64_json: the very bytes; the same key again: the same job, for one charge", async () => {
    const account = await world.account();
    const send = () => edit(account, { response_format: "b64_json" }, one, { "idempotency-key": "cover" });
    const first = await send();
    const file = Buffer.from(await (await fetch(first.json.output.url)).arrayBuffer());
    expect(Buffer.from(first.json.data[0].b64_json, "base64").equals(file)).toBe(true);
    expect((await send()).json).toEqual(first.json);
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: 0.05 });
  });

  test("not ready in time: 202 with the job, which goes on", async () => {
    const account = await world.account();
    const ended = await endsSoon(async () => {
      const { status, json } = await edit(account, { model: "demo/slow" }, one, { prefer: "wait=0" });
      expect([status, json.data, json.estimated_cost]).toEqual([202, undefined, 0.04]);
      expect(await world.gateway.balance(account)).toMatchObject({ balance: 19.96 });
      return endedJob(world.gateway, json.id as string, account.key);
    }, 8_000);
    expect(ended.json).toMatchObject({ status: "failed", error: { code: "timeout" } });
    await world.expectUntouched(account);
  });
});

describe("refused before anything is held", () => {
  const many = { image: ["a", "b", "c", "d"].map(png) };
  test.each<[number, string, string, Record<string, string>, Sent]>([
    [400, "invalid_parameter", "image", {}, {}],
    [400, "invalid_parameter", "image", {}, { image: [Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>")] }],
    [400, "invalid_parameter", "mask", {}, { ...one, mask: Buffer.from("no image") }],
    [400, "invalid_prompt", "prompt", { prompt: " " }, one],
    [400, "invalid_model", "model", { model: "demo/none" }, one],
    [400, "too_many_references", "image", {}, many],
    [400, "invalid_parameter", "n", { n: "two" }, one],
    [413, "invalid_request", "image", {}, { image: [png("a"), Buffer.alloc(25 * 1024 * 1024, png("b"))] }],
  ])("%i %s: %s %j", async (status, code, param, fields, sent) => {
    const account = await world.account();
    const { status: given, json } = await edit(account, fields, sent);
    expect([given, json.error.code, json.error.param]).toEqual([status, code, param]);
    expect(await jobsOf(account)).toEqual([]);
    await expect.poll(onDisk).toEqual([]);
    await world.expectUntouched(account);
  });

  test("400 invalid_parameter names the models that edit, and those that take a mask", async () => {
    const account = await world.account();
    const draws = await edit(account, { model: "demo/draws" });
    expect([draws.status, draws.json.error.code, draws.json.error.param]).toEqual([400, "invalid_parameter", "model"]);
    expect(draws.json.error.message).toContain("demo/draws does not edit images; these models do: fails/content_policy");
    const masked = await edit(account, { model: "demo/no-mask" }, { ...one, mask: png("mask") });
    expect([masked.status, masked.json.error.code, masked.json.error.param]).toEqual([400, "invalid_parameter", "mask"]);
    expect(masked.json.error.message).toContain("demo/no-mask takes no mask; these models do: demo/edit, demo/queued");
  });

  test("401: without a key, and with an unknown one", async () => {
    const form = { body: "", headers: { "content-type": "multipart/form-data; boundary=x" } };
    const codeOf = async (more: object) => (await world.gateway.request("POST", "/v1/images/edits", { ...form, ...more })).json.error.code;
    expect([await codeOf({}), await codeOf({ key: "svc_wrong" })]).toEqual(["auth_error", "auth_error"]);
  });

  test("402: a newcomer, a balance and a budget that do not reach; 403 model_not_allowed", async () => {
    const codeOf = async (account: TestAccount) => {
      const { status, json } = await edit(account);
      return [status, json.error.code];
    };
    expect(await codeOf(await world.account({ signupCredit: true }))).toEqual([402, "model_requires_paid"]);
    expect(await codeOf(await world.account({ deposit: "0.04" }))).toEqual([402, "insufficient_balance"]);
    const bound = await world.account();
    const { pool } = world.gateway.context.db;
    await pool.query("update key_budget set limit_amount = 1000 where account_id = $1", [bound.accountId]);
    expect(await codeOf(bound)).toEqual([402, "key_limit_reached"]);
    const other = await world.account();
    await pool.query("update api_key set allowed_models = '{demo/draws}' where account_id = $1", [other.accountId]);
    expect(await codeOf(other)).toEqual([403, "model_not_allowed"]);
  });

  test("429 rate_limited: slots and queue are those of all images", async () => {
    const account = await world.account();
    const running = [await newJob(world.gateway, account), await newJob(world.gateway, account)];
    const { status, json } = await edit(account);
    expect([status, json.error.code]).toEqual([429, "rate_limited"]);
    for (const job of running) await endJob(world.gateway, account, job, { to: "failed" });
  });

  test("500 db_error: the database goes away at the submit", async () => {
    const account = await world.account();
    await edit(account, { model: "demo/none" }); // the account is known from here on
    const { context } = world.gateway;
    const failing = () => whileFailing(context.db, { part: "media_submit", code: "57P01" }, () => edit(account));
    const { status, json } = (await withShortTimeout(context, failing)).result;
    expect([status, json.error.code]).toEqual([500, "db_error"]);
  });
});

describe("a job that fails meanwhile is its caller's error, and nothing is charged", () => {
  test.each(faults)("%s: %i", async (code, status) => {
    const account = await world.account();
    const failing = () => edit(account, { model: `fails/${code}` });
    const failed = await (code === "timeout" ? endsSoon(failing) : failing());
    expect([failed.status, failed.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });
});
