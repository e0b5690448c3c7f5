// Speech with the OpenAI SDK (docs/behaviour/endpoints.md#speech-client): the answer is the bytes, whole or as they come; and its errors.
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import OpenAI from "openai";
import { afterAll, describe, expect, test } from "vitest";
import { decodeMp3, readPcm } from "../simulator/audio-check.ts";
import { audioCatalog, characterPrice, charactersPerSecond, sentence } from "./audio-upstreams.ts";
import { useClients } from "./clients.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-clients-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const seconds = sentence.length / charactersPerSecond;
const lasts = { seconds: expect.closeTo(seconds, 0) };
const price = Number((sentence.length * characterPrice).toFixed(8));

describe("answers", () => {
  const clients = useClients(audioCatalog());

  test("mp3 and pcm, in OpenAI's words and with its voices, play as long as the text takes", async () => {
    const customer = await clients.customer();
    const client = customer.openai();
    const mp3 = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: sentence });
    expect([mp3.headers.get("content-type"), mp3.headers.get("x-svc-model"), mp3.headers.get("x-svc-alias")]).toEqual([
      ...["audio/mpeg", "say/plain", "tts-1"],
    ]);
    expect([mp3.headers.get("x-svc-chars-billed"), mp3.headers.get("x-svc-cost-usd")]).toEqual([String(sentence.length), String(price)]);
    const heard = await decodeMp3(Buffer.from(await mp3.arrayBuffer()));
    expect(heard).toMatchObject({ ...lasts, sampleRate: 44_100 });
    const pcm = await client.audio.speech.create({ model: "tts-1", voice: { id: "alloy" }, input: sentence, response_format: "pcm" });
    expect(pcm.headers.get("content-type")).toBe("audio/pcm");
    expect(readPcm(Buffer.from(await pcm.arrayBuffer()), 24_000)).toMatchObject(lasts);
    expect(await customer.spent()).toBeCloseTo(2 * price, 8);
  });

  test.each(["say/plain", "say/b"])("%s: the body flows into a file as it comes", async (model) => {
    const customer = await clients.customer();
    const path = join(folder, `${model.replace("/", "-")}.mp3`);
    const body = { model, voice: "alloy", input: sentence, stream: true };
    const reply = await customer.openai().audio.speech.create(body);
    await pipeline(Readable.fromWeb(reply.body as never), createWriteStream(path));
    expect(await decodeMp3(readFileSync(path))).toMatchObject({ ...lasts, sampleRate: 44_100 });
    expect(await customer.spent()).toBe(price);
  });
});

describe("errors: a class of the SDK, our code, nothing charged", () => {
  const clients = useClients(audioCatalog());
  test.each([
    ["a format that is not made", OpenAI.BadRequestError, 400, "invalid_request", { response_format: "opus" as const }],
    ["too long a text", OpenAI.BadRequestError, 400, "input_too_long", { input: "a".repeat(5001) }],
    ["a model of another kind", OpenAI.BadRequestError, 400, "not_a_tts_model", { model: "hear/plain" }],
    ["an unknown model", OpenAI.NotFoundError, 404, "model_not_found", { model: "say/nobody" }],
    ["an upstream that can't be read", OpenAI.InternalServerError, 502, "tts_failed", { model: "say/unreadable" }],
    ["an upstream that is away", OpenAI.InternalServerError, 503, "provider_unavailable", { model: "say/down" }],
  ])("%s", async (_what, kind, status, code, more) => {
    const customer = await clients.customer();
    const client = customer.openai({ maxRetries: 0 });
    const asked = client.audio.speech.create({ model: "tts-1", voice: "alloy", input: sentence, ...more });
    await expect(asked).rejects.toBeInstanceOf(kind);
    await expect(asked).rejects.toMatchObject({ status, code, requestID: expect.stringMatching(/^req_/) });
    const { headers } = customer.exchanges[0]!;
    expect(headers.get("x-should-retry")).toBe(String(status >= 502));
    expect(await customer.spent()).toBe(0);
  });
});

describe("with one slot for audio", () => {
  const one = { audio_concurrent: 1, audio_concurrent_per_capability: { transcription: 1, understanding: 1, speech: 1 } };
  const clients = useClients(audioCatalog(one));

  test("429 audio_concurrent_limit is tried again after its five seconds, and then both are answered", async () => {
    const customer = await clients.customer();
    const client = customer.openai({ maxRetries: 1 });
    const speak = (model: string) => client.audio.speech.create({ model, voice: "alloy", input: sentence });
    const first = speak("say/slow");
    await expect.poll(() => clients.gateway.simulator.calls().length).toBe(1);
    const second = await speak("say/plain");
    expect((await decodeMp3(Buffer.from(await second.arrayBuffer()))).seconds).toBeCloseTo(seconds, 0);
    await (await first).arrayBuffer();
    const refused = customer.exchanges.filter(({ status }) => status === 429);
    expect(refused.map(({ headers }) => headers.get("retry-after"))).toEqual(["5"]);
    expect(customer.exchanges.map(({ status }) => status).sort()).toEqual([200, 200, 429]);
    expect(await customer.spent()).toBeCloseTo(2 * price, 8);
  });
});
