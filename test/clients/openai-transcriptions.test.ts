// Transcriptions with the OpenAI SDK (docs/behaviour/endpoints.md#transcription-client): every answer format, every way to hand over a
// file, and the errors.
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { wavFile } from "../simulator/audio-check.ts";
import { audioCatalog, minutePrice } from "./audio-upstreams.ts";
import { useClients } from "./clients.ts";

const clients = useClients(audioCatalog());
const folder = mkdtempSync(join(tmpdir(), "svc-clients-"));
const path = join(folder, "meeting.wav");
const recording = wavFile(8);
beforeAll(() => writeFileSync(path, recording));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = () => createReadStream(path);

describe("answers", () => {
  test("verbose_json, also where no format is named: segments with seek, the language's name in lower case, the length and the bill", async () => {
    const customer = await clients.customer();
    const client = customer.openai();
    const { data, response, request_id } = await client.audio.transcriptions
      .create({ file: file(), model: "transcribe", response_format: "verbose_json", timestamp_granularities: ["segment"] })
      .withResponse();
    expect(data).toMatchObject({ task: "transcribe", language: "english", duration: 8, text: expect.stringMatching(/\w/) });
    expect(data.segments!.length).toBeGreaterThan(0);
    for (const segment of data.segments!)
      expect(segment).toMatchObject({ seek: expect.any(Number), tokens: expect.any(Array), end: expect.any(Number) });
    expect((data as unknown as Record<string, unknown>).billing).toMatchObject({
      duration_sec: 8,
      billable_minutes: 1,
      cost_usd: minutePrice,
    });
    expect(request_id).toMatch(/^req_/);
    expect([response.headers.get("x-svc-model"), response.headers.get("x-svc-alias")]).toEqual(["hear/plain", "transcribe"]);
    const unnamed = await client.audio.transcriptions.create({ file: file(), model: "transcribe" });
    expect(unnamed).toMatchObject({ text: data.text, segments: data.segments });
    expect(await customer.spent()).toBeCloseTo(2 * minutePrice, 8);
  });

  test("json is an object with the text; text, srt and vtt are strings, of which the text is the same", async () => {
    const customer = await clients.customer();
    const ask = (format: "json" | "text" | "srt" | "vtt") =>
      customer.openai().audio.transcriptions.create({ file: file(), model: "transcribe", response_format: format as "json" });
    const { text } = await ask("json");
    expect(((await ask("text")) as unknown as string).trim()).toBe(text.trim());
    const srt = (await ask("srt")) as unknown as string;
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,\d{3}\n\S/);
    const vtt = (await ask("vtt")) as unknown as string;
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.\d{3}\n\S/);
    const words = (subtitles: string) =>
      subtitles
        .split("\n")
        .filter((line) => /[a-z]/.test(line))
        .join(" ");
    expect(words(srt)).toBe(text.trim());
    const types = customer.exchanges.map(({ headers }) => headers.get("content-type"));
    expect(types.slice(0, 2)).toEqual([expect.stringMatching(/^application\/json/), "text/plain; charset=utf-8"]);
    expect(types.slice(2)).toEqual(["application/x-subrip; charset=utf-8", "text/vtt; charset=utf-8"]);
    for (const { headers } of customer.exchanges)
      expect([headers.get("x-svc-duration-sec"), headers.get("x-svc-billable-minutes"), headers.get("x-svc-cost-usd")]).toEqual([
        "8",
        "1",
        "0.006",
      ]);
    expect(await customer.spent()).toBeCloseTo(4 * minutePrice, 8);
  });

  test.each(["hear/live", "transcribe"])(
    "a stream of %s: deltas that are the text, then the text with its usage and its cost",
    async (model) => {
      const customer = await clients.customer();
      const client = customer.openai();
      const { data, response } = await client.audio.transcriptions.create({ file: file(), model, stream: true }).withResponse();
      let text = "";
      const ends: OpenAI.Audio.TranscriptionTextDoneEvent[] = [];
      for await (const event of data) {
        if (event.type === "transcript.text.delta") text += event.delta;
        else if (event.type === "transcript.text.done") ends.push(event);
      }
      expect(ends).toHaveLength(1);
      expect(ends[0]).toMatchObject({
        text,
        billing: { cost_usd: minutePrice },
        usage: { type: model === "hear/live" ? "tokens" : "duration" },
      });
      expect(response.headers.get("x-svc-cost-usd")).toBe("0.006");
      expect(await customer.spent()).toBe(minutePrice);
    },
  );

  test("a stream that breaks: the SDK throws stream_interrupted, and nothing is charged", async () => {
    const customer = await clients.customer();
    const events = await customer.openai().audio.transcriptions.create({ file: file(), model: "hear/cut", stream: true });
    let deltas = 0;
    const read = async () => {
      for await (const { type } of events) if (type === "transcript.text.delta") deltas += 1;
    };
    await expect(read()).rejects.toMatchObject({ code: "stream_interrupted", type: "upstream_error" });
    expect(deltas).toBe(3);
    expect(await customer.spent()).toBe(0);
  });

  test("a translation: English text and its cost, as an object or as subtitles", async () => {
    const customer = await clients.customer();
    const { translations } = customer.openai().audio;
    const { data, response } = await translations.create({ file: file(), model: "whisper-1", prompt: "Ada" }).withResponse();
    expect(data).toMatchObject({ text: expect.stringMatching(/\w/), billing: { cost_usd: minutePrice } });
    expect(response.headers.get("x-svc-alias")).toBe("whisper-1");
    const verbose = await translations.create({ file: file(), model: "whisper-1", response_format: "verbose_json" });
    expect(verbose).toMatchObject({ task: "translate", language: "english", duration: 8, text: data.text });
    expect((verbose as unknown as OpenAI.Audio.TranslationVerbose).segments![0]).toMatchObject({ start: 0, tokens: expect.any(Array) });
    const subtitles = await translations.create({ file: file(), model: "whisper-1", response_format: "vtt" });
    expect(subtitles).toMatch(/^WEBVTT\n/);
    expect(await customer.spent()).toBeCloseTo(3 * minutePrice, 8);
    const refused = translations.create({ file: file(), model: "hear/text-only" });
    await expect(refused).rejects.toMatchObject({ status: 400, code: "invalid_parameter", param: "model" });
  });

  test.each([
    ["the file first", () => ({ file: file(), model: "transcribe", language: "en", temperature: 0.2, prompt: "Ada, Grace" })],
    ["the file last", () => ({ prompt: "Ada, Grace", temperature: 0.2, language: "en", model: "transcribe", file: file() })],
    ["a File of the web", () => ({ model: "transcribe", file: new File([new Uint8Array(recording)], "meeting.wav") })],
  ])("%s: the same transcript", async (_way, body) => {
    const client = (await clients.customer()).openai();
    const { text } = await client.audio.transcriptions.create({ file: file(), model: "transcribe", response_format: "json" });
    expect(await client.audio.transcriptions.create(body())).toMatchObject({ text, language: "english" });
  });

  test("toFile of a buffer, whatever the file is called", async () => {
    const client = (await clients.customer()).openai();
    const { text } = await client.audio.transcriptions.create({ file: file(), model: "transcribe" });
    for (const name of ["meeting.wav", "meeting.mp3", "meeting"])
      expect(await client.audio.transcriptions.create({ file: await toFile(recording, name), model: "transcribe" })).toMatchObject({
        text,
      });
  });

  test("a secondary that answers is named, and charged no more than what was asked for", async () => {
    const customer = await clients.customer();
    const { data, response } = await customer.openai().audio.transcriptions.create({ file: file(), model: "hear/second" }).withResponse();
    expect(data).toMatchObject({ model: "hear/second", billing: { fallback: "hear/plain", cost_usd: minutePrice } });
    expect([response.headers.get("x-svc-fallback"), response.headers.get("x-svc-fallback-layer")]).toEqual(["hear/plain", "2"]);
    expect(await customer.spent()).toBe(minutePrice);
  });
});

