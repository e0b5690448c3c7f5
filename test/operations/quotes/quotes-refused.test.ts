// POST /v1/quote of requests that their operation refuses: the same error, with the field's name as it was sent; and what its limits say.
import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { awayFromMinuteEdge } from "../../limits/counted-database.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { hello } from "../chat/chat-gateway.ts";
import { bodyOf, quoteWorld } from "./quote-world.ts";

const world = quoteWorld();
const small = quoteWorld(
  { graceMs: 100 },
  highTiers({ rpm: 5, per_model_rpm: 3, tpm: 100_000, image_concurrent: 1, image_queue_depth_cap: 1, audio_concurrent: 1 }),
  1, // the job that hangs
);

const picture = [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }];
const chat = (more: object = {}) => ({ model: "demo/chat", messages: hello, ...more });
const image = (more: object = {}) => ({ model: "demo/image", prompt: "A boat", ...more });

describe("400 and 404, by the operation's own rules", () => {
  test.each([
    ["createChatCompletion", { messages: hello }, "missing_parameter", "body.model"],
    ["createChatCompletion", chat({ temperature: 9 }), "invalid_parameter", "body.temperature"],
    ["createChatCompletion", chat({ messages: [{ role: "user" }] }), "missing_parameter", "body.messages[0].content"],
    ["createChatCompletion", chat({ user: "a\0b" }), "invalid_parameter", "body.user"],
    ["createChatCompletion", chat({ model: "demo/none" }), "model_not_found", "body.model"],
    ["createChatCompletion", chat({ model: "demo/image" }), "wrong_endpoint", "body.model"],
    ["createChatCompletion", chat({ messages: picture }), "unsupported_content", expect.stringMatching(/^body\.messages/)],
    [
      "createChatCompletion",
      chat({ model: "demo/narrow", messages: [{ role: "user", content: "word ".repeat(500) }] }),
      "request_rejected",
      "body.messages",
    ],
    ["createResponse", { model: "demo/chat", input: "Hi", previous_response_id: "resp_1" }, "stateless_only", "body.previous_response_id"],
    ["createMessage", { model: "demo/chat", messages: hello, max_tokens: 5, thread: {} }, "thread_unsupported_request", "body.thread"],
    ["createImage", image({ model: "demo/chat" }), "invalid_model", "body.model"],
    ["createImage", image({ prompt: " " }), "invalid_prompt", "body.prompt"],
    ["createImage", image({ model: "demo/edit" }), "image_url_required", "body.image_url"],
    [
      "createImage",
      image({ model: "demo/edit", image_urls: [1, 2, 3].map((n) => `https://example.com/${n}.png`) }),
      "too_many_references",
      "body.image_urls",
    ],
    ["createVideo", { model: "demo/video", prompt: "A boat", duration_s: 11 }, "invalid_duration", "body.duration_s"],
    ["createMusic", { model: "demo/score", prompt: "x".repeat(5000) }, "prompt_too_long", "body.prompt"],
    ["createMusic", { model: "demo/voice", prompt: "Calm" }, "not_a_music_model", "body.model"],
    ["createSoundEffect", { model: "demo/voice", prompt: "Gulls" }, "not_an_sfx_model", "body.model"],
    ["createSpeech", { model: "demo/score", input: "Hi" }, "not_a_tts_model", "body.model"],
    ["createSpeech", { model: "demo/voice", input: "x".repeat(20_000) }, "input_too_long", "body.input"],
    ["designVoice", { description: "x".repeat(5000) }, "description_too_long", "body.description"],
    ["designVoice", { model: "demo/voice", description: "Old" }, "not_a_voice_design_model", "body.model"],
    [
      "createTranscription",
      { model: "demo/words", audio_url: "https://example.com/a.mp3", response_format: "srt" },
      "segments_unsupported",
      "body.response_format",
    ],
    ["createTranscription", { model: "demo/scribe", audio_url: "http://example.com/a.mp3" }, "invalid_parameter", "body.audio_url"],
  ])("%s %j: %s", async (operation, body, code, param) => {
    const account = await world.account();
    const { status, json } = await world.quote(account, operation, body);
    expect([json.error?.code, json.error?.param]).toEqual([code, param]);
    expect(status).toBe(code === "model_not_found" ? 404 : 400);
    expect(json.error.message).not.toMatch(/\{\w+\}/);
  });

  test.each([
    [{ operation: "createChatCompletion" }, "missing_parameter", "body"],
    [{ operation: "createChatCompletion", body: [] }, "invalid_parameter", "body"],
    [{ operation: "listModels", body: {} }, "invalid_parameter", "operation"],
    [{ body: {} }, "missing_parameter", "operation"],
  ])("of the quote itself: %j", async (body, code, param) => {
    const { key } = await world.account();
    const { status, json } = await world.gateway.request("POST", "/v1/quote", { key, body });
    expect([status, json.error.code, json.error.param]).toEqual([400, code, param]);
  });

  test("a NUL in a prompt is as allowed as in the operation", async () => {
    const { status } = await world.quote(
      await world.account(),
      "createChatCompletion",
      chat({ messages: [{ role: "user", content: "a\0b" }] }),
    );
    expect(status).toBe(200);
  });
});

