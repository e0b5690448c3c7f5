// ElevenLabs audio: requests, streamed bytes, and what each of its errors means.
import { describe, expect, test } from "vitest";
import { elevenlabsMusic, elevenlabsSounds, elevenlabsSpeech } from "../../../src/providers/elevenlabs/audio.ts";
import type { UpstreamFault } from "../../../src/providers/errors/upstream-error.ts";
import type { SpeechOrder } from "../../../src/providers/verbs/audio.ts";
import { until } from "../../support/eventually.ts";
import { bodyOf, bytesOf, callTo, endless, pieces, settled } from "../audio-fixture.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { type Answer, type Host, startHost, useUpstream } from "../upstream-fixture.ts";

const provider = { protocol: "elevenlabs" } as const;
const order: SpeechOrder = { text: "Hello.", voice: "voice-1", format: "mp3_44100_192", settings: {}, progressive: false };
const speakTo = (host: Host, change: Partial<SpeechOrder> = {}, signal?: AbortSignal) =>
  elevenlabsSpeech(useUpstream())({ ...callTo(host, provider, signal), order: { ...order, ...change } });
const speak = async (answer: Answer, change: Partial<SpeechOrder> = {}) => speakTo(await startHost(answer), change);
const sent = ({ requests: [request] }: Host): unknown => [request!.method, request!.url, JSON.parse(request!.body)];

describe("what is asked", () => {
  test("speech", async () => {
    const host = await startHost(pieces(["bytes"]));
    expect(String(await bytesOf(await speakTo(host, { voice: "a/b?c", settings: { style: 0, use_speaker_boost: true } })))).toBe("bytes");
    expect(sent(host)).toEqual([
      "POST",
      "/v1/text-to-speech/a%2Fb%3Fc?output_format=mp3_44100_192",
      { text: "Hello.", model_id: "upstream-model", voice_settings: { style: 0, use_speaker_boost: true } },
    ]);
    expect(host.requests[0]!.headers).toMatchObject({ "xi-api-key": "sk-demo-secret-0001", accept: "*/*" });
    expect(host.requests[0]!.headers).not.toHaveProperty("authorization");
  });

  test("no settings where none were given", async () => {
    const host = await startHost(pieces(["bytes"]));
    await bytesOf(await speakTo(host, { format: "ulaw_8000" }));
    expect(sent(host)).toEqual([
      "POST",
      "/v1/text-to-speech/voice-1?output_format=ulaw_8000",
      { text: "Hello.", model_id: "upstream-model" },
    ]);
  });

  test.each([".", "..", ""])("a voice that would be another path (%j): rejected without a call", async (voice) => {
    const host = await startHost(pieces(["bytes"]));
    expect(await expectFault(speakTo(host, { voice }), "rejected")).toMatchObject({ param: "voice_id" });
    expect(host.requests).toEqual([]);
  });

  test("music", async () => {
    const host = await startHost(pieces(["bytes"]));
    const song = { prompt: "a waltz", lyrics: null, seconds: 30, format: "mp3_44100_128" } as const;
    expect(String(await bytesOf(await elevenlabsMusic(useUpstream())({ ...callTo(host, provider), order: song })))).toBe("bytes");
    const body = { prompt: "a waltz", model_id: "upstream-model", music_length_ms: 30_000 };
    expect(sent(host)).toEqual(["POST", "/v1/music?output_format=mp3_44100_128", body]);
  });

  test.each([
    [2.5, { duration_seconds: 2.5 }],
    [null, {}],
  ])("sounds of %s seconds", async (seconds, length) => {
    const host = await startHost(pieces(["bytes"]));
    const sound = { prompt: "a door", seconds, influence: 0.3, format: "pcm_16000" } as const;
    expect(String(await bytesOf(await elevenlabsSounds(useUpstream())({ ...callTo(host, provider), order: sound })))).toBe("bytes");
    const body = { text: "a door", model_id: "upstream-model", prompt_influence: 0.3, ...length };
    expect(sent(host)).toEqual(["POST", "/v1/sound-generation?output_format=pcm_16000", body]);
  });
});

