// POST /v1/audio/sfx where a catalog serves such a model, and where none is served: 404 right after authentication.
import { describe, expect, test } from "vitest";
import { familyA, heardIn, soundModel, speechWorld } from "../speech/speech-gateway.ts";
import { oneInThree } from "../../support/size.ts";

const failing = (id: string, directive: string) => soundModel(id, [`sound-effects+${directive}`, `sound-effects+${directive}`]);
const world = speechWorld([
  soundModel("demo/sounds"),
  failing("demo/refusing", "sim-refuse"),
  failing("demo/down", "sim-fail-503"),
  failing("demo/endless", "sim-seconds-600"),
  familyA("demo/voice"),
]);
const paused = speechWorld([soundModel("demo/sounds", undefined, { state: { paused: true } }), familyA("demo/voice")]);

const prompt = "Gulls over a harbour";
const orders = () => world.gateway.simulator.calls().map(({ json }) => json as Record<string, unknown>);

describe("200", () => {
  test.each([
    ["mp3_44100_128", 2.5],
    ["pcm_24000", 0.5],
    ["ulaw_8000", 22],
  ])("%s of %d seconds at the price of a call; its length is measured", async (format, seconds) => {
    const account = await world.account();
    const reply = await world.ask(account, { prompt, duration_seconds: seconds, response_format: format, prompt_influence: 1 }, "sfx");
    const heard = await heardIn(reply.bytes, format);
    expect(Math.abs(heard.seconds - seconds)).toBeLessThan(0.1);
    expect(Math.abs(Number(reply.headers["x-svc-duration-sec"]) - heard.seconds)).toBeLessThan(0.06);
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/sounds", "x-svc-cost-usd": "0.027", "x-svc-balance-usd": "19.973" });
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.973, reserved: 0, spent: 0.027 });
    expect(await world.logOf(reply)).toMatchObject({ operation: "createSoundEffect", unit: "call", units: "1", cost: 2_700_000n });
    expect(orders()[0]).toMatchObject({ text: prompt, duration_seconds: seconds, prompt_influence: 1 });
  });

  test("`text` is another name for `prompt`, which wins; the length is the model's and influence 0.3 by default", async () => {
    const account = await world.account();
    await world.ask(account, { text: "Rain" }, "sfx");
    await world.ask(account, { text: "Rain", prompt: "e\u0301".repeat(500) }, "sfx");
    expect(orders()).toMatchObject([{ text: "Rain", prompt_influence: 0.3 }, { text: "é".repeat(500) }]);
    expect(orders()[0]).not.toHaveProperty("duration_seconds");
  });

  test("kept at a permanent address", async () => {
    const reply = await world.ask(
      await world.account(),
      { prompt, duration_seconds: 1, response_format: "pcm_16000" },
      "sfx?save_to_blob=1",
    );
    expect(reply.json).toMatchObject({ object: "audio.generation", kind: "audio", duration_sec: 1, cost_usd: 0.027, balance_usd: 19.973 });
    const file = Buffer.from(await (await fetch(reply.json.url)).arrayBuffer());
    expect(file.length).toBe(32_000);
  });
});

describe("refusals", () => {
  test.each([
    ["no prompt", {}, 400, "invalid_request", "prompt"],
    ["a blank one", { text: " " }, 400, "invalid_request", "text"],
    ["501 characters", { prompt: "x".repeat(501) }, 400, "prompt_too_long", "prompt"],
    ["0.4 seconds", { prompt, duration_seconds: 0.4 }, 400, "invalid_duration", "duration_seconds"],
    ["22.1 seconds", { prompt, duration_seconds: 22.1 }, 400, "invalid_duration", "duration_seconds"],
    ["a length in words", { prompt, duration_seconds: "short" }, 400, "invalid_duration", "duration_seconds"],
    ["influence above 1", { prompt, prompt_influence: 1.1 }, 400, "invalid_request", "prompt_influence"],
    ["a voice model", { prompt, model: "demo/voice" }, 400, "not_an_sfx_model", "model"],
    ["an unknown model", { prompt, model: "demo/none" }, 404, "model_not_found", "model"],
  ])("%s", async (_, body, status, code, param) => {
    const account = await world.account();
    const reply = await world.ask(account, body, "sfx");
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([status, code, param]);
    await world.expectUntouched(account);
  });

  test.each([
    ["demo/refusing", 400, "content_refused"],
    ["demo/down", 502, "provider_error"],
  ])("%s: %i %s, free", async (model, status, code) => {
    const account = await world.account();
    const reply = await world.ask(account, { model, prompt }, "sfx");
    expect([reply.status, reply.json.error.code]).toEqual([status, code]);
    await world.expectUntouched(account);
  });

  oneInThree()("ten minutes of samples, 53 MB, still are an answer", async () => {
    const account = await world.account();
    const reply = await world.ask(account, { model: "demo/endless", prompt, response_format: "pcm_44100" }, "sfx");
    expect(reply.bytes.length).toBe(600 * 44_100 * 2);
    expect(reply.headers["x-svc-duration-sec"]).toBe("600");
  });

  test("402 insufficient_credits and model_requires_paid", async () => {
    const poor = await world.account({ deposit: "0.02" });
    expect((await world.ask(poor, { prompt }, "sfx")).json).toMatchObject({ error: { code: "insufficient_credits" }, need_usd: 0.027 });
    const free = await world.account({ signupCredit: true });
    expect((await world.ask(free, { prompt }, "sfx")).json.error.code).toBe("model_requires_paid");
  });
});

describe("404 model_not_found while none is served", () => {
  test.each([
    ["a good request", { prompt }],
    ["one that names the paused model", { prompt, model: "demo/sounds" }],
    ["no JSON", "{"],
    ["nothing", undefined],
    ["a wrong field", { prompt: 5 }],
  ])("%s", async (_, body) => {
    const account = await paused.account({ signupCredit: true });
    const reply = await paused.ask(account, body, "sfx");
    expect([reply.status, reply.json.error.code]).toEqual([404, "model_not_found"]);
  });

  test("only after the key was checked", async () => {
    const reply = await paused.gateway.request("POST", "/v1/audio/sfx", { body: { prompt } });
    expect([reply.status, reply.json.error.code]).toEqual([401, "missing_api_key"]);
  });
});
