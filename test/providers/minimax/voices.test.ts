// MiniMax voices: the list, clones and designs; and its music.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { minimaxMusic } from "../../../src/providers/minimax/audio.ts";
import { minimaxClone, minimaxDesign, minimaxVoices } from "../../../src/providers/minimax/voices.ts";
import type { FetchMade, MusicOrder } from "../../../src/providers/verbs/audio.ts";
import { tonePcm } from "../../sound/tones.ts";
import { bytesOf, callTo } from "../audio-fixture.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { type Host, startHost, useUpstream } from "../upstream-fixture.ts";

const fine = { status_code: 0, status_msg: "success" };
const answers = (byPath: Record<string, unknown>) =>
  startHost((request, response) => {
    const body = byPath[request.url!];
    response.end(typeof body === "string" ? body : JSON.stringify({ base_resp: fine, ...(body as object) }));
  });
const failing = (status_code: number) => ({ base_resp: { status_code, status_msg: "no" } });
const sentTo = ({ requests }: Host, path: string): unknown => JSON.parse(requests.find(({ url }) => url === path)!.body);

describe("the list", () => {
  test("system voices alone", async () => {
    const system = [
      { voice_id: "calm", voice_name: "Calm", description: ["A calm voice.", "slow"] },
      { voice_id: "b" },
      {},
      { voice_id: "b" },
    ];
    const host = await answers({ "/v1/get_voice": { system_voice: system, voice_cloning: [{ voice_id: "own" }] } });
    expect(await minimaxVoices(useUpstream())(callTo(host))).toEqual([
      { voiceId: "calm", name: "Calm", labels: {}, previewUrl: null, description: null, tags: ["A calm voice.", "slow"] },
      { voiceId: "b", name: "b", labels: {}, previewUrl: null, description: null, tags: [] },
    ]);
    expect(sentTo(host, "/v1/get_voice")).toEqual({ voice_type: "system" });
  });

  test("failures", async () => {
    await expectFault(minimaxVoices(useUpstream())(callTo(await answers({ "/v1/get_voice": failing(1004) }))), "our_fault");
    await expectFault(minimaxVoices(useUpstream())(callTo(await answers({ "/v1/get_voice": {} }))), "unreadable");
    const long = '{"base_resp":{"status_code":12345678901234567890}}';
    await expectFault(minimaxVoices(useUpstream())(callTo(await answers({ "/v1/get_voice": long }))), "unreadable");
  });
});

const folder = mkdtempSync(join(tmpdir(), "clone-"));
const path = join(folder, "clip");
writeFileSync(path, "the clip");
afterAll(() => rmSync(folder, { recursive: true }));
const file = { path, bytes: 8, contentType: "audio/mpeg", extension: "mp3" };

describe("clones", () => {
  const clone = (host: Host) => minimaxClone(useUpstream())({ ...callTo(host), order: { file, voiceId: "svcv_1" } });
  const uploaded = '{"file":{"file_id":290123456789012345678},"base_resp":{"status_code":0}}';

  test("the voice sample is uploaded, then cloned under our id; a file's number of 64 bits is not rounded", async () => {
    const host = await answers({ "/v1/files/upload": uploaded, "/v1/voice_clone": { input_sensitive: false, demo_audio: "" } });
    await clone(host);
    const [upload, made] = host.requests;
    const form = await new Response(upload!.body, { headers: { "content-type": upload!.headers["content-type"]! } }).formData();
    expect(form.get("purpose")).toBe("voice_clone");
    expect([(form.get("file") as File).name, await (form.get("file") as File).text()]).toEqual(["audio.mp3", "the clip"]);
    expect(made).toMatchObject({ url: "/v1/voice_clone", body: '{"file_id":290123456789012345678,"voice_id":"svcv_1"}' });
  });

  test("a voice sample of the wrong length: rejected", async () => {
    const host = await answers({ "/v1/files/upload": uploaded, "/v1/voice_clone": failing(2037) });
    expect(await expectFault(clone(host), "rejected")).toMatchObject({ param: "file" });
  });

  test("our id is taken: an earlier attempt has made it", async () => {
    await expect(clone(await answers({ "/v1/files/upload": uploaded, "/v1/voice_clone": failing(2039) }))).resolves.toBeUndefined();
  });

  test("a refused voice sample, and failures of either call", async () => {
    await expectFault(clone(await answers({ "/v1/files/upload": uploaded, "/v1/voice_clone": { input_sensitive: true } })), "refused");
    await expectFault(clone(await answers({ "/v1/files/upload": failing(2013) })), "rejected");
    await expectFault(clone(await answers({ "/v1/files/upload": {} })), "unreadable");
    await expectFault(clone(await answers({ "/v1/files/upload": uploaded, "/v1/voice_clone": "<html>" })), "unreadable");
  });
});