describe("errors: a class of the SDK, our code, sent once, nothing charged", () => {
  const silence = () => toFile(wavFile(3, { isSilent: true }), "silence.wav");
  const noise = () => toFile(Buffer.from("This is no recording at all."), "notes.mp3");
  test.each([
    [
      "a stream of subtitles",
      OpenAI.BadRequestError,
      400,
      "invalid_parameter",
      async () => ({ file: file(), model: "transcribe", stream: true as const, response_format: "srt" as const }),
    ],
    ["no recording", OpenAI.APIError, 415, "unsupported_audio_type", async () => ({ file: await noise(), model: "transcribe" })],
    ["silence", OpenAI.UnprocessableEntityError, 422, "no_speech_detected", async () => ({ file: await silence(), model: "transcribe" })],
    [
      "times of a model without",
      OpenAI.BadRequestError,
      400,
      "segments_unsupported",
      async () => ({ file: file(), model: "hear/text-only" }),
    ],
    ["an unknown model", OpenAI.NotFoundError, 404, "model_not_found", async () => ({ file: file(), model: "hear/nobody" })],
  ])("%s", async (_what, kind, status, code, body) => {
    const customer = await clients.customer();
    const asked = customer.openai().audio.transcriptions.create(await body());
    await expect(asked).rejects.toBeInstanceOf(kind);
    await expect(asked).rejects.toMatchObject({ status, code, requestID: expect.stringMatching(/^req_/) });
    // The SDK also fetches `data:,`, to see what its own fetch makes of a form.
    expect(customer.exchanges.filter(({ path }) => path.startsWith("/v1/"))).toHaveLength(1);
    expect(await customer.spent()).toBe(0);
  });

  test("402 insufficient_credits", async () => {
    const customer = await clients.customer({ deposit: "0.001" });
    const asked = customer.openai().audio.transcriptions.create({ file: file(), model: "transcribe" });
    await expect(asked).rejects.toMatchObject({ status: 402, code: "insufficient_credits" });
  });

  test("429 of the provider: RateLimitError with its seconds; 503: InternalServerError, tried again", async () => {
    const customer = await clients.customer();
    const client = customer.openai({ maxRetries: 0 });
    const busy = client.audio.transcriptions.create({ file: file(), model: "hear/busy" });
    await expect(busy).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    await expect(busy).rejects.toMatchObject({ code: "rate_limit_exceeded" });
    expect(customer.exchanges[0]!.headers.get("retry-after")).toBe("7");
    const down = client.audio.transcriptions.create({ file: file(), model: "hear/down" });
    await expect(down).rejects.toBeInstanceOf(OpenAI.InternalServerError);
    await expect(down).rejects.toMatchObject({ status: 503, code: "provider_unavailable" });
    expect(customer.exchanges[1]!.headers.get("x-should-retry")).toBe("true");
    expect(await customer.spent()).toBe(0);
  });
});
