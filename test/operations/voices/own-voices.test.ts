// POST /v1/audio/voice-clone and /v1/audio/voice-design: what is made, recorded and charged, and what is refused for its fields or its money.
import { describe, expect, test } from "vitest";
import { ownerOf } from "../../../src/audio/voice-owner.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import { startGateway } from "../../support/gateway.ts";
import { ownVoicesWorld, sailor } from "./own-voices-gateway.ts";

const world = ownVoicesWorld();
const ours = /^svcv_[0-9a-f]{32}$/;
const both = ["clone", "design"] as const;
const priceOf = { clone: 2, design: 4.2 };
/** The endpoint's own usual request with a field changed. */
const make = (kind: "clone" | "design", account: Parameters<typeof world.clone>[0], fields: Record<string, string> = {}) =>
  kind === "clone" ? world.clone(account, fields) : world.design(account, { description: sailor, ...fields });

describe("200", () => {
  test.each(both)("%s: one voice, asked of the first route under an id of ours, filed, charged exactly, listed first", async (kind) => {
    const account = await world.account();
    const reply = await make(kind, account, { name: "My narrator" });
    const [cost, balance] = [priceOf[kind], 20 - priceOf[kind]];
    const model = `demo/${kind}`;
    expect([reply.status, reply.json]).toEqual([
      200,
      { voice_id: expect.stringMatching(ours), name: "My narrator", model, cost_usd: cost, balance_usd: balance },
    ]);
    expect(reply.headers).not.toHaveProperty("x-svc-alias");
    const { voice_id: voiceId } = reply.json;
    expect(world.asked).toMatchObject([{ provider: "mini", voiceId }]);
    expect(await world.gateway.balance(account)).toEqual({ balance, reserved: 0, spent: cost });
    expect(await ownerOf(world.gateway.context.db, voiceId)).toEqual({ accountId: account.accountId, provider: "mini" });
    expect(await world.listed(account)).toEqual([voiceId]);
    expect(await world.listed(await world.account())).toEqual([]);
    const amount = BigInt(cost * 1e8);
    expect(await world.logOf(reply)).toMatchObject({ status: "success", cost: amount, reserved: amount, model, unit: "call" });
    const receipt = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
    expect([receipt.status, receipt.json.charge?.cost_usd]).toEqual([200, cost]);
  });

  test.each(both)("%s: without a name its id is its name; an alias of the model is shown", async (kind) => {
    const { json, headers } = await make(kind, await world.account(), { model: kind, name: " " });
    expect([json.name, json.model, headers["x-svc-alias"]]).toEqual([json.voice_id, `demo/${kind}`, kind]);
  });

  test("a voice that costs nothing is listed as well", async () => {
    const account = await world.account();
    const { json } = await world.design(account, { description: sailor, model: "demo/free-design" });
    expect([json.cost_usd, json.balance_usd, await world.listed(account)]).toEqual([0, 20, [json.voice_id]]);
  });

  test.each(both)("%s: two at once are two voices", async (kind) => {
    const account = await world.account();
    const replies = await Promise.all([make(kind, account), make(kind, account)]);
    expect(new Set(await world.listed(account))).toEqual(new Set(replies.map(({ json }) => json.voice_id)));
    expect((await world.gateway.balance(account)).balance).toBe(20 - 2 * priceOf[kind]);
  });

  test("a name counts in characters after NFC; half of a pair stands for what could not be read", async () => {
    const account = await world.account();
    const long = await world.design(account, { description: sailor, name: "e\u0301".repeat(63) + "😀" });
    expect(long.json.name).toBe("é".repeat(63) + "😀");
    expect((await world.design(account, { description: sailor, name: "a\ud800b" })).json.name).toBe("a\ufffdb");
  });

  test("the voice sample goes to the provider unchanged", async () => {
    await world.clone(await world.account());
    expect(world.asked[0]!.order).toMatchObject({ file: { extension: "wav", contentType: "audio/wav", bytes: 44 + 11 * 16_000 } });
  });

  test("design: null means not given", async () => {
    const account = await world.account();
    const none = { model: null, name: null, preview_text: null, gender: null, age_group: null };
    const { status, json } = await world.design(account, { description: null, text: sailor, ...none });
    expect([status, json.name, json.model]).toEqual([200, json.voice_id, "demo/design"]);
    expect(world.asked[0]!.order).toMatchObject({ description: sailor, previewText: null });
    const nothing = await world.design(account, { description: null, text: null });
    expect([nothing.status, nothing.json.error.code, nothing.json.error.param]).toEqual([400, "invalid_request", "description"]);
  });

  test("a description with gender and age is one description; text is another name for it, and the lesser one", async () => {
    const account = await world.account();
    const more = { gender: "male", age_group: "middle-aged", preview_text: "The tide waits\nfor nobody.", unknown: { field: 1 } };
    await world.design(account, { description: sailor, text: "never", ...more });
    await world.design(account, { text: "e\u0301".repeat(1000), age_group: "child" });
    const orders = world.asked.map(({ order }) => order);
    expect(orders).toMatchObject([
      { description: `${sailor}\nGender: male. Age: middle-aged.`, previewText: "The tide waits\nfor nobody." },
      { description: `${"é".repeat(1000)}\nAge: child.`, previewText: null },
    ]);
  });
});

