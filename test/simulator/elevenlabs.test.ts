// ElevenLabs: real audio under every name that the gateway asks for, three thousand voices in pages, music and sounds, its errors.
import { describe, expect, test } from "vitest";
import { decodeMp3, readPcm, readWavFile } from "./audio-check.ts";
import { useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
/** Four seconds. */
const text = "The lantern above the harbour burns all night, my friend, ok";

interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  json: any;
}

async function ask(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const reply = await fetch(`${simulator.current.url}/elevenlabs${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "xi-api-key": "any", ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const bytes = Buffer.from(await reply.arrayBuffer());
  const isJson = reply.headers.get("content-type") === "application/json";
  return { status: reply.status, headers: reply.headers, bytes, json: isJson ? JSON.parse(bytes.toString()) : null };
}

const speak = (more: Record<string, unknown> = {}, query = "", voice = "lyra-narrator") =>
  ask(`/v1/text-to-speech/${voice}${query}`, { text, model_id: "flash", ...more });

describe("speech", () => {
  for (const [name, sampleRate, kbps] of [
    ["mp3_44100_128", 44_100, 128],
    ["mp3_44100_192", 44_100, 192],
    ["mp3_22050_32", 22_050, 32],
  ] as const) {
    test(`${name}: an MP3 of that rate and bitrate, as long as its text`, async () => {
      const { bytes, headers } = await speak({}, `/stream?output_format=${name}`);
      const heard = await decodeMp3(bytes);
      expect([headers.get("content-type"), heard.sampleRate]).toEqual(["audio/mpeg", sampleRate]);
      expect(Math.abs(heard.seconds - 4)).toBeLessThan(1152 / sampleRate);
      expect(bytes.length / (heard.seconds * kbps * 125)).toBeCloseTo(1, 1);
      expect(heard.loudest).toBeGreaterThan(0.2);
    });
  }

  test("pcm, wav and mu-law by their samples", async () => {
    for (const rate of [16_000, 22_050, 24_000, 44_100]) {
      const { bytes, headers } = await speak({}, `?output_format=pcm_${rate}`);
      expect(readPcm(bytes, rate)).toMatchObject({ seconds: 4, sampleRate: rate });
      expect(readPcm(bytes, rate).loudest).toBeGreaterThan(0.2);
      expect(headers.get("content-type")).toBe("audio/pcm");
    }
    expect(readWavFile((await speak({}, "?output_format=wav_16000")).bytes)).toMatchObject({ seconds: 4, sampleRate: 16_000 });
    const muLaw = await speak({}, "?output_format=ulaw_8000");
    expect([muLaw.bytes.length, muLaw.headers.get("content-type"), new Set(muLaw.bytes).size > 50]).toEqual([32_000, "audio/basic", true]);
  });

  test("the same bytes again, with the ids and the price of a call in its headers", async () => {
    const [first, again] = [await speak(), await speak()];
    expect(again.bytes).toEqual(first.bytes);
    expect(first.headers.get("character-cost")).toBe(String(text.length));
    expect(first.headers.get("request-id")).toMatch(/^[0-9a-f]{24}$/);
    expect(first.headers.get("transfer-encoding")).toBe("chunked");
  });

  test("a long text is as long as it is", async () => {
    const heard = await decodeMp3((await speak({ text: "x".repeat(5000) })).bytes);
    expect(Math.abs(heard.seconds - 5000 / 15)).toBeLessThan(1152 / 44_100);
  });
});

describe("voices", () => {
  test("pages of a hundred: three thousand of its own with facets, and three that the operator cloned", async () => {
    const voices: any[] = [];
    let next: string | null = "";
    while (next !== null) {
      const { json }: any = await ask(`/v2/voices?page_size=100${next === "" ? "" : `&next_page_token=${next}`}`);
      expect(json.total_count).toBe(3003);
      expect(json.has_more).toBe(json.next_page_token !== null);
      voices.push(...json.voices);
      next = json.next_page_token;
    }
    const premade = voices.filter(({ category }) => category === "premade");
    expect([voices.length, premade.length, new Set(voices.map(({ voice_id }) => voice_id)).size]).toEqual([3003, 3000, 3003]);
    for (const { name, labels, description, preview_url } of premade) {
      expect(Object.keys(labels)).toEqual(["gender", "age", "accent", "use_case", "descriptive", "language"]);
      expect([name, description, preview_url].every((answer) => typeof answer === "string" && answer !== "")).toBe(true);
    }
    expect(premade.map(({ voice_id }) => voice_id)).toContain("lyra-narrator");
    expect((await speak({}, "", premade.at(-1).voice_id)).status).toBe(200);
    expect((await speak({}, "", voices.find(({ category }) => category === "cloned").voice_id)).status).toBe(200);
  });

  test("sim-voices-N: the first N; sim-endless-pages: pages without an end", async () => {
    const list = (directives: string, query = "") => ask(`/v2/voices?page_size=2${query}`, undefined, { "x-sim-knobs": directives });
    expect((await list("sim-voices-1")).json).toMatchObject({ total_count: 1, has_more: false, voices: { length: 1 } });
    const first = (await list("sim-endless-pages")).json;
    expect(first.has_more).toBe(true);
    expect((await list("sim-endless-pages", `&next_page_token=${first.next_page_token}`)).json).toEqual(first);
  });

  test("filters, ten by default, bad sizes and tokens", async () => {
    expect((await ask("/v2/voices")).json.voices).toHaveLength(10);
    expect((await ask("/v2/voices?voice_type=default")).json.total_count).toBe(3000);
    expect((await ask("/v2/voices?category=cloned")).json).toMatchObject({ total_count: 3, has_more: false, next_page_token: null });
    expect((await ask("/v2/voices?search=narrator")).json.voices[0].voice_id).toBe("lyra-narrator");
    expect((await ask("/v2/voices?page_size=101")).json).toMatchObject({ detail: [{ loc: ["query", "page_size"] }] });
    expect((await ask("/v2/voices?next_page_token=x")).status).toBe(400);
  });
});

describe("music and sounds", () => {
  test("as long as asked; without a length by the prompt", async () => {
    const music = await ask("/v1/music?output_format=pcm_16000", { prompt: "A slow waltz", music_length_ms: 12_500, model_id: "music" });
    expect([music.bytes.length, music.headers.get("song-id")]).toEqual([12.5 * 32_000, expect.stringMatching(/^song_/)]);
    const free = await decodeMp3((await ask("/v1/music", { prompt: "A slow waltz" })).bytes);
    expect(free.seconds).toBeCloseTo(20, 1);
    const sound = await ask("/v1/sound-generation?output_format=pcm_44100", { text: "Rain", duration_seconds: 2, prompt_influence: 0.3 });
    expect(sound.bytes.length).toBe(2 * 88_200);
  });

  test("422 for what is out of range, 400 bad_prompt with a better one for what is refused", async () => {
    for (const body of [{ prompt: "x", music_length_ms: 999 }, { prompt: "x", music_length_ms: 600_001 }, {}, { prompt: "x".repeat(4101) }])
      expect((await ask("/v1/music", body)).status).toBe(422);
    for (const body of [{ text: "x", duration_seconds: 31 }, { text: "x", prompt_influence: 1.1 }, { text: "" }])
      expect((await ask("/v1/sound-generation", body)).status).toBe(422);
    const refused = await ask("/v1/music", { prompt: "x", model_id: "music+sim-refuse" });
    expect([refused.status, refused.json.detail]).toMatchObject([
      400,
      { status: "bad_prompt", data: { prompt_suggestion: expect.any(String) } },
    ]);
  });
});

describe("errors", () => {
  test("404 voice_not_found, 422 with a list, 400 for too long a text, 404 for other paths", async () => {
    for (const voice of ["nobody", "a%2Fb%20c", "%"]) {
      const unknown = await speak({}, "", voice);
      expect([unknown.status, unknown.json.detail.status]).toEqual([404, "voice_not_found"]);
    }
    const wrong = await speak({ voice_settings: { stability: 1.5 } });
    expect([wrong.status, wrong.json]).toMatchObject([422, { detail: [{ loc: ["body", "stability"], msg: expect.any(String) }] }]);
    expect((await speak({ text: undefined })).json.detail[0]).toMatchObject({ type: "missing", loc: ["body", "text"] });
    for (const name of ["opus_48000_32", "mp3_1_2"]) expect((await speak({}, `?output_format=${name}`)).status).toBe(422);
    const long = await speak({ text: "x".repeat(10_001) });
    expect([long.status, long.json.detail.status]).toEqual([400, "max_character_limit_exceeded"]);
    expect((await ask("/v1/nothing", {})).json.detail).toMatchObject({ status: "not_found" });
  });

  test("faults in its own words", async () => {
    for (const [directive, status, word] of [
      ["sim-refuse", 403, "content_against_policy"],
      ["sim-quota", 401, "quota_exceeded"],
      ["sim-429", 429, "too_many_concurrent_requests"],
      ["sim-fail-503", 503, "service_unavailable"],
      ["sim-401", 401, "invalid_api_key"],
      ["sim-context", 400, "max_character_limit_exceeded"],
      ["sim-200-error", 200, "internal_error"],
    ] as const) {
      const answer = await speak({ model_id: `flash+${directive}` });
      expect([answer.status, answer.json.detail.status]).toEqual([status, word]);
    }
    expect(await speak({ model_id: "flash+sim-empty" })).toMatchObject({ status: 200, bytes: Buffer.alloc(0) });
    await expect(speak({ model_id: "flash+sim-cut-after-2" })).rejects.toThrow();
  });

  test("x-sim-knobs steers operations without a model, all or the one that it names", async () => {
    const directives = (value: string) => ({ "x-sim-knobs": value });
    expect((await ask("/v2/voices", undefined, directives("sim-fail-503"))).status).toBe(503);
    expect((await ask("/v2/voices", undefined, directives("music=sim-fail-503"))).status).toBe(200);
    const body = { text, model_id: "flash" };
    expect((await ask("/v1/text-to-speech/lyra-narrator", body, directives("voices=sim-hang, text-to-speech=sim-429"))).status).toBe(429);
    const flaky = () => ask("/v2/voices", undefined, directives("voices=sim-flaky-1"));
    expect([(await flaky()).status, (await flaky()).status]).toEqual([503, 200]);
    expect(simulator.current.calls().at(-1)).toMatchObject({ model: "voices+sim-flaky-1" });
  });
});