describe("refused by who asks", () => {
  test("402 model_requires_paid", async () => {
    const account = await world.account({ credit: "1" });
    const { status, json } = await world.quote(account, "createSpeech", bodyOf(world, "createSpeech"));
    expect([status, json.error.code, json.error.param]).toEqual([402, "model_requires_paid", "body.model"]);
  });

  test("403 voice_not_owned", async () => {
    const owner = await world.account();
    const { json: voice } = await world.call(owner, "designVoice", bodyOf(world, "designVoice"));
    const { status, json } = await world.quote(await world.account(), "createSpeech", { input: "Hi", voice_id: voice.voice_id });
    expect([status, json.error.code, json.error.param]).toEqual([403, "voice_not_owned", "body.voice_id"]);
  });

  test("413 request_too_large: more tokens than the tier takes at once", async () => {
    const { status, json } = await small.quote(
      await small.account(),
      "createChatCompletion",
      chat({ messages: [{ role: "user", content: "x".repeat(410_000) }] }),
    );
    expect([status, json.error.code]).toEqual([413, "request_too_large"]);
  });

  test("500 provider_error: no route of the model can make it", async () => {
    const { json } = await world.quote(await world.account(), "createImage", image({ model: "demo/nowhere" }));
    expect(json.error.code).toBe("provider_error");
  });

  test("503 model_unavailable: the catalog has no decisions model any more", async () => {
    const { models } = world.gateway.context.catalog;
    const model = models.get("jev")!;
    const state = model.state;
    model.state = { kind: "paused" } as typeof state;
    const { status, json } = await world.quote(await world.account(), "createDecision", bodyOf(world, "createDecision"));
    model.state = state;
    expect([status, json.error.code]).toEqual([503, "model_unavailable"]);
  });
});

describe("200, with what its limits say", () => {
  const used = async (account: TestAccount, calls: number) => {
    for (let n = 0; n < calls; n++) expect((await small.call(account, "createChatCompletion", chat())).status).toBe(200);
  };

  test("the model's requests per minute, and how long until they have room", async () => {
    await awayFromMinuteEdge(20_000);
    const account = await small.account();
    await used(account, 3);
    const { json } = await small.quote(account, "createChatCompletion", chat());
    expect(json).toMatchObject({ admitted: false, reserve_usd: 0, checks: { balance: { ok: true } } });
    expect(json.checks.rate_limits).toEqual({
      ...{ ok: false, code: "rate_limit_exceeded", retry_after_ms: expect.any(Number) },
      reason: expect.stringContaining("3 requests per minute for demo/chat"),
    });
    expect((await small.call(account, "createChatCompletion", chat())).status).toBe(429);
    expect((await small.quote(account, "createEmbeddings", bodyOf(small, "createEmbeddings"))).json.admitted).toBe(true);
  });

  test("the slots of audio calls", async () => {
    const { accountId, key } = await small.account();
    const { ledger, db } = small.gateway.context;
    const id = randomUUID();
    await ledger.reserve({ accountId, id, want: 0n, least: 0n, slot: { pool: "speech", poolMax: 9, group: "audio", groupMax: 9 } });
    const { json } = await small.quote({ key }, "createMusic", bodyOf(small, "createMusic"));
    const refused = await small.call({ key }, "createMusic", bodyOf(small, "createMusic"));
    expect(refused.status).toBe(429);
    expect(json).toMatchObject({ admitted: false, checks: { balance: { ok: true }, rate_limits: { ok: true } } });
    expect(json.checks.slots).toEqual({ ok: false, code: "audio_concurrent_limit", reason: refused.json.error.message });
    await db.pool.query("delete from hold where account_id = $1", [accountId]);
  });

  test("a job that would wait, and one for which the queue has no room", async () => {
    const account = await small.account();
    const { catalog } = small.gateway.context;
    const [first] = catalog.models.get("demo/image")!.routes;
    first!.model = "demo/image+sim-hang";
    const submit = () => small.call(account, "createImage", image());
    expect((await submit()).status).toBe(202);
    const waits = await small.quote(account, "createImage", image());
    expect(waits.json).toMatchObject({ admitted: true, queued: true, reserve_usd: 0.04 });
    expect((await submit()).json.status).toBe("queued");
    const full = await small.quote(account, "createImage", image());
    const refused = await submit();
    expect(full.json).toMatchObject({ admitted: false, queued: false, reserve_usd: 0 });
    expect(full.json.checks.slots).toEqual({ ok: false, code: "rate_limited", reason: refused.json.error.message });
  });
});
