// Transcription of the OpenAI protocol, by the official SDK: segments over the whole length, every format, silence, refusals and directives.
import OpenAI, { toFile } from "openai";
import { describe, expect, test } from "vitest";
import { makeSound } from "../../src/simulator/sound/make-sound.ts";
import { wavFile } from "./audio-check.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const client = () => new OpenAI({ apiKey: "any", baseURL: `${simulator.current.url}/openai/v1`, maxRetries: 0 });
const recording = wavFile(61.5);

async function transcribe(more: Record<string, unknown> = {}, bytes = recording, name = "a.wav"): Promise<any> {
  const file = await toFile(bytes, name, { type: "audio/wav" });
  return client().audio.transcriptions.create({ model: "transcribe-fast", file, response_format: "verbose_json", ...more } as any);
}

async function formOf(model: string): Promise<FormData> {
  const form = new FormData();
  form.append("file", await toFile(recording, "a.wav", { type: "audio/wav" }));
  for (const [name, value] of Object.entries({ model, stream: "true" })) form.append(name, value);
  return form;
}

describe("what is heard", () => {
  test("segments cover the whole length, some words a second; text is all of them", async () => {
    const { segments, text, duration, language, task, words } = await transcribe();
    expect({ duration, language, task, words }).toEqual({ duration: 61.5, language: "english", task: "transcribe" });
    expect([segments[0].start, segments.at(-1).end]).toEqual([0, 61.5]);
    for (const [index, segment] of segments.entries()) {
      expect(segment).toMatchObject({ id: index, end: segments[index + 1]?.start ?? 61.5, temperature: 0, tokens: expect.any(Array) });
      expect(segment.no_speech_prob).toBeLessThan(0.2);
      expect(segment.avg_logprob).toBeGreaterThan(-0.6);
    }
    expect(
      segments
        .map((segment: any) => segment.text)
        .join("")
        .trim(),
    ).toBe(text);
    expect(text.split(" ").length).toBeGreaterThan(61.5 * 2);
  });

  test("the same file is heard the same in every format and by every model; another file otherwise", async () => {
    const { text, segments } = await transcribe();
    expect((await transcribe({ model: "transcribe-plain", response_format: "json" })).text).toBe(text);
    expect(await transcribe({ response_format: "text" })).toBe(`${text}\n`);
    expect((await transcribe({}, wavFile(30))).text).not.toBe(text);
    const srt: string = await transcribe({ response_format: "srt" });
    expect(srt).toMatch(/^1\n00:00:00,000 --> 00:00:0\d,000\n\w/);
    expect(srt.trimEnd().split("\n\n")).toHaveLength(segments.length);
    const vtt: string = await transcribe({ response_format: "vtt" });
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:0\d\.000\n\w/);
    expect(vtt).toContain("--> 00:01:01.500");
  });

  test("words where they are asked for, with segments or in their place", async () => {
    const both = await transcribe({ timestamp_granularities: ["word", "segment"] });
    const { words, segments } = await transcribe({ timestamp_granularities: ["word"] });
    expect(segments).toBeUndefined();
    expect(words).toEqual(both.words);
    expect(words.map(({ word }: any) => word).join(" ")).toBe(both.text.replaceAll(".", ""));
    expect(words[0].start).toBe(0);
  });

  test("language: the name of the code that was asked for", async () => {
    expect((await transcribe({ language: "de" })).language).toBe("german");
    expect((await transcribe({ language: "de", model: "m+sim-language-code" })).language).toBe("de");
    expect(await transcribe({ model: "m+sim-no-language" })).not.toHaveProperty("language");
  });

  test("an MP3's length is that of its frames", async () => {
    const { bytes, seconds } = await makeSound({ encoding: "mp3", sampleRate: 22_050, kbps: 32 }, 17, "x");
    const { duration, segments } = await transcribe({}, bytes, "a.mp3");
    expect(duration).toBeCloseTo(seconds, 6);
    expect(segments.at(-1).end).toBeCloseTo(17, 1);
  });

  test("a stream says the same text word by word, then as a whole; whisper ignores it", async () => {
    const { text } = await transcribe();
    const events: any[] = [];
    for await (const event of await transcribe({ stream: true, response_format: "json" })) events.push(event);
    expect(
      events
        .slice(0, -1)
        .map(({ delta }) => delta)
        .join(""),
    ).toBe(text);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text, usage: { type: "tokens", input_tokens: 615 } });
    const whole = await fetch(`${simulator.current.url}/openai/v1/audio/transcriptions`, {
      method: "POST",
      body: await formOf("whisper-1"),
    });
    expect(await whole.json()).toMatchObject({ text });
  });

  test("silence gives an empty text and no segments", async () => {
    const silent = wavFile(5, { isSilent: true });
    expect(await transcribe({}, silent)).toMatchObject({ text: "", segments: [], duration: 5 });
    expect((await transcribe({ response_format: "json" }, silent)).text).toBe("");
  });

  test("the record names the parts, the file without its bytes", async () => {
    await transcribe({ language: "en" });
    const { parts, model } = simulator.current.calls().at(-1)!;
    expect(model).toBe("transcribe-fast");
    expect(parts).toContainEqual({ name: "file", text: null, fileName: "a.wav", contentType: "audio/wav", bytes: recording.length });
    expect(parts).toContainEqual({ name: "language", text: "en", fileName: null, contentType: null, bytes: 2 });
  });
});

