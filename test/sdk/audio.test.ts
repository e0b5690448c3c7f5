// Sound in and out: files of every kind in a form or an address as JSON on one method, and bytes of an answer in every way to take them.
import { createReadStream, mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import {
  type Binary,
  type Stream,
  Svc,
  SvcError,
  type TranscriptDelta,
  type TranscriptDone,
  type TranscriptSegment,
  type Transcription,
  type Upload,
} from "../../generated/sdk/index.js";
import { audioCatalog, characterPrice, minutePrice, sentence } from "../clients/audio-upstreams.ts";
import { useClients } from "../clients/clients.ts";
import { voiceSample, ownVoicesWorld } from "../operations/voices/own-voices-gateway.ts";
import { wavFile } from "../simulator/audio-check.ts";
import { withAnswers } from "./answers-server.ts";

const clients = useClients(audioCatalog());
const folder = mkdtempSync(join(tmpdir(), "svc-sdk-"));
const path = join(folder, "meeting.wav");
const recording = new Uint8Array(wavFile(8));
beforeAll(() => writeFileSync(path, recording));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function caller() {
  const customer = await clients.customer();
  const svc = new Svc({ apiKey: customer.account.key, baseURL: clients.gateway.url, fetch: customer.fetch, maxRetries: 0 });
  return { ...customer, svc };
}

describe("a recording", () => {
  const kinds: Record<string, () => Upload | Promise<Upload>> = {
    "a File": () => new File([recording], "meeting.wav"),
    "a Blob": () => new Blob([recording]),
    "a Blob of a file in Node": () => openAsBlob(path),
    bytes: () => recording,
    "a Buffer": () => Buffer.from(recording),
    "an ArrayBuffer": () => recording.buffer,
    "a web stream": () => new Blob([recording]).stream(),
    "a Node stream": () => createReadStream(path),
    "a Response": () => new Response(recording),
    "bytes with a name": () => ({ name: "meeting.wav", data: recording }),
    "a stream with a name": () => ({ name: "meeting.wav", data: createReadStream(path) }),
  };
  test.each(Object.keys(kinds))("may be %s", async (kind) => {
    const { svc } = await caller();
    const answer = await svc.audio.transcriptions.create({ file: await kinds[kind]!(), model: "transcribe" });
    expect(answer).toMatchObject({ task: "transcribe", duration: 8, billing: { cost_usd: minutePrice } });
  });

  test("gives an object or a text as the format says, in its type too; both know their cost", async () => {
    const { svc, spent } = await caller();
    const file = new Blob([recording]);
    const whole = await svc.audio.transcriptions.create({ file, temperature: 0.5, timestamp_granularities: ["segment"] }).withResponse();
    expectTypeOf(whole.data).toEqualTypeOf<Transcription>();
    const { data, cost } = await svc.audio.transcriptions.create({ file, response_format: "srt" }).withResponse();
    expectTypeOf(data).toEqualTypeOf<string>();
    expect(data).toMatch(/^1\n00:00:00,000 --> /);
    expect([whole.cost, cost]).toEqual([minutePrice, minutePrice]);
    expect(await spent()).toBeCloseTo(2 * minutePrice, 8);
  });

  test("comes as a stream of events, typed, with its cost; an interrupted one throws", async () => {
    const { svc, spent } = await caller();
    const events = await svc.audio.transcriptions.create({ file: new Blob([recording]), model: "hear/live", stream: true });
    expectTypeOf(events).toEqualTypeOf<Stream<TranscriptDelta | TranscriptSegment | TranscriptDone>>();
    let text = "";
    let end: TranscriptDone | undefined;
    for await (const event of events)
      if (event.type === "transcript.text.delta") text += event.delta;
      else if (event.type === "transcript.text.done") end = event;
    expect(end).toMatchObject({ text, billing: { cost_usd: minutePrice } });
    expect(events.cost).toBe(minutePrice);
    const cut = await svc.audio.transcriptions.create({ file: new Blob([recording]), model: "hear/cut", stream: true });
    const read = async () => {
      for await (const { type } of cut) expect(type).toBe("transcript.text.delta");
    };
    await expect(read()).rejects.toMatchObject({ code: "stream_interrupted" });
    expect(await spent()).toBe(minutePrice);
  });

  test("as an address goes as JSON, on the same method", async () => {
    const { svc, exchanges } = await caller();
    const result = await svc.audio.transcriptions.create({ audio_url: "https://127.0.0.1/a.wav", model: "transcribe" }).result();
    expect(result).toMatchObject({ ok: false, error: { code: "invalid_parameter", status: 400, param: "audio_url" } });
    expect(exchanges[0]!.body).toEqual({ audio_url: "https://127.0.0.1/a.wav", model: "transcribe" });
  });

  test("is sent again whole on a retry, also out of a stream", async () => {
    const down = [
      503,
      { "x-should-retry": "true", "retry-after-ms": "1" },
      { error: { message: "x", code: "provider_unavailable" } },
    ] as const;
    await withAnswers([[...down], [200, {}, { text: "hi" }]], async (svc, server) => {
      await svc.audio.transcriptions.create({ file: { name: "m.wav", data: createReadStream(path) } });
      const sizes = server.received.map(({ body }) => body.length);
      expect(sizes[0]).toBeGreaterThan(recording.length);
      expect(sizes).toEqual([sizes[0], sizes[0]]);
      expect(server.received[1]!.body).toContain('filename="m.wav"');
      expect(server.received[1]!.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    });
  });
});

describe("speech", () => {
  const speechRequest = { model: "say/plain", input: sentence };
  test("comes whole in three ways or as a stream, once, with its type and its cost", async () => {
    const { svc, spent } = await caller();
    const speak = () => svc.audio.speech.create(speechRequest);
    const first = await speak();
    expectTypeOf(first).toEqualTypeOf<Binary>();
    expect(first).toMatchObject({ contentType: "audio/mpeg", cost: sentence.length * characterPrice });
    expect(first.headers.get("x-svc-chars-billed")).toBe(String(sentence.length));
    const bytes = await first.bytes();
    expect(bytes.length).toBeGreaterThan(1000);
    await expect(first.arrayBuffer()).rejects.toBeInstanceOf(TypeError);
    expect(() => first.stream()).toThrow(TypeError);
    const blob = await (await speak()).blob();
    expect([blob.type, blob.size]).toEqual(["audio/mpeg", bytes.length]);
    expect((await (await speak()).arrayBuffer()).byteLength).toBe(bytes.length);
    let streamed = 0;
    for await (const piece of (await speak()).stream()) streamed += piece.length;
    expect(streamed).toBe(bytes.length);
    const { cost } = await speak().withResponse();
    expect(cost).toBe(first.cost);
    expect(await spent()).toBeCloseTo(5 * first.cost!, 8);
  });

  test("that is refused is an error like any other", async () => {
    const { svc } = await caller();
    const error: unknown = await svc.audio.speech.create({ ...speechRequest, model: "hear/plain" }).catch((error: unknown) => error);
    expect(SvcError.is(error, "not_a_tts_model")).toBe(true);
  });

  test("that breaks off throws while it is read; one that is cancelled leaves the host", async () => {
    const broken = (response: import("node:http").ServerResponse) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write("half");
      setTimeout(() => response.destroy(), 50);
    };
    await withAnswers([broken], async (svc) => {
      const speech = await svc.audio.speech.create(speechRequest);
      await expect(speech.bytes()).rejects.toMatchObject({ code: "connection_failed" });
    });
    const endless = (response: import("node:http").ServerResponse) => {
      response.writeHead(200, { "content-type": "audio/mpeg" });
      response.write("first");
    };
    await withAnswers([endless], async (svc, server) => {
      const reader = (await svc.audio.speech.create(speechRequest)).stream().getReader();
      expect(new TextDecoder().decode((await reader.read()).value)).toBe("first");
      await reader.cancel();
      await expect.poll(() => server.left).toBe(1);
      const quiet = await svc.audio.speech.create(speechRequest, { timeout: 1000 });
      await expect(quiet.bytes()).rejects.toMatchObject({ code: "timeout" });
    });
  });
});

describe("a voice", () => {
  const voices = ownVoicesWorld();
  test("is cloned out of a file", async () => {
    const account = await voices.account();
    const svc = new Svc({ apiKey: account.key, baseURL: voices.gateway.url });
    const { data, cost } = await svc.audio.voices
      .clone({ file: { name: "me.wav", data: new Uint8Array(voiceSample) }, name: "Me", model: "demo/clone" })
      .withResponse();
    expect(data).toMatchObject({ name: "Me", model: "demo/clone", cost_usd: 2 });
    expect(cost).toBe(2);
  });
});

describe("bytes that nobody wants", () => {
  const endless = (response: ServerResponse) => void response.writeHead(200, { "content-type": "audio/mpeg" }).write("some");

  test("end their request when their stream is cancelled, before it was read and while it is read", async () => {
    await withAnswers([endless], async (svc, server) => {
      const unread = await svc.audio.speech.create({ input: "x" });
      await unread.stream().cancel();
      await expect.poll(() => server.left).toBe(1);
      const reader = (await svc.audio.speech.create({ input: "x" })).stream().getReader();
      await reader.read();
      const waiting = reader.read();
      await reader.cancel();
      expect(await waiting).toMatchObject({ done: true });
      await expect.poll(() => server.left).toBe(2);
    });
  });

  test("are given once, also before the first was read", async () => {
    await withAnswers([endless], async (svc) => {
      const speech = await svc.audio.speech.create({ input: "x" });
      const first = speech.stream();
      expect(() => speech.stream()).toThrow(TypeError);
      await expect(speech.bytes()).rejects.toThrow(TypeError);
      await first.cancel();
    });
  });
});