describe("400 invalid_request", () => {
  test.each([
    ["missing_parameter: no description", {}, "description"],
    ["missing_parameter: a blank one", { description: " \n", text: "never read" }, "description"],
    ["invalid_parameter: a name of 65 characters", { description: sailor, name: "x".repeat(65) }, "name"],
    ["invalid_parameter: a name with control characters", { description: sailor, name: "a\u001b[31mb" }, "name"],
    ["invalid_parameter: a NUL", { description: "a\0b" }, "description"],
    ["invalid_parameter: a preview of 501 characters", { description: sailor, preview_text: "x".repeat(501) }, "preview_text"],
    ["invalid_parameter: another gender", { description: sailor, gender: "robot" }, "gender"],
    ["invalid_parameter: another age", { description: sailor, age_group: "middle_aged" }, "age_group"],
    ["invalid_parameter: no text", { description: 5 }, "description"],
  ])("design, %s", async (_, body, param) => {
    const account = await world.account();
    const reply = await world.design(account, body);
    await world.expectRefused(account, reply, 400, "invalid_request");
    expect([reply.json.error.param, world.asked]).toEqual([param, []]);
  });

  test("design, invalid_json", async () => {
    const account = await world.account();
    await world.expectRefused(account, await world.design(account, "{"), 400, "invalid_request");
  });

  test.each([
    ["missing_parameter: no file", {}, null, "file"],
    ["invalid_parameter: a name of 65 characters", { name: "x".repeat(65) }, undefined, "name"],
    ["invalid_parameter: a name with a NUL", { name: "a\0b" }, undefined, "name"],
    ["invalid_parameter: a voice sample of 9 seconds", {}, wavFile(9), "file"],
    ["invalid_parameter: a voice sample of 301 seconds", {}, wavFile(301), "file"],
  ])("clone, %s", async (_, fields: Record<string, string>, file, param) => {
    const account = await world.account();
    const reply = await world.clone(account, fields, file);
    await world.expectRefused(account, reply, 400, "invalid_request");
    expect([reply.json.error.param, world.asked]).toEqual([param, []]);
    expect(await world.logOf(reply)).toBeUndefined();
  });

  test("clone, a body that is no form", async () => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", "/v1/audio/voice-clone", { key: account.key, body: { name: "x" } });
    await world.expectRefused(account, reply, 400, "invalid_request");
  });

  test.each([wavFile(10), wavFile(300), wavFile(300.4)])("clone: a voice sample near a bound is the provider's to judge", async (file) => {
    expect((await world.clone(await world.account(), {}, file)).status).toBe(200);
  });
});

test("400 description_too_long: 1001 characters after NFC", async () => {
  const account = await world.account();
  const reply = await world.design(account, { description: "x".repeat(1001) });
  await world.expectRefused(account, reply, 400, "description_too_long");
  expect(reply.json.error.message).toBe("description has 1001 characters; it may have at most 1000.");
});