describe("refusals", () => {
  const refused: [string, Record<string, unknown>, string | null][] = [
    ["a format that there is none of", { response_format: "xml" }, "response_format"],
    ["times from a model without", { model: "transcribe-plain" }, "response_format"],
    ["times from a model that was told so", { model: "m+sim-json-only", response_format: "srt" }, "response_format"],
    ["a language by name", { language: "english" }, "language"],
    ["a temperature above one", { temperature: 1.1 }, "temperature"],
    ["a stream of anything but json", { stream: true }, "response_format"],
    ["granularities without verbose_json", { response_format: "json", timestamp_granularities: ["segment"] }, "timestamp_granularities"],
    ["a field that there is none of", { diarize: "true" }, "diarize"],
    ["no model", { model: "" }, "model"],
  ];
  for (const [what, more, param] of refused) {
    test(`400: ${what}`, async () => {
      await expect(transcribe(more)).rejects.toMatchObject({ status: 400, param });
    });
  }

  test("400: bytes or names of other kinds, and hardly any sound", async () => {
    await expect(transcribe({}, Buffer.from("hello, this is text"))).rejects.toMatchObject({ status: 400, param: "file" });
    await expect(transcribe({}, recording, "a.txt")).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("Supported formats"),
    });
    await expect(transcribe({}, wavFile(0.05))).rejects.toMatchObject({ status: 400, code: "audio_too_short" });
  });
});

describe("directives", () => {
  test("segments: missing, none, bare, without times; speech: none at all, or what Whisper hears in silence", async () => {
    expect(await transcribe({ model: "m+sim-no-segments" })).not.toHaveProperty("segments");
    expect(await transcribe({ model: "m+sim-empty-segments" })).toMatchObject({ segments: [], text: expect.stringMatching(/\w/) });
    expect(Object.keys((await transcribe({ model: "m+sim-bare-segments" })).segments[0])).toEqual(["start", "end", "text"]);
    expect(Object.keys((await transcribe({ model: "m+sim-untimed-segments" })).segments[0])).toEqual(["id", "text"]);
    expect(await transcribe({ model: "m+sim-no-text" })).not.toHaveProperty("text");
    expect(await transcribe({ model: "m+sim-no-speech" })).toMatchObject({ text: "", segments: [] });
    const { segments } = await transcribe({ model: "m+sim-no-speech-segments" });
    expect(segments.every((segment: any) => segment.no_speech_prob > 0.6 && segment.avg_logprob < -1)).toBe(true);
  });

  test("faults of every other call", async () => {
    await expect(transcribe({ model: "m+sim-fail-503" })).rejects.toMatchObject({ status: 503 });
    await expect(transcribe({ model: "m+sim-429+sim-retry-after-7" })).rejects.toMatchObject({ status: 429 });
    for (const status of [413, 415, 422]) await expect(transcribe({ model: `m+sim-${status}` })).rejects.toMatchObject({ status });
    await expect(transcribe({ model: "m+sim-reject" })).rejects.toMatchObject({ status: 400, param: "language" });
    await expect(transcribe({ model: "m+sim-bad-json" })).rejects.toThrow();
    await expect(transcribe({ model: "m+sim-cut-after-0" })).rejects.toThrow();
    expect(await transcribe({ model: "m+sim-200-error" })).toMatchObject({ error: { code: "internal_error" } });
    expect((await transcribe({ model: "m+sim-seconds-90" })).duration).toBe(90);
  });
});
