// Speech of the OpenAI protocol, by the official SDK: real audio as long as its text, refusals, and streams of bytes that break.
import { request } from "node:http";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { decodeMp3, readPcm, readWavFile } from "./audio-check.ts";
import { post, useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const client = () => new OpenAI({ apiKey: "any", baseURL: `${simulator.current.url}/v1`, maxRetries: 0 });
/** Six seconds. */
const input = "The old lantern hangs above the harbour; nobody remembers why, my dear friend. Now listen.";

async function speak(more: Record<string, unknown> = {}): Promise<{ bytes: Buffer; type: string | null }> {
  const reply = await client().audio.speech.create({ model: "voice-large", voice: "alloy", input, ...more } as any);
  return { bytes: Buffer.from(await reply.arrayBuffer()), type: reply.headers.get("content-type") };
}

/** What arrives of an answer that may break. */
function readBytes(model: string): Promise<{ bytes: Buffer; pieces: number; broke: boolean; type: string | undefined }> {
  return new Promise((resolve, reject) => {
    const call = request(`${simulator.current.url}/v1/audio/speech`, { method: "POST" }, (reply) => {
      const pieces: Buffer[] = [];
      const finish = (broke: boolean) =>
        resolve({ bytes: Buffer.concat(pieces), pieces: pieces.length, broke, type: reply.headers["content-type"] });
      reply.on("data", (piece: Buffer) => pieces.push(piece));
      reply.on("end", () => finish(false)).on("error", () => finish(true));
    });
    call.on("error", reject).end(JSON.stringify({ model, voice: "alloy", input }));
  });
}

describe("audio", () => {
  test("mp3, wav and pcm that can be heard, fifteen characters a second", async () => {
    const seconds = input.length / 15;
    const mp3 = await speak();
    const heard = await decodeMp3(mp3.bytes);
    expect([mp3.type, heard.sampleRate]).toEqual(["audio/mpeg", 24_000]);
    expect(Math.abs(heard.seconds - seconds)).toBeLessThan(576 / 24_000);
    const wav = await speak({ response_format: "wav" });
    const pcm = await speak({ response_format: "pcm" });
    expect([wav.type, pcm.type]).toEqual(["audio/wav", "audio/pcm"]);
    for (const made of [readWavFile(wav.bytes), readPcm(pcm.bytes, 24_000)]) expect(made.seconds).toBeCloseTo(seconds, 4);
    for (const { loudest } of [heard, readWavFile(wav.bytes), readPcm(pcm.bytes, 24_000)]) expect(loudest).toBeGreaterThan(0.2);
  });

  test("the same request, the same bytes; speed and sim-seconds-N change the length", async () => {
    expect((await speak()).bytes).toEqual((await speak()).bytes);
    const pcm = { response_format: "pcm" };
    expect((await speak({ ...pcm, speed: 2 })).bytes.length).toBe((input.length * 1600 * 2) / 2);
    expect((await speak({ ...pcm, model: "m+sim-seconds-3" })).bytes.length).toBe(3 * 48_000);
  });
});

describe("refusals", () => {
  const refused: [string, Record<string, unknown>, string][] = [
    ["no input", { input: "" }, "input"],
    ["more than 4096 characters", { input: "x".repeat(4097) }, "input"],
    ["formats that the simulator doesn't make", { response_format: "opus" }, "response_format"],
    ["a speed above four", { speed: 5 }, "speed"],
    ["an unknown voice", { voice: "unknown-voice" }, "voice"],
    ["a field that there is none of", { stability: 1 }, "stability"],
  ];
  for (const [what, more, param] of refused) {
    test(`400: ${what}`, async () => {
      await expect(speak(more)).rejects.toMatchObject({ status: 400, param });
    });
  }
  test("4096 characters are taken, and a voice as {id}", async () => {
    expect((await speak({ input: "x".repeat(4096), voice: { id: "mine" } })).bytes.length).toBeGreaterThan(1000);
  });
});

describe("faults of a stream of bytes", () => {
  test("cut, clean end and pieces of odd lengths", async () => {
    const whole = await readBytes("m");
    expect(whole).toMatchObject({ broke: false, type: "audio/mpeg" });
    const cut = await readBytes("m+sim-cut-after-3");
    expect(cut.broke).toBe(true);
    expect(simulator.current.calls().at(-1)).toMatchObject({ outcome: "broken", records: 3, status: 200 });
    const ended = await readBytes("m+sim-end-after-3");
    expect(ended.broke).toBe(false);
    for (const { bytes } of [cut, ended]) expect(bytes).toEqual(whole.bytes.subarray(0, bytes.length));
    expect(ended.bytes.length).toBeLessThan(whole.bytes.length / 2);
    const split = await readBytes("m+sim-split-1001");
    expect([split.bytes.equals(whole.bytes), split.pieces > 50]).toEqual([true, true]);
  });

  test("nothing under its own type; JSON errors and half documents under 200; refusals and statuses", async () => {
    expect(await readBytes("m+sim-empty")).toMatchObject({ bytes: Buffer.alloc(0), broke: false, type: "audio/mpeg" });
    const error = await readBytes("m+sim-200-error");
    expect([error.type, JSON.parse(error.bytes.toString())]).toMatchObject(["application/json", { error: { code: "internal_error" } }]);
    const half = await readBytes("m+sim-bad-json");
    expect(() => JSON.parse(half.bytes.toString())).toThrow();
    await expect(speak({ model: "m+sim-refuse" })).rejects.toMatchObject({ status: 400, code: "content_policy_violation" });
    await expect(speak({ model: "m+sim-reject" })).rejects.toMatchObject({ status: 400, param: "voice" });
    await expect(speak({ model: "m+sim-fail-503" })).rejects.toMatchObject({ status: 503 });
  });

  test("stalls after N pieces until the client disconnects; a pace between pieces", async () => {
    const left = new AbortController();
    const reply = await post(simulator.current, "/v1/audio/speech", { model: "m+sim-stall-after-2", voice: "v", input }, left.signal);
    expect((await reply.body!.getReader().read()).value!.length).toBeGreaterThan(0);
    left.abort();
    expect((await readBytes("m+sim-pace-1ms")).broke).toBe(false);
  });
});