describe("models", () => {
  test.each(both)("%s: 400 not_a_voice_%s_model, for a model of another kind", async (kind) => {
    const account = await world.account();
    const other = kind === "clone" ? "demo/design" : "demo/clone";
    await world.expectRefused(account, await make(kind, account, { model: other }), 400, `not_a_voice_${kind}_model`);
  });
  test.each(both)("%s: 404 model_not_found, for one that is unknown or paused", async (kind) => {
    const account = await world.account();
    for (const model of ["demo/none", "demo/clone-old"])
      await world.expectRefused(account, await make(kind, account, { model }), 404, "model_not_found");
  });
});

describe("files", () => {
  test.each([Buffer.from("OggS".padEnd(5000, "x")), Buffer.from("no audio at all"), Buffer.alloc(0)])(
    "415 unsupported_audio_type, for what is no MP3, WAV or M4A",
    async (file) => {
      const account = await world.account();
      const reply = await world.clone(account, {}, file);
      await world.expectRefused(account, reply, 415, "unsupported_audio_type");
      expect(reply.json.error.message).toContain("mp3, wav, m4a");
    },
  );
  test("413 request_too_large, above 10 MB", async () => {
    const account = await world.account();
    const file = wavFile(20, { sampleRate: 270_000 });
    expect(file.length).toBeGreaterThan(10 * 1024 * 1024);
    await world.expectRefused(account, await world.clone(account, {}, file), 413, "request_too_large");
  });
  test("413 request_too_large, a design above 25 MB", async () => {
    const account = await world.account();
    const reply = await world.design(account, { description: sailor, filler: "x".repeat(25 * 1024 * 1024) });
    await world.expectRefused(account, reply, 413, "request_too_large");
  });
});

describe("402", () => {
  test.each(both)("%s: model_requires_paid, without a deposit", async (kind) => {
    const account = await world.account({ credit: "20" });
    await world.expectRefused(account, await make(kind, account), 402, "model_requires_paid");
  });
  test.each(both)("%s: insufficient_credits, where a cent is missing", async (kind) => {
    const balance = Number((priceOf[kind] - 0.01).toFixed(2));
    const account = await world.account({ deposit: String(balance) });
    const reply = await make(kind, account);
    await world.expectRefused(account, reply, 402, "insufficient_credits", balance);
    expect(reply.json).toMatchObject({ need_usd: priceOf[kind], have_usd: balance });
    expect(world.asked).toEqual([]);
  });
  test.each(both)("%s: key_limit_reached", async (kind) => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 100 where account_id = $1", [account.accountId]);
    await world.expectRefused(account, await make(kind, account), 402, "key_limit_reached");
  });
});

test.each(both)("%s, 403 model_not_allowed: the key may use other models alone; no provider is asked", async (kind) => {
  const account = await world.account();
  await world.gateway.context.db.pool.query("update api_key set allowed_models = '{demo/other}' where account_id = $1", [
    account.accountId,
  ]);
  await world.expectRefused(account, await make(kind, account), 403, "model_not_allowed");
  expect(world.asked).toEqual([]);
});

describe.each(both)("%s, before its body", (kind) => {
  const path = `/v1/audio/voice-${kind}`;
  test("401 missing_api_key and invalid_api_key", async () => {
    const codes = [undefined, "svc_wrong"].map(async (key) => {
      const { status, json } = await world.gateway.request("POST", path, { ...(key && { key }), body: "{" });
      return [status, json.error.code];
    });
    expect(await Promise.all(codes)).toEqual([
      [401, "missing_api_key"],
      [401, "invalid_api_key"],
    ]);
  });

  test("404 model_not_found while no such model is served, whatever the body", async () => {
    const paused = await startGateway();
    const { key } = await paused.createAccount();
    const bodies = [undefined, "", "{", "x".repeat(30 * 1024 * 1024), { description: sailor }];
    for (const body of bodies) {
      const { status, json } = await paused.request("POST", path, { key, body });
      expect([status, json.error.code]).toEqual([404, "model_not_found"]);
    }
    const broken = { "content-type": "multipart/form-data" };
    expect((await paused.request("POST", path, { key, body: "no form", headers: broken })).status).toBe(404);
    expect((await paused.request("POST", path, { body: "{" })).status).toBe(401);
    await paused.stop();
  });
});
