// POST /v1/audio/translations: English text of any speech, where a model translates; its money, its chain, and every refusal.
import { describe, expect, test } from "vitest";
import { wavFile } from "../../simulator/audio-check.ts";
import type { TestAccount } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { language } from "../chat/chat-gateway.ts";
import { formOf, priced, recording, settled, transcriber, transcriptionWorld } from "./transcription-gateway.ts";

const translates = { supports_translation: true };
/** Upstream faults that end the chain: what the caller gets. */
const faults: [string, number, string][] = [
  ["reject", 400, "request_rejected"],
  ["reject-413", 413, "request_rejected"],
  ["reject-415", 415, "request_rejected"],
  ["reject-422", 422, "request_rejected"],
  ["429", 429, "rate_limit_exceeded"],
  ["bad-json", 502, "upstream_invalid_response"],
  ["404", 503, "model_unavailable"],
  ["fail-503", 503, "provider_unavailable"],
];
const world = transcriptionWorld(
  [
    transcriber("demo/stt", ["stt"], translates),
    transcriber("demo/plain", ["plain"], { ...translates, supports_timestamps: false }),
    transcriber("demo/only-transcribes", ["stt"]),
    transcriber("demo/failing", ["failing+sim-fail-503"], { ...translates, fallbacks: ["demo/only-transcribes", "demo/cheap"] }),
    transcriber("demo/cheap", ["cheap"], { ...translates, ...priced(0.0004) }),
    transcriber("demo/dear", ["dear"], { ...translates, ...priced(0.004) }),
    transcriber("demo/slow", ["slow+sim-slow-400ms"], translates),
    transcriber("demo/listening", ["listening+sim-slow-4000ms"], translates), // longer than a busy machine takes to send another recording
    ...faults.map(([fault]) => transcriber(`demo/${fault}`, [`stt+sim-${fault}`], translates)),
    language("demo/chat", ["chat"]),
  ],
  {
    aliases: { whisper: "demo/stt" },
    tiers: highTiers({ audio_concurrent: 100, audio_concurrent_per_capability: { transcription: 1, understanding: 1, speech: 1 } }),
  },
);
const path = "/v1/audio/translations";
const ask = (account: Pick<TestAccount, "key">, fields: Record<string, string> = { model: "whisper" }, file: Buffer | null = recording) =>
  world.send(account, fields, file, { path });
const refusalOf = async (account: TestAccount, fields: Record<string, string>, file?: Buffer | null) => {
  const { status, json } = await ask(account, fields, file);
  return [status, json.error.code, json.error.param ?? null];
};

describe("200", () => {
  test("json is the default: English text, billed by the minute under its own operation; the model is asked to translate", async () => {
    const account = await world.account();
    const reply = await ask(account, { model: "whisper", prompt: "Kirchheim", temperature: "0.4", language: "de" });
    expect(reply.json).toEqual({
      ...{ task: "translate", language: "english", duration: 61.5, text: expect.stringMatching(/\w/), model: "demo/stt" },
      billing: { duration_sec: 61.5, billable_minutes: 2, cost_usd: 0.0018, balance_usd: 19.9982 },
    });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/stt", "x-svc-alias": "whisper", "x-svc-cost-usd": "0.0018" });
    expect(world.sent()).toEqual([{ model: "stt", prompt: "Kirchheim", temperature: "0.4", response_format: "verbose_json" }]);
    expect(await world.logOf(reply)).toMatchObject({ operation: "createTranslation", model: "demo/stt", status: "success" });
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.9982, reserved: 0, spent: 0.0018 });
  });

  test("verbose_json has segments; text, srt and vtt are the text and the subtitles", async () => {
    const account = await world.account();
    const as = async (response_format: string) => await ask(account, { model: "demo/stt", response_format });
    const { json } = await as("verbose_json");
    expect(json.segments.length).toBeGreaterThan(5);
    expect((await as("text")).text).toBe(`${json.text}\n`);
    expect((await as("srt")).text).toMatch(/^1\n00:00:00,000 --> /);
    expect((await as("vtt")).text).toMatch(/^WEBVTT\n\n00:00:00\.000 --> /);
  });

  test("only models that translate stand in, at their own price", async () => {
    const account = await world.account();
    const { json, headers } = await ask(account, { model: "demo/failing" });
    expect(json.billing).toMatchObject({ cost_usd: 0.0008, fallback: "demo/cheap" });
    expect(headers).toMatchObject({ "x-svc-fallback": "demo/cheap", "x-svc-fallback-layer": "2" });
    expect(world.sent().map(({ model }) => model)).toEqual(["failing+sim-fail-503", "failing+sim-fail-503", "cheap"]);
  });

  test("a client that disconnects pays for what was made", async () => {
    const account = await world.account();
    const { body, type } = await formOf({ model: "demo/slow" }, recording);
    const controller = new AbortController();
    const request = { key: account.key, body, headers: { "content-type": type }, signal: controller.signal };
    const asking = world.gateway.request("POST", path, request).catch(() => undefined);
    await expect.poll(() => world.sent()).toHaveLength(1);
    controller.abort();
    await asking;
    expect(await settled(world, account)).toMatchObject({ status: "aborted", cost: 180_000n });
    expect(await world.gateway.balance(account)).toMatchObject({ reserved: 0, spent: 0.0018 });
  });
});

