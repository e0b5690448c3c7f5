// MiniMax: speech in hex, whole and streamed, its three hundred voices and those that are made here, music, and errors under HTTP 200.
import { describe, expect, test } from "vitest";
import { decodeMp3, readPcm, readWavFile, wavFile } from "./audio-check.ts";
import { readRaw, useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
/** Four seconds. */
const text = "The lantern above the harbour burns all night, my friend, ok";
const fields = (more: Record<string, unknown> = {}) => ({ model: "speech-hd", text, voice_setting: { voice_id: "calm-woman" }, ...more });

async function ask(path: string, body: unknown, headers: Record<string, string> = {}): Promise<any> {
  const isForm = body instanceof FormData;
  const reply = await fetch(`${simulator.current.url}/minimax/v1/${path}`, {
    method: "POST",
    headers,
    body: isForm ? body : JSON.stringify(body),
  });
  const answer = (await reply.json()) as object;
  return { http: reply.status, code: (answer as any).base_resp.status_code, ...answer };
}

const speak = (more: Record<string, unknown> = {}) => ask("t2a_v2", fields(more));
const audioOf = ({ data }: any) => Buffer.from(data.audio, "hex");

async function stream(more: Record<string, unknown> = {}) {
  const { text: sent, broke } = await readRaw(simulator.current, fields({ stream: true, ...more }), "/minimax/v1/t2a_v2");
  const records: any[] = sent
    .split("\n\n")
    .filter((line) => line.startsWith("data: "))
    .map((line) => JSON.parse(line.slice(6)));
  const pieces = records.filter(({ data }) => data?.status === 1);
  return { records, pieces, last: records.at(-1), broke, bytes: Buffer.from(pieces.map(({ data }) => data.audio).join(""), "hex") };
}

describe("speech", () => {
  test("mp3 by default, with what it is told of it", async () => {
    const answer = await speak();
    const bytes = audioOf(answer);
    const heard = await decodeMp3(bytes);
    expect(heard.sampleRate).toBe(32_000);
    expect(Math.abs(heard.seconds - 4)).toBeLessThan(1152 / 32_000);
    expect(answer).toMatchObject({
      http: 200,
      data: { status: 2 },
      extra_info: { audio_length: Math.round(heard.seconds * 1000), audio_size: bytes.length, bitrate: 128_000, audio_format: "mp3" },
      base_resp: { status_code: 0, status_msg: "success" },
    });
    expect(await speak()).toEqual(answer);
  });

  test("pcm, wav, and mp3 of other rates; a speed changes the length", async () => {
    const audio = (format: string, sample_rate: number, bitrate = 128_000) => ({
      audio_setting: { format, sample_rate, bitrate, channel: 1 },
    });
    expect(readPcm(audioOf(await speak(audio("pcm", 44_100))), 44_100)).toMatchObject({ seconds: 4 });
    expect(readPcm(audioOf(await speak(audio("pcm", 8000))), 8000)).toMatchObject({ seconds: 4 });
    expect(readWavFile(audioOf(await speak(audio("wav", 16_000))))).toMatchObject({ seconds: 4, sampleRate: 16_000 });
    expect((await speak(audio("mp3", 44_100, 256_000))).extra_info.bitrate).toBe(256_000);
    const low = await speak(audio("mp3", 8000, 256_000));
    expect([low.extra_info.bitrate, (await decodeMp3(audioOf(low))).sampleRate]).toEqual([64_000, 8000]);
    const fast = await speak({ ...audio("pcm", 16_000), voice_setting: { voice_id: "calm-woman", speed: 2 } });
    expect(audioOf(fast).length).toBe(2 * 32_000);
  });

  test("a stream brings the same audio in pieces, and all of it again at the end unless that is left out", async () => {
    const whole = audioOf(await speak());
    const { bytes, last, pieces } = await stream();
    expect(bytes).toEqual(whole);
    expect(pieces.length).toBeGreaterThanOrEqual(8);
    expect(pieces[0]).not.toHaveProperty("extra_info");
    expect([audioOf(last), last.data.status, last.extra_info.audio_size]).toEqual([whole, 2, whole.length]);
    const without = { stream_options: { exclude_aggregated_audio: true } };
    expect((await stream(without)).last).toMatchObject({ data: { audio: "", status: 2 }, extra_info: { audio_size: whole.length } });
    expect(audioOf((await stream({ ...without, model: "m+sim-aggregate" })).last)).toEqual((await stream({ model: "m" })).bytes);
    expect((await stream({ model: "m+sim-no-aggregate" })).last.data.audio).toBe("");
  });

  test("streams that break, and odd ones", async () => {
    const { bytes } = await stream({ model: "m" });
    const odd = await stream({ model: "m+sim-odd-hex+sim-no-extra-info" });
    expect([odd.bytes.equals(bytes), odd.pieces[0].data.audio.length % 2, "extra_info" in odd.last]).toEqual([true, 1, false]);
    expect(await stream({ model: "m+sim-cut-after-3" })).toMatchObject({ broke: true, pieces: { length: 3 } });
    expect(await stream({ model: "m+sim-end-after-3" })).toMatchObject({ broke: false, records: { length: 3 } });
    const failed = await stream({ model: "m+sim-error-after-3" });
    expect([failed.records.length, failed.last.base_resp.status_code]).toEqual([4, 1000]);
    expect((await stream({ model: "m+sim-no-done" })).last.data.status).toBe(1);
    expect((await stream({ model: "m+sim-no-audio" })).records).toMatchObject([{ data: { audio: "", status: 2 } }]);
  });
});

describe("errors", () => {
  const wrong: [string, Record<string, unknown>, number][] = [
    ["no text", { text: "" }, 2013],
    ["ten thousand characters", { text: "x".repeat(10_000) }, 2013],
    ["an unknown voice", { voice_setting: { voice_id: "nobody" } }, 20_132],
    ["no voice", { voice_setting: undefined }, 2013],
    ["a rate that there is none of", { audio_setting: { sample_rate: 48_000 } }, 2013],
    ["a bitrate that there is none of", { audio_setting: { bitrate: 192_000 } }, 2013],
    ["wav in a stream", { stream: true, audio_setting: { format: "wav" } }, 2013],
    ["a speed out of range", { voice_setting: { voice_id: "calm-woman", speed: 3 } }, 2013],
    ["sim-refuse", { model: "m+sim-refuse" }, 1026],
    ["sim-base-resp-1002", { model: "m+sim-base-resp-1002" }, 1002],
    ["sim-quota", { model: "m+sim-quota" }, 1008],
    ["sim-context", { model: "m+sim-context" }, 1039],
    ["sim-reject", { model: "m+sim-reject" }, 2013],
    ["sim-200-error", { model: "m+sim-200-error" }, 1000],
  ];
  for (const [what, more, code] of wrong) {
    test(`200 with ${code}: ${what}`, async () => {
      expect(await speak(more)).toMatchObject({ http: 200, code, base_resp: { status_msg: expect.any(String) } });
    });
  }

  test("statuses that a directive names by number stay; success without audio", async () => {
    expect(await speak({ model: "m+sim-fail-503" })).toMatchObject({ http: 503, code: 1033 });
    expect(await speak({ model: "m+sim-429" })).toMatchObject({ http: 429, code: 1002 });
    expect(await speak({ model: "m+sim-nonsense" })).toMatchObject({ http: 400 });
    expect(await speak({ model: "m+sim-no-audio" })).toMatchObject({ http: 200, code: 0, data: { audio: "" } });
    const flaky = () => speak({ model: "m+sim-base-resp-1000+sim-flaky-1" });
    expect([(await flaky()).code, (await flaky()).code]).toEqual([1000, 0]);
    expect(await ask("get_voice", { voice_type: "all" }, { "x-sim-knobs": "get_voice=sim-fail-500" })).toMatchObject({ http: 500 });
  });
});

describe("voices", () => {
  async function upload(bytes: Buffer, name = "a.wav"): Promise<any> {
    const form = new FormData();
    form.set("purpose", "voice_clone");
    form.set("file", new File([new Uint8Array(bytes)], name));
    return ask("files/upload", form);
  }
  const made = async (kind: string) => (await ask("get_voice", { voice_type: kind }))[kind].map(({ voice_id }: any) => voice_id);
  const speaks = async (voice_id: string) => (await speak({ voice_setting: { voice_id } })).code;

  test("three hundred of its own, each can speak", async () => {
    const { system_voice, voice_cloning } = await ask("get_voice", { voice_type: "system" });
    expect([system_voice.length, new Set(system_voice.map(({ voice_id }: any) => voice_id)).size, voice_cloning]).toEqual([
      300,
      300,
      undefined,
    ]);
    expect(system_voice[0]).toEqual({ voice_id: "calm-woman", voice_name: "Calm Woman", description: expect.any(Array) });
    expect(await speaks(system_voice.at(-1).voice_id)).toBe(0);
    expect((await ask("get_voice", { voice_type: "mine" })).code).toBe(2013);
    const few = await ask("get_voice", { voice_type: "all" }, { "x-sim-knobs": "sim-voices-2" });
    expect(few.system_voice).toEqual(system_voice.slice(0, 2));
  });

  test("a voice sample becomes a voice that speaks and is listed from then on; its id is taken", async () => {
    const { file } = await upload(wavFile(12));
    expect(file).toMatchObject({ file_id: expect.any(Number), filename: "a.wav", purpose: "voice_clone" });
    const voice_id = `svcv_${"0a".repeat(16)}`;
    const clone = () => ask("voice_clone", { file_id: file.file_id, voice_id });
    expect(await clone()).toMatchObject({ code: 0, input_sensitive: false });
    expect(await made("voice_cloning")).not.toContain(voice_id);
    expect(await speaks(voice_id)).toBe(0);
    expect(await made("voice_cloning")).toContain(voice_id);
    expect((await clone()).code).toBe(2039);
  });

  test("voice samples of the wrong length, kind and purpose, unknown samples and bad ids", async () => {
    const clone = (file_id: unknown, voice_id = "a-new-voice") => ask("voice_clone", { file_id, voice_id });
    expect((await clone((await upload(wavFile(9))).file.file_id)).code).toBe(2037);
    expect((await clone((await upload(wavFile(301))).file.file_id)).code).toBe(2037);
    expect((await upload(Buffer.from("no sound"))).code).toBe(2013);
    expect((await upload(wavFile(12), "a.txt")).code).toBe(2013);
    expect((await ask("files/upload", new FormData())).code).toBe(2013);
    expect((await clone(1)).code).toBe(2013);
    expect((await clone((await upload(wavFile(12))).file.file_id, "short")).code).toBe(2013);
  });

  test("a call that a fault broke makes no voice", async () => {
    const { file } = await upload(wavFile(13));
    const broken = await ask(
      "voice_clone",
      { file_id: file.file_id, voice_id: "never-made" },
      { "x-sim-knobs": "voice_clone=sim-fail-503" },
    );
    expect([broken.http, await speaks("never-made")]).toEqual([503, 20_132]);
  });

  test("a description becomes a voice, with the id that was asked for, or another", async () => {
    const design = (more = {}, headers = {}) =>
      ask("voice_design", { prompt: "A calm old sailor", preview_text: "Hello there.", ...more }, headers);
    const answer = await design({ voice_id: "svcv_designed1" });
    expect(answer.voice_id).toBe("svcv_designed1");
    expect((await decodeMp3(Buffer.from(answer.trial_audio, "hex"))).loudest).toBeGreaterThan(0.2);
    expect(await speaks("svcv_designed1")).toBe(0);
    expect(await made("voice_generation")).toEqual(["svcv_designed1"]);
    const other = await design({ voice_id: "svcv_designed2" }, { "x-sim-knobs": "sim-other-voice-id" });
    expect(other.voice_id).toMatch(/^ttv-voice-/);
    expect([await speaks(other.voice_id), await speaks("svcv_designed2")]).toEqual([0, 20_132]);
    expect((await design({ preview_text: "x".repeat(501) })).code).toBe(2013);
  });
});

test("music: a song of 20 to 90 seconds by its words", async () => {
  const answer = await ask("music_generation", { model: "music-2", prompt: "A slow waltz", lyrics: "la ".repeat(100) });
  const heard = await decodeMp3(audioOf(answer));
  expect(heard.seconds).toBeCloseTo(20 + Math.floor(312 / 15), 1);
  expect(answer.extra_info).toMatchObject({ music_sample_rate: 32_000, music_duration: Math.round(heard.seconds * 1000) });
  expect((await ask("music_generation", { model: "music-2" })).code).toBe(2013);
});
