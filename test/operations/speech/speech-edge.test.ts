// What is checked before a speech, music or sound request is read: the key, the size of the body, its syntax, the rate; in this order and in
// the endpoint's own format.
import { describe, expect, test } from "vitest";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import { highTiers } from "../../support/tiers.ts";
import { familyA, perSecond, soundModel, speechWorld } from "./speech-gateway.ts";

const models = [familyA("demo/a"), perSecond("demo/score"), soundModel("demo/sounds")];
const world = speechWorld(models);
const slow = speechWorld(models, { tiers: highTiers({ per_model_rpm: 1 }) });

const endpoints = [
  ["speech", { input: "Hello" }, "missing_api_key", "invalid_api_key", { item: "character", quantity: 5 }],
  ["music", { prompt: "Hello", music_length_ms: 3000 }, "auth_error", "auth_error", { item: "second", quantity: 3 }],
  ["sfx", { prompt: "Hello" }, "missing_api_key", "invalid_api_key", { item: "call", quantity: 1 }],
] as const;
const post = (path: string, key: string | undefined, body: unknown) =>
  world.gateway.request("POST", `/v1/audio/${path}`, { ...(key !== undefined && { key }), body });

describe.each(endpoints)("%s", (path, good, missing, wrong, billed) => {
  test("401 before anything else", async () => {
    for (const body of [good, "{", {}, undefined]) {
      expect((await post(path, undefined, body)).json.error.code).toBe(missing);
      const reply = await post(path, "svc_wrong", body);
      expect([reply.status, reply.json.error.code]).toEqual([401, wrong]);
    }
  });

  test("413 request_too_large above 25 MB, before its JSON is read", async () => {
    const { key } = await world.account();
    const reply = await post(path, key, `{"filler": "${"x".repeat(25 * 1024 * 1024)}`);
    expect([reply.status, reply.json.error.code]).toEqual([413, "request_too_large"]);
  });

  test("400 invalid_request for what is no JSON object", async () => {
    const { key } = await world.account();
    for (const body of ["", "[]", '"text"', "{", '{"input": "\ud800']) {
      const reply = await post(path, key, body);
      expect([reply.status, reply.json.error.code]).toEqual([400, "invalid_request"]);
    }
    const form = await world.gateway.request("POST", `/v1/audio/${path}`, {
      key,
      body: "input=Hello",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    expect([form.status, form.json.error.code]).toEqual([400, "invalid_request"]);
  });

  test("429 rate_limit_exceeded for the model, after the free-tier gate; a refused call counts for nothing", async () => {
    await awayFromMinuteEdge();
    const account = await slow.account();
    const broke = { ...good, model: "demo/none" };
    expect((await slow.ask(account, broke, path)).status).toBe(404);
    expect((await slow.ask(account, good, path)).status).toBe(200);
    const reply = await slow.ask(account, good, path);
    expect([reply.status, reply.json.error.code]).toEqual([429, "rate_limit_exceeded"]);
    expect(reply.headers).toHaveProperty("retry-after-ms");
    const poor = await slow.account({ signupCredit: true });
    for (let n = 0; n < 3; n += 1) expect((await slow.ask(poor, good, path)).status).toBe(402);
  });

  test("402 gives the counted call back", async () => {
    const account = await slow.account({ deposit: "0.0001" });
    for (let n = 0; n < 3; n += 1) expect((await slow.ask(account, good, path)).status).toBe(402);
  });

  test("a receipt says what was billed", async () => {
    const account = await world.account();
    const reply = await world.ask(account, good, path);
    const receipt = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
    expect(receipt.status).toBe(200);
    expect(receipt.json.charge.lines).toMatchObject([billed]);
    expect(receipt.json.charge.cost_usd).toBe(Number(reply.headers["x-svc-cost-usd"]));
  });
});
