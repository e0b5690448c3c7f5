// POST /v1/chat/completions with a model that can't be chatted with: unknown, paused, retired, of another type.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestAccount } from "../../support/gateway.ts";
import { chatWorld, language, provider } from "./chat-gateway.ts";

const routes = (provider = "north") => [{ provider, model: "m" }];
const perCall = { mode: "per-call", usd_per_call: 0.03 };
const speech = (capability: string, pricing: object = perCall) => ({
  id: `other/${capability}`,
  type: "speech",
  capability,
  pricing,
  routes: routes(),
});
const perToken = { mode: "per-token", input: 1, output: 1 };
const world = chatWorld(
  [
    language("demo/chat-large", ["chat"], { recommended: true }),
    language("demo/chat-small", ["chat"]),
    language("demo/paused", ["chat"], { state: { paused: true } }),
    language("demo/old", ["chat"], { state: { retired: true, replacement: "demo/chat-small" } }),
    language("demo/older", ["chat"], { state: { retired: true } }),
    { id: "other/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, routes: routes() },
    { id: "other/video", type: "video", pricing: { mode: "per-second", usd_per_second: 0.1 }, routes: routes() },
    { id: "other/embedding", type: "embedding", pricing: perToken, routes: routes() },
    { id: "other/reranking", type: "reranking", pricing: perToken, routes: routes("ranker") },
    {
      id: "other/transcription",
      type: "transcription",
      pricing: { mode: "per-minute", usd_per_minute: 0.001, min_billable_minutes: 1 },
      routes: routes(),
    },
    {
      id: "other/speech",
      type: "speech",
      voice_family: "provider_a",
      pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.07 },
      routes: routes(),
    },
    { id: "other/decisions", type: "decisions", pricing: perToken, routes: routes() },
    { id: "other/realtime", type: "realtime", pricing: perToken, routes: routes() },
    {
      id: "other/understanding",
      type: "audio-understanding",
      pricing: { mode: "per-minute", usd_per_minute: 0.001, min_billable_minutes: 1 },
      routes: routes(),
    },
    speech("music", { mode: "per-song", usd_per_song: 0.1 }),
    ...["sfx", "voice-clone", "voice-design"].map((capability) => speech(capability)),
  ],
  {
    providers: [provider("north"), provider("ranker", { protocol: "rerank" })],
    aliases: { best: "demo/chat-large", sleeping: "demo/paused", draw: "other/image" },
  },
);

let account: TestAccount;
beforeAll(async () => void (account = await world.account()));
afterAll(() => world.expectUntouched(account));

async function refused(model: string, status: number, code: string) {
  const reply = await world.chat(account, { model });
  expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([status, code, "model"]);
  expect(reply.headers["x-should-retry"]).toBe("false");
  expect(world.sent()).toEqual([]);
  return reply.json;
}

describe("404 model_not_found", () => {
  test.each([
    ["a letter too few", "demo/chat-larg", "demo/chat-large"],
    ["another case", "Demo/Chat-Small", "demo/chat-small"],
    ["the vendor forgotten", "chat-small", "demo/chat-small"],
    ["an alias misspelt", "bets", "best"],
  ])("%s: did_you_mean names what was meant, suggested_models the ids of language models", async (_, model, meant) => {
    const json = await refused(model, 404, "model_not_found");
    expect(json.error).toMatchObject({ type: "not_found_error", message: expect.stringContaining(model) });
    expect(json.did_you_mean).toBe(meant);
    expect(json.suggested_models[0]).toMatch(/^demo\/chat-(large|small)$/);
    expect(json.suggested_models.every((id: string) => id.startsWith("demo/chat-"))).toBe(true);
    expect(json.error).not.toHaveProperty("suggested_models");
  });

  test("nothing alike: no guess, but what the editors recommend", async () => {
    expect(await refused("zzzzzzzz", 404, "model_not_found")).toMatchObject({ did_you_mean: null, suggested_models: ["demo/chat-large"] });
  });

  test.each(["demo/paused", "sleeping"])("%s: the message says that it is paused", async (model) => {
    expect((await refused(model, 404, "model_not_found")).error.message).toMatch(/paused/);
  });

  test("a retired model with a replacement: message, did_you_mean and suggested_models name it", async () => {
    const json = await refused("demo/old", 404, "model_not_found");
    expect(json.error.message).toMatch(/retired.*demo\/chat-small/);
    expect(json.did_you_mean).toBe("demo/chat-small");
    expect(json.suggested_models[0]).toBe("demo/chat-small");
  });

  test("a retired model without one", async () => {
    const { error } = await refused("demo/older", 404, "model_not_found");
    expect(error.message).toMatch(/retired/);
    expect(error.message).not.toMatch(/instead/);
  });

  test.each(["other/realtime", "other/understanding"])("%s: of a type that is never served", async (model) => {
    await refused(model, 404, "model_not_found");
  });

  test("an id of a hundred thousand characters is not repeated whole", async () => {
    expect((await refused(`demo/${"x".repeat(100_000)}`, 404, "model_not_found")).error.message.length).toBeLessThan(400);
  });
});

describe("400 wrong_endpoint", () => {
  test.each([
    ["other/image", "/v1/images/generations"],
    ["draw", "/v1/images/generations"],
    ["other/video", "/v1/videos/generations"],
    ["other/embedding", "/v1/embeddings"],
    ["other/reranking", "/v1/rerank"],
    ["other/transcription", "/v1/audio/transcriptions"],
    ["other/speech", "/v1/audio/speech"],
    ["other/music", "/v1/audio/music"],
    ["other/sfx", "/v1/audio/sfx"],
    ["other/voice-clone", "/v1/audio/voice-clone"],
    ["other/voice-design", "/v1/audio/voice-design"],
    ["other/decisions", "/v1/decisions"],
  ])("%s: the message names %s", async (model, path) => {
    const { error } = await refused(model, 400, "wrong_endpoint");
    expect(error.type).toBe("invalid_request_error");
    expect(error.message).toMatch(new RegExp(`${path.replaceAll("/", "\\/")}\\b`));
  });
});
