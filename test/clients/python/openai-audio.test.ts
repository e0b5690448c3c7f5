// Transcripts and speech with Python's openai package: it writes the fields first and the file last.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { decodeMp3, readPcm, wavFile } from "../../simulator/audio-check.ts";
import { audioCatalog, characterPrice, charactersPerSecond, minutePrice, sentence } from "../audio-upstreams.ts";
import { scratchFolder } from "../../support/leftovers.ts";
import { useClients } from "../clients.ts";
import { describeWithPython, usePython } from "./python.ts";

describeWithPython("openai for Python", () => {
  const clients = useClients(audioCatalog());
  const python = usePython("openai_audio");
  const folder = scratchFolder("clients-");
  const path = join(folder, "meeting.wav");
  const silent = join(folder, "silence.wav");
  beforeAll(() => {
    writeFileSync(path, wavFile(8));
    writeFileSync(silent, wavFile(3, { isSilent: true }));
  });
  const ask = async (scenario: string, args: Record<string, unknown>) => {
    const customer = await clients.customer();
    const ran = await python.run(scenario, { base: clients.gateway.url, key: customer.account.key }, args);
    return { customer, ran };
  };
  const runScenario = async (scenario: string, args: Record<string, unknown>) => {
    const { customer, ran } = await ask(scenario, args);
    if (ran.raised) throw new Error(`${ran.raised.class}: ${ran.raised.text}`);
    return { customer, value: ran.value };
  };

  test("transcripts: an object, the package's own type with segments, or a string, by the format", async () => {
    const { customer, value: verbose } = await runScenario("transcribe", { path, model: "transcribe", language: "en", temperature: 0 });
    expect(verbose).toMatchObject({ task: "transcribe", duration: 8, language: "english", billing: { cost_usd: minutePrice } });
    expect(await customer.spent()).toBe(minutePrice);
    const { value: json } = await runScenario("transcribe", { path, model: "transcribe", response_format: "json" });
    expect(json.text).toBe(verbose.text);
    const { value: text } = await runScenario("transcribe", { path, model: "transcribe", response_format: "text" });
    expect(text.trim()).toBe(verbose.text.trim());
    const { value: srt } = await runScenario("transcribe", { path, model: "transcribe", response_format: "srt" });
    expect(srt).toMatch(/^1\n00:00:00,000 --> /);
    const { value: typed } = await runScenario("typed", { path, model: "whisper-1" });
    expect(typed).toMatchObject({ type: "TranscriptionVerbose", language: "english", duration: 8 });
    expect(typed.seeks).toHaveLength(verbose.segments.length);
    const { value: texts } = await runScenario("transcribe_bytes", { path, model: "transcribe", name: "meeting.wav" });
    expect(texts).toEqual([verbose.text, verbose.text]);
  });

  test.each([
    ["UnprocessableEntityError", 422, "no_speech_detected", { path: silent, model: "transcribe" }],
    ["APIStatusError", 415, "unsupported_audio_type", { path: new URL("./driver.py", import.meta.url).pathname, model: "transcribe" }],
    ["BadRequestError", 400, "segments_unsupported", { path, model: "hear/text-only" }],
    ["NotFoundError", 404, "model_not_found", { path, model: "hear/nobody" }],
  ])("%s %i %s: one attempt, no charge", async (name, status, code, args) => {
    const { customer, ran } = await ask("transcribe", args);
    expect(ran.raised).toMatchObject({ class: name, status_code: status, code, request_id: expect.stringMatching(/^req_/) });
    expect(ran.statuses).toEqual([status]);
    expect(await customer.spent()).toBe(0);
  });

  test("a busy provider is tried again after the seconds that it told", async () => {
    const { customer, ran } = await ask("transcribe", { path, model: "hear/busy" });
    expect(ran.raised).toMatchObject({ class: "RateLimitError", code: "rate_limit_exceeded" });
    expect([ran.statuses, ran.slept]).toEqual([
      [429, 429, 429],
      [7, 7],
    ]);
    expect(await customer.spent()).toBe(0);
  });

  test("speech: written to a file whole, and as it comes; both play as long as the text takes", async () => {
    const seconds = sentence.length / charactersPerSecond;
    const mp3 = join(folder, "whole.mp3");
    const { customer, value: headers } = await runScenario("speak", { path: mp3, model: "tts-1", text: sentence });
    expect(headers).toMatchObject({ "content-type": "audio/mpeg", "x-svc-model": "say/plain", "x-svc-alias": "tts-1" });
    expect((await decodeMp3(readFileSync(mp3))).seconds).toBeCloseTo(seconds, 0);
    expect(await customer.spent()).toBeCloseTo(sentence.length * characterPrice, 8);
    const streamed = join(folder, "streamed.mp3");
    await runScenario("speak_streaming", { path: streamed, model: "say/b", text: sentence, extra_body: { stream: true } });
    expect((await decodeMp3(readFileSync(streamed))).seconds).toBeCloseTo(seconds, 0);
    const pcm = join(folder, "whole.pcm");
    await runScenario("speak_streaming", { path: pcm, model: "say/plain", text: sentence, response_format: "pcm" });
    expect(readPcm(readFileSync(pcm), 24_000).seconds).toBeCloseTo(seconds, 0);
  });

  test("speech that fails raises: a format that is not made once, an upstream that is away three times", async () => {
    const path = join(folder, "none");
    const refused = await ask("speak", { path, model: "tts-1", text: sentence, response_format: "opus" });
    expect(refused.ran.raised).toMatchObject({ class: "BadRequestError", code: "invalid_request" });
    const away = await ask("speak", { path, model: "say/down", text: sentence });
    expect(away.ran.raised).toMatchObject({ class: "InternalServerError", code: "provider_unavailable" });
    expect(away.ran.slept).toEqual([5, 5]);
    expect(await away.customer.spent()).toBe(0);
  });
});