describe("bytes", () => {
  test("as they come, in order", async () => {
    const read: string[] = [];
    await bodyOf(await speak(pieces(["one", "two", "three"]))).read((chunk) => void read.push(String(chunk)));
    expect(read.join("")).toBe("onetwothree");
  });

  test("without a reader the host's socket fills; a cancel closes it", async () => {
    const never = endless(Buffer.from("x"), Buffer.alloc(65_536), "audio/mpeg");
    const host = await startHost(never.answer);
    const made = await speakTo(host);
    expect(await settled(never.written)).toBeLessThan(16_000_000);
    bodyOf(made).cancel();
    await until(() => host.sockets.size === 0);
    await expect(bodyOf(made).read(() => undefined)).rejects.toThrow();
  });

  test("an abort before the first byte closes the host's socket", async () => {
    const host = await startHost(() => undefined);
    const abort = new AbortController();
    const making = speakTo(host, {}, abort.signal);
    await until(() => host.requests.length === 1);
    abort.abort(new Error("the client disconnected"));
    await expect(making).rejects.toThrow("the client disconnected");
    await until(() => host.sockets.size === 0);
  });
});

const errorBody = (status: string, message: string) => ({ detail: { status, message } });
const validation = { detail: [{ type: "string_too_long", loc: ["body", "text"], msg: "At most 10 characters.", input: "secret words" }] };

describe("errors", () => {
  test.each<[string, number, unknown, UpstreamFault, string | null]>([
    ["quota_exceeded", 401, errorBody("quota_exceeded", "This request exceeds your quota."), "our_fault", null],
    ["invalid_api_key", 401, errorBody("invalid_api_key", "Invalid API key"), "our_fault", null],
    ["detected_unusual_activity", 401, errorBody("detected_unusual_activity", "Unusual activity detected."), "our_fault", null],
    ["voice_not_found", 404, errorBody("voice_not_found", "A voice with voice_id 'x' was not found."), "rejected", "voice_id"],
    ["voice_not_found, as 400", 400, errorBody("voice_not_found", "No such voice."), "rejected", "voice_id"],
    ["bad_prompt", 400, { detail: { status: "bad_prompt", message: "No.", data: { prompt_suggestion: "yes" } } }, "refused", null],
    ["bad_prompt, the newer form", 422, { detail: { type: "validation_error", code: "bad_prompt", message: "No." } }, "refused", null],
    ["too_many_concurrent_requests", 429, errorBody("too_many_concurrent_requests", "Too many."), "rate_limited", null],
    ["system_busy", 429, errorBody("system_busy", "Busy."), "rate_limited", null],
    ["max_character_limit_exceeded", 400, errorBody("max_character_limit_exceeded", "Too long."), "rejected", "input"],
    ["a list of a validator", 422, validation, "rejected", "input"],
    ["a field of JavaScript's own", 422, { detail: [{ loc: ["body", "constructor"], msg: "No." }] }, "rejected", "constructor"],
    ["a sentence", 404, { detail: "Not Found" }, "gone", null],
    ["a sentence", 500, { detail: "Internal Server Error" }, "unavailable", null],
    ["no JSON", 503, "<html>", "unavailable", null],
  ])("%s (%i)", async (_what, status, body, fault, param) => {
    const error = await expectFault(speak(json(status, typeof body === "string" ? body : JSON.stringify(body))), fault);
    expect(error).toMatchObject({ status, param });
    expect(error.reason).not.toContain("secret words");
  });

  test("the vendor's name stays hidden", async () => {
    const body = errorBody("max_character_limit_exceeded", "Contact ElevenLabs at https://elevenlabs.io/x, key sk-demo-secret-0001.");
    const { reason } = await expectFault(speak(json(400, JSON.stringify(body))), "rejected");
    expect(reason).toBe("Contact [hidden] at [hidden] key [hidden].");
  });

  test("how long to wait", async () => {
    const error = await expectFault(speak(json(429, "{}", { "retry-after": "3" })), "rate_limited");
    expect(error.retryAfterMs).toBe(3_000);
  });

  test.each([
    ["nothing", pieces([])],
    ["JSON", json(200, '{"audio_base64":"AAAA"}')],
    ["a page", pieces(["<html>"], "text/html; charset=utf-8")],
  ])("200 with %s: unreadable", async (_what, answer) => {
    await expectFault(speak(answer), "unreadable");
  });
});
