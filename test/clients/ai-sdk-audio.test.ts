// The AI SDK's transcription and speech with OpenAI's provider, as its schemas read our answers.
import { APICallError, experimental_generateSpeech, experimental_transcribe, generateSpeech, transcribe } from "ai";
import { describe, expect, test } from "vitest";
import { decodeMp3, readPcm, wavFile } from "../simulator/audio-check.ts";
import { audioCatalog, characterPrice, charactersPerSecond, minutePrice, sentence } from "./audio-upstreams.ts";
import { useClients } from "./clients.ts";

const clients = useClients(audioCatalog());
const recording = new Uint8Array(wavFile(8));
const seconds = sentence.length / charactersPerSecond;

describe("transcribe", () => {
  // Of the first it asks for verbose_json with segments; the second it does not know and names no format.
  test.each(["whisper-1", "transcribe"])("%s: text, timed segments, the language's code and the length", async (id) => {
    const customer = await clients.customer();
    const answer = await transcribe({ model: customer.aiOpenai().transcription(id), audio: recording });
    expect(answer).toMatchObject({ text: expect.stringMatching(/\w/), language: "en", durationInSeconds: 8, warnings: [] });
    expect(answer.segments.at(0)).toMatchObject({ startSecond: 0, text: expect.any(String) });
    expect(answer.segments.at(-1)!.endSecond).toBeCloseTo(8, 1);
    expect(answer.responses[0]!.headers).toMatchObject({ "x-svc-model": "hear/plain", "x-svc-alias": id });
    expect(await customer.spent()).toBe(minutePrice);
  });

  test("by its older name, with options of the provider", async () => {
    const customer = await clients.customer();
    const providerOptions = { openai: { language: "en", temperature: 0, prompt: "Ada", timestampGranularities: ["segment"] } };
    const { text } = await experimental_transcribe({
      model: customer.aiOpenai().transcription("whisper-1"),
      audio: recording,
      providerOptions,
    });
    expect(text).toMatch(/\w/);
  });

  test("a model without times answers the text where json is asked for", async () => {
    const customer = await clients.customer();
    const asked = { model: customer.aiOpenai().transcription("hear/text-only"), audio: recording };
    const { text, segments } = await transcribe({ ...asked, providerOptions: { openai: { responseFormat: "json" } } });
    expect([text, segments]).toEqual([expect.stringMatching(/\w/), []]);
    await expect(transcribe({ ...asked, maxRetries: 0 })).rejects.toMatchObject({ statusCode: 400, isRetryable: false });
  });

  test.each([
    ["hear/plain", new Uint8Array(wavFile(3, { isSilent: true })), 422, false, "no_speech_detected"],
    ["hear/down", recording, 503, true, "provider_unavailable"],
    ["hear/busy", recording, 429, true, "rate_limit_exceeded"],
  ])("%s: what fails is an APICallError with status %s and our code", async (id, audio, statusCode, isRetryable, code) => {
    const customer = await clients.customer();
    const error = await transcribe({ model: customer.aiOpenai().transcription(id), audio, maxRetries: 0 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode, isRetryable, data: { error: { code } } });
    expect(await customer.spent()).toBe(0);
  });
});

describe("generateSpeech", () => {
  test("mp3 with the voice that it names by itself; pcm", async () => {
    const customer = await clients.customer();
    const model = customer.aiOpenai().speech("tts-1");
    const { audio, warnings } = await generateSpeech({ model, text: sentence });
    expect([audio.mediaType, audio.format, warnings]).toEqual(["audio/mpeg", "mp3", []]);
    expect((await decodeMp3(Buffer.from(audio.uint8Array))).seconds).toBeCloseTo(seconds, 0);
    expect(customer.exchanges[0]!.body).toMatchObject({ voice: "alloy", response_format: "mp3" });
    const pcm = await experimental_generateSpeech({ model, text: sentence, outputFormat: "pcm" });
    expect(readPcm(Buffer.from(pcm.audio.uint8Array), 24_000).seconds).toBeCloseTo(seconds, 0);
    expect(await customer.spent()).toBeCloseTo(2 * sentence.length * characterPrice, 8);
  });

  test("opus is not made: an APICallError that is not tried again", async () => {
    const customer = await clients.customer();
    const asked = generateSpeech({ model: customer.aiOpenai().speech("tts-1"), text: sentence, outputFormat: "opus" });
    await expect(asked).rejects.toMatchObject({ statusCode: 400, isRetryable: false, data: { error: { code: "invalid_request" } } });
    expect(customer.exchanges).toHaveLength(1);
  });
});