describe("designs", () => {
  const design = (host: Host, previewText: string | null = null) =>
    minimaxDesign(useUpstream())({ ...callTo(host), order: { description: "A pirate.", previewText, voiceId: "svcv_1" } });

  test("the id that the provider gave is returned, which may differ", async () => {
    const host = await answers({ "/v1/voice_design": { voice_id: "ttv-7", trial_audio: "ab".repeat(3_000_000) } });
    expect(await design(host, "Ahoy.")).toEqual({ voiceId: "ttv-7" });
    expect(sentTo(host, "/v1/voice_design")).toEqual({ prompt: "A pirate.", preview_text: "Ahoy.", voice_id: "svcv_1" });
  });

  test("a sentence of our own where none was given", async () => {
    const host = await answers({ "/v1/voice_design": { voice_id: "svcv_1" } });
    await design(host);
    expect(sentTo(host, "/v1/voice_design")).toMatchObject({ preview_text: expect.stringMatching(/\w{3}/) as string });
  });

  test("failures", async () => {
    await expectFault(design(await answers({ "/v1/voice_design": failing(1026) })), "refused");
    await expectFault(design(await answers({ "/v1/voice_design": {} })), "unreadable");
  });
});

describe("songs", () => {
  const song: MusicOrder = { prompt: "a waltz", lyrics: "[verse] la", seconds: null, format: "mp3_44100_128" };
  const noFetch: FetchMade = () => Promise.reject(new Error("nothing to load"));
  const make = (host: Host, change: Partial<MusicOrder> = {}, fetchMade = noFetch) =>
    minimaxMusic(useUpstream(), fetchMade)({ ...callTo(host), order: { ...song, ...change } });
  const made = (audio: string, extra: object = {}) =>
    answers({ "/v1/music_generation": { data: { audio, status: 2 }, extra_info: extra } });

  test("as hexadecimal", async () => {
    const host = await made(Buffer.from("song").toString("hex"));
    expect(String(await bytesOf(await make(host)))).toBe("song");
    expect(sentTo(host, "/v1/music_generation")).toEqual({
      model: "upstream-model",
      prompt: "a waltz",
      lyrics: "[verse] la",
      stream: false,
      output_format: "hex",
      audio_setting: { format: "mp3", sample_rate: 44_100, bitrate: 128_000 },
    });
  });

  test("as an address, which is loaded", async () => {
    const loaded: string[] = [];
    const fetchMade: FetchMade = (url) => (loaded.push(url), Promise.resolve(Buffer.from("song")));
    const host = await made("https://cdn.example.com/song.mp3");
    expect(String(await bytesOf(await make(host, { lyrics: null }, fetchMade)))).toBe("song");
    expect(loaded).toEqual(["https://cdn.example.com/song.mp3"]);
    expect(sentTo(host, "/v1/music_generation")).not.toHaveProperty("lyrics");
  });

  test("PCM of two channels becomes the one channel that was requested", async () => {
    const pcm = tonePcm(440, 44_100, 1);
    const both = Buffer.concat(
      Array.from({ length: pcm.length / 2 }, (_, at) => pcm.subarray(at * 2, at * 2 + 2)).flatMap((sample) => [sample, sample]),
    );
    const hex = both.toString("hex");
    expect((await bytesOf(await make(await made(hex, { music_channel: 2 }), { format: "pcm_44100" }))).equals(pcm)).toBe(true);
    expect(await bytesOf(await make(await made(pcm.toString("hex")), { format: "pcm_22050" }))).toHaveLength(44_100);
  });

  test("failures", async () => {
    await expectFault(make(await answers({ "/v1/music_generation": failing(1027) })), "refused");
    await expectFault(make(await made("")), "unreadable");
    await expectFault(make(await startHost(json(503, "{}"))), "unavailable");
  });
});
