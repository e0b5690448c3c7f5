// Speech over the `openai` protocol: the request, conversion, back-pressure, aborts and failures.
import { MPEGDecoder } from "mpg123-decoder";
import { describe, expect, test } from "vitest";
import { openaiSpeech } from "../../../src/providers/openai/audio.ts";
import type { SpeechOrder } from "../../../src/providers/verbs/audio.ts";
import { samplesOf } from "../../../src/sound/convert.ts";
import { loudnessAt, tonePcm } from "../../sound/tones.ts";
import { until } from "../../support/eventually.ts";
import { bodyOf, bytesOf, callTo, endless, pieces, settled } from "../audio-fixture.ts";
import { type Answer, startHost, useUpstream } from "../upstream-fixture.ts";
import { expectFault, json } from "./chat-fixture.ts";

const order: SpeechOrder = { text: "Hello.", voice: "alloy", format: "pcm_24000", settings: { stability: 0.5 }, progressive: false };
const speak = async (answer: Answer, change: Partial<SpeechOrder> = {}, signal?: AbortSignal) => {
  const host = await startHost(answer);
  return openaiSpeech(useUpstream())({ ...callTo(host, {}, signal), order: { ...order, ...change } });
};
const pcm = tonePcm(1_000, 24_000, 1);
const cut = [pcm.subarray(0, 1), pcm.subarray(1, 3_002), pcm.subarray(3_002, 20_001), pcm.subarray(20_001)];

test("POST /audio/speech: the model's and the voice's ids there, and PCM is asked for", async () => {
  const host = await startHost(pieces([pcm]));
  await bytesOf(await openaiSpeech(useUpstream())({ ...callTo(host), order }));
  expect(host.requests).toMatchObject([{ method: "POST", url: "/audio/speech" }]);
  const sent: unknown = JSON.parse(host.requests[0]!.body);
  expect(sent).toEqual({ model: "upstream-model", input: "Hello.", voice: "alloy", response_format: "pcm" });
});

test("pcm_24000 is handed on as it is, half a sample at the end left out", async () => {
  expect((await bytesOf(await speak(pieces([...cut, Buffer.from([9])], "audio/pcm")))).equals(pcm)).toBe(true);
});

test.each([
  ["mp3_44100_128", 44_100],
  ["mp3_22050_32", 22_050],
] as const)("%s is MP3 of that rate with the same tone", async (format, sampleRate) => {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  const decoded = decoder.decode(await bytesOf(await speak(pieces(cut), { format })));
  expect(decoded).toMatchObject({ sampleRate, errors: [] });
  expect(loudnessAt(1_000, decoded.channelData[0]!, sampleRate)).toBeCloseTo(0.5, 1);
  decoder.free();
});

test("pcm_16000 has its samples, ulaw_8000 a byte a sample", async () => {
  const lower = samplesOf(await bytesOf(await speak(pieces(cut), { format: "pcm_16000" })));
  expect([lower.length, loudnessAt(1_000, lower, 16_000)]).toEqual([16_000, expect.closeTo(0.5, 2)]);
  expect(await bytesOf(await speak(pieces(cut), { format: "ulaw_8000" }))).toHaveLength(8_000);
});

test("it has begun with the first byte, long before the last", async () => {
  let finish: () => void = () => undefined;
  const answer: Answer = (_request, response) => {
    response.writeHead(200, { "content-type": "audio/pcm" }).write(pcm);
    finish = () => response.end(pcm);
  };
  const made = await speak(answer, { format: "mp3_44100_128" });
  finish();
  expect((await bytesOf(made)).length).toBeGreaterThan(30_000);
});

describe.each(["pcm_24000", "mp3_44100_128"] as const)("%s that never ends", (format) => {
  const never = () => endless(pcm, tonePcm(440, 24_000, 1), "audio/pcm");

  test("without a reader the host's socket fills and no more comes", async () => {
    const host = never();
    const made = await speak(host.answer, { format });
    expect(await settled(host.written)).toBeLessThan(16_000_000);
    bodyOf(made).cancel();
  });

  test("a reader that waits is waited for; one that throws ends the call", async () => {
    const endlessHost = never();
    const host = await startHost(endlessHost.answer);
    const made = await openaiSpeech(useUpstream())({ ...callTo(host), order: { ...order, format } });
    let open = 0;
    let read = 0;
    const reading = bodyOf(made).read(async () => {
      expect((open += 1)).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 1));
      open -= 1;
      if ((read += 1) === 30) throw new Error("the client disconnected");
    });
    await expect(reading).rejects.toThrow("the client disconnected");
    await until(() => host.sockets.size === 0);
  });

  test("an abort and a cancel reach the host's socket; nothing is handed on afterwards", async () => {
    for (const way of ["abort", "cancel"]) {
      const abort = new AbortController();
      const host = await startHost(never().answer);
      const made = await openaiSpeech(useUpstream())({ ...callTo(host, {}, abort.signal), order: { ...order, format } });
      let read = 0;
      let after = 0;
      let over = false;
      const reading = bodyOf(made).read(() => {
        read += 1;
        if (over) after += 1;
      });
      const ended = expect(reading).rejects.toThrow(way === "abort" ? "the client disconnected" : "cancelled");
      await until(() => read > 3);
      if (way === "abort") abort.abort(new Error("the client disconnected"));
      else bodyOf(made).cancel();
      over = true;
      await ended;
      await until(() => host.sockets.size === 0);
      expect(after).toBe(0);
    }
  });
});

describe("failures", () => {
  const long = { error: { message: "Input is too long: at most 4096 characters.", param: "input", code: "string_too_long" } };
  test.each([
    ["400: the caller's text", json(400, JSON.stringify(long)), "rejected"],
    ["401", json(401, "{}"), "our_fault"],
    ["429", json(429, "{}"), "rate_limited"],
    ["503", json(503, "{}"), "unavailable"],
    ["200 with an error", json(200, '{"error":{"message":"busy","type":"server_error"}}'), "unavailable"],
    ["200 with JSON", json(200, '{"audio":"..."}'), "unreadable"],
    ["200 with a page", pieces(["<html>"], "text/html"), "unreadable"],
    ["200 with nothing", pieces([], "audio/pcm"), "unreadable"],
    ["200 with half a sample", pieces(["x"], "audio/pcm"), "unreadable"],
    ["200 with another form", pieces([Buffer.from("RIFF\xff\xff\xff\xffWAVE")], "audio/wav"), "unreadable"],
    ["a socket that closes before the first byte", (_request, response) => response.destroy(), "unavailable"],
  ] as [string, Answer, "rejected"][])("%s", async (_what, answer, fault) => {
    for (const format of ["pcm_24000", "mp3_44100_128", "ulaw_8000"] as const) await expectFault(speak(answer, { format }), fault);
  });

  test("a stream that breaks after it has begun rejects while it is read", async () => {
    const made = await speak((_request, response) => {
      response.writeHead(200, { "content-type": "audio/pcm" }).write(pcm);
      setTimeout(() => response.destroy(), 20);
    });
    await expectFault(bytesOf(made), "unavailable");
  });
});