describe("refused, free", () => {
  test.each(faults)("sim-%s of the model: %i %s", async (fault, status, code) => {
    const account = await world.account();
    expect((await refusalOf(account, { model: `demo/${fault}` })).slice(0, 2)).toEqual([status, code]);
    await world.expectUntouched(account);
    await world.expectNothingOnDisk();
  });

  test.each([
    [400, "missing_parameter", "file", { model: "demo/stt" }, null],
    [400, "missing_parameter", "model", {}, recording],
    [400, "invalid_parameter", "response_format", { model: "demo/stt", response_format: "xml" }, recording],
    [400, "invalid_parameter", "temperature", { model: "demo/stt", temperature: "2" }, recording],
    [400, "invalid_parameter", "model", { model: "demo/chat" }, recording],
    [400, "segments_unsupported", "response_format", { model: "demo/plain", response_format: "srt" }, recording],
    [404, "model_not_found", "model", { model: "demo/none" }, recording],
    [413, "request_too_large", "file", { model: "demo/stt" }, Buffer.alloc(25 * 1024 * 1024 + 1, "RIFF")],
    [415, "unsupported_audio_type", "file", { model: "demo/stt" }, Buffer.from("no audio")],
    [422, "no_speech_detected", null, { model: "demo/stt" }, wavFile(3, { isSilent: true })],
  ])("%i %s: %s", async (status, code, param, fields, file) => {
    const account = await world.account();
    expect(await refusalOf(account, fields as Record<string, string>, file)).toEqual([status, code, param]);
    await world.expectUntouched(account);
  });

  test("400 invalid_parameter names the models that translate, where one does not", async () => {
    const account = await world.account();
    const { status, json } = await ask(account, { model: "demo/only-transcribes" });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "model"]);
    expect(json.error.message).toMatch(/demo\/only-transcribes does not translate; these models do: demo\/stt, demo\/plain, /);
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
  });

  test("402: a model outside the free tier, a balance and a budget that do not reach", async () => {
    expect((await refusalOf(await world.account({ signupCredit: true }), { model: "demo/dear" })).slice(0, 2)).toEqual([
      402,
      "model_requires_paid",
    ]);
    const poor = await world.account({ deposit: "0.001" });
    expect((await refusalOf(poor, { model: "demo/stt" })).slice(0, 2)).toEqual([402, "insufficient_credits"]);
    const bound = await world.account();
    const { pool } = world.gateway.context.db;
    await pool.query("update key_budget set limit_amount = 1000 where account_id = $1", [bound.accountId]);
    expect((await refusalOf(bound, { model: "demo/stt" })).slice(0, 2)).toEqual([402, "key_limit_reached"]);
    await world.expectUntouched(bound);
  });

  test("403 model_not_allowed: the key may use other models alone", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update api_key set allowed_models = '{demo/plain}' where account_id = $1", [
      account.accountId,
    ]);
    expect(await refusalOf(account, { model: "demo/stt" })).toEqual([403, "model_not_allowed", "model"]);
  });

  test("429 audio_concurrent_limit: translations share the slots of transcriptions", async () => {
    const account = await world.account();
    const slow = ask(account, { model: "demo/listening" });
    await expect.poll(() => world.sent()).toHaveLength(1);
    expect((await refusalOf(account, { model: "demo/stt" })).slice(0, 2)).toEqual([429, "audio_concurrent_limit"]);
    expect((await slow).status).toBe(200);
  });
});
