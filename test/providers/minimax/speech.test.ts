// MiniMax speech: whole and streamed hexadecimal, formats that it lacks, and errors under status 200.
import type { ServerResponse } from "node:http";
import { MPEGDecoder } from "mpg123-decoder";
import { describe, expect, test } from "vitest";
import type { UpstreamFault } from "../../../src/providers/errors/upstream-error.ts";
import { minimaxSpeech } from "../../../src/providers/minimax/audio.ts";
import type { SpeechOrder } from "../../../src/providers/verbs/audio.ts";
import { tonePcm } from "../../sound/tones.ts";
import { until } from "../../support/eventually.ts";
import { bodyOf, bytesOf, callTo, endless, pieces, settled } from "../audio-fixture.ts";
import { events, expectFault, json, sse } from "../openai/chat-fixture.ts";
import { type Answer, type Host, startHost, useUpstream } from "../upstream-fixture.ts";

const order: SpeechOrder = { text: "Hello.", voice: "calm", format: "mp3_44100_128", settings: { stability: 1 }, progressive: false };
const fine = { status_code: 0, status_msg: "success" };
const speakTo = (host: Host, change: Partial<SpeechOrder> = {}, signal?: AbortSignal) =>
  minimaxSpeech(useUpstream())({ ...callTo(host, { protocol: "minimax" }, signal), order: { ...order, ...change } });
const speak = async (answer: Answer, change: Partial<SpeechOrder> = {}) => speakTo(await startHost(answer), change);
const whole = (audio: Buffer | string | null, more: object = {}) =>
  json(
    200,
    JSON.stringify({ data: { audio: Buffer.isBuffer(audio) ? audio.toString("hex") : audio, status: 2 }, base_resp: fine, ...more }),
  );
const record = (audio: string, status: number, more: object = {}) => ({
  data: { audio: Buffer.from(audio).toString("hex"), status },
  base_resp: fine,
  ...more,
});
const failure = (status_code: number, status_msg = "no") => ({ base_resp: { status_code, status_msg } });
const progressive = { progressive: true };

describe("what is asked", () => {
  test("whole", async () => {
    const host = await startHost(whole(Buffer.from("bytes")));
    expect(await speakTo(host)).toEqual({ kind: "whole", bytes: Buffer.from("bytes") });
    expect(host.requests).toMatchObject([{ method: "POST", url: "/v1/t2a_v2", headers: { authorization: "Bearer sk-demo-secret-0001" } }]);
    expect(JSON.parse(host.requests[0]!.body)).toEqual({
      model: "upstream-model",
      text: "Hello.",
      stream: false,
      output_format: "hex",
      voice_setting: { voice_id: "calm" },
      audio_setting: { format: "mp3", sample_rate: 44_100, bitrate: 128_000, channel: 1 },
    });
  });

  test("progressively, without the repetition at the end; the account's group in the base URL's query", async () => {
    const host = await startHost(events(sse(record("one", 1), record("", 2))));
    const call = callTo({ ...host, url: `${host.url}?GroupId=7` });
    await bytesOf(await minimaxSpeech(useUpstream())({ ...call, order: { ...order, ...progressive } }));
    expect(host.requests[0]!.url).toBe("/v1/t2a_v2?GroupId=7");
    expect(JSON.parse(host.requests[0]!.body)).toMatchObject({ stream: true, stream_options: { exclude_aggregated_audio: true } });
  });

  test.each([
    ["mp3_22050_32", { format: "mp3", sample_rate: 22_050, bitrate: 32_000, channel: 1 }],
    ["mp3_44100_192", { format: "pcm", sample_rate: 44_100, channel: 1 }],
    ["pcm_16000", { format: "pcm", sample_rate: 16_000, channel: 1 }],
    ["pcm_44100", { format: "pcm", sample_rate: 44_100, channel: 1 }],
    ["ulaw_8000", { format: "pcm", sample_rate: 8_000, channel: 1 }],
  ] as const)("%s", async (format, setting) => {
    const host = await startHost(whole(tonePcm(440, 8_000, 0.1)));
    await speakTo(host, { format });
    expect((JSON.parse(host.requests[0]!.body) as { audio_setting: unknown }).audio_setting).toEqual(setting);
  });
});

describe("forms that it lacks are made from its PCM", () => {
  const streamed = (pcm: Buffer) => {
    const hex = pcm.toString("hex");
    const cut = [hex.slice(0, 3_002), hex.slice(3_002, 9_000), hex.slice(9_000)];
    return events(sse(...cut.map((audio) => ({ data: { audio, status: 1 } })), { data: { audio: hex, status: 2 } }));
  };
  test.each([false, true])("mp3_44100_192, progressive: %s", async (progressively) => {
    const pcm = tonePcm(440, 44_100, 1);
    const made = await speak(progressively ? streamed(pcm) : whole(pcm), { format: "mp3_44100_192", progressive: progressively });
    const decoder = new MPEGDecoder();
    await decoder.ready;
    const decoded = decoder.decode(await bytesOf(made));
    expect(decoded).toMatchObject({ sampleRate: 44_100, errors: [] });
    expect(decoded.samplesDecoded / 44_100).toBeCloseTo(1, 0);
    decoder.free();
  });
  test.each([false, true])("ulaw_8000, progressive: %s", async (progressively) => {
    const pcm = tonePcm(440, 8_000, 1);
    const made = await speak(progressively ? streamed(pcm) : whole(pcm), { format: "ulaw_8000", progressive: progressively });
    expect(await bytesOf(made)).toHaveLength(8_000);
  });
});

describe("streams", () => {
  test.each([
    ["the last repeats all", [record("one", 1), record("two", 1), record("onetwo", 2)]],
    ["the last is empty", [record("one", 1), record("two", 1), record("", 2)]],
    ["the last has no audio", [record("one", 1), record("two", 1), { data: { status: 2 }, extra_info: {}, base_resp: fine }]],
    ["all of it is in the last", [record("onetwo", 2)]],
    ["something follows the last", [record("onetwo", 2), "[DONE]", record("three", 1)]],
  ])("%s", async (_what, records) => {
    expect(String(await bytesOf(await speak(events(sse(...records)), progressive)))).toBe("onetwo");
  });

  test("however its bytes were cut", async () => {
    const text = sse(record("one", 1), record("two", 1), record("onetwo", 2));
    const answer = pieces(text.match(/[^]{1,7}/g)!, "text/event-stream");
    expect(String(await bytesOf(await speak(answer, progressive)))).toBe("onetwo");
  });

  test("a last record of megabytes that repeats everything is passed over", async () => {
    const long = "x".repeat(4_000_000);
    expect(await bytesOf(await speak(events(sse(record("one", 1), record(long, 2))), progressive))).toHaveLength(3);
  });

  test("a host that keeps the socket open after the last record: it has ended", async () => {
    const host = await startHost(
      (_request, response) =>
        void response.writeHead(200, { "content-type": "text/event-stream" }).write(sse(record("one", 1), record("", 2))),
    );
    expect(String(await bytesOf(await speakTo(host, progressive)))).toBe("one");
    expect(host.sockets.size).toBe(1); // it was not waited for
    await until(() => host.sockets.size === 0);
  });

  test("one that ends without its last record has broken", async () => {
    const made = await speak(events(sse(record("one", 1))), progressive);
    await expectFault(bytesOf(made), "unavailable");
  });

  test("an error in mid-stream", async () => {
    const made = await speak(pieces([sse(record("one", 1)), sse(failure(2013, "Bad."))], "text/event-stream"), progressive);
    expect(await expectFault(bytesOf(made), "rejected")).toMatchObject({ reason: "Bad." });
  });

  test("pieces that are cut within a byte", async () => {
    const hex = Buffer.from("onetwo").toString("hex");
    const cut = [hex.slice(0, 1), hex.slice(1, 4), "", hex.slice(4, 5), hex.slice(5)];
    const records = cut.map((audio) => ({ data: { audio, status: 1 } }));
    expect(String(await bytesOf(await speak(events(sse(...records, record("onetwo", 2))), progressive)))).toBe("onetwo");
  });

  test("half a byte at the end, after audio", async () => {
    const made = await speak(events(sse(record("one", 1), { data: { audio: "f", status: 1 } }, record("", 2))), progressive);
    await expectFault(bytesOf(made), "unreadable");
  });

  test.each([
    ["the socket breaks", (response: ServerResponse) => void setTimeout(() => response.destroy(), 50)],
    ["the socket stays open", () => undefined],
  ])("a slow reader gets the last piece before the end, though %s meanwhile", async (_what, then) => {
    const pcm = tonePcm(440, 8_000, 10);
    const answer: Answer = (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(sse({ data: { audio: pcm.toString("hex"), status: 2 }, base_resp: fine }));
      then(response);
    };
    let read = 0;
    await bodyOf(await speak(answer, { ...progressive, format: "ulaw_8000" })).read(async (chunk) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      read += chunk.length;
    });
    expect(read).toBe(8_000 * 10);
  });

  test.each([
    ["an error as its first record", events(sse(failure(1026))), "refused"],
    ["an error as JSON", json(200, JSON.stringify(failure(1002))), "rate_limited"],
    ["nothing", events(""), "unreadable"],
    ["no audio", events(sse({ data: { status: 2 }, base_resp: fine })), "unreadable"],
    ["no hexadecimal", events(sse({ data: { audio: "zz", status: 1 } })), "unreadable"],
    ["half a byte", events(sse({ data: { audio: "f", status: 1 } }, record("", 2))), "unreadable"],
    ["half a byte and an error", events(sse({ data: { audio: "f", status: 1 } }, failure(1002))), "rate_limited"],
    ["no JSON", events("data: {\n\n"), "unreadable"],
  ] as [string, Answer, UpstreamFault][])("%s: before anything was served", async (_what, answer, fault) => {
    await expectFault(speak(answer, progressive), fault);
  });

  test("a host that ignores `stream`: whole", async () => {
    expect(await speak(whole(Buffer.from("bytes")), progressive)).toEqual({ kind: "whole", bytes: Buffer.from("bytes") });
  });

  test("without a reader the host's socket fills; an abort closes it", async () => {
    const block = Buffer.from(sse(record("x".repeat(20_000), 1)));
    const never = endless(block, block, "text/event-stream");
    const host = await startHost(never.answer);
    const abort = new AbortController();
    const made = await speakTo(host, progressive, abort.signal);
    expect(await settled(never.written)).toBeLessThan(16_000_000);
    const reading = bodyOf(made).read(() => new Promise((resolve) => setTimeout(resolve, 1)));
    abort.abort(new Error("the client disconnected"));
    await expect(reading).rejects.toThrow("the client disconnected");
    await until(() => host.sockets.size === 0);
  });
});

describe("errors under status 200", () => {
  test.each<[number, UpstreamFault, string | null]>([
    ...([1000, 1001, 1024, 1033] as const).map((code) => [code, "unavailable", null] as [number, UpstreamFault, null]),
    [9999, "unreadable", null],
    [1002, "rate_limited", null],
    [1041, "rate_limited", null],
    [1004, "our_fault", null],
    [1008, "our_fault", null],
    [1026, "refused", null],
    [1027, "refused", null],
    [1039, "rejected", "input"],
    [1042, "rejected", "input"],
    [2013, "rejected", null],
    [20132, "rejected", "voice_id"],
  ])("%i: %s", async (code, fault, param) => {
    const error = await expectFault(speak(json(200, JSON.stringify(failure(code, "Ask MiniMax, key sk-demo-secret-0001.")))), fault);
    expect(error).toMatchObject({ param, reason: "Ask [hidden], key [hidden]." });
  });

  test("under another status the number counts too; without one, the status", async () => {
    await expectFault(speak(json(500, JSON.stringify(failure(1008)))), "our_fault");
    await expectFault(speak(json(429, "{}")), "rate_limited");
    await expectFault(speak(json(502, "<html>")), "unavailable");
  });

  test.each([
    ["no audio", whole(null)],
    ["empty audio", whole("")],
    ["no hexadecimal", whole("zz")],
    ["half a byte", whole("abc")],
    ["long, no hexadecimal at its end", whole(`${"ab".repeat(50_000)}zz`)],
    ["no JSON", json(200, "<html>")],
    ["nothing", json(200, "")],
    ...["12345678901234567890123", "[1002]", "{}", "true", '"x"'].map((code): [string, Answer] => [
      `the number ${code}`,
      json(200, `{"base_resp":{"status_code":${code}},"data":{"audio":"ff"}}`),
    ]),
  ])("%s: unreadable", async (_what, answer) => {
    await expectFault(speak(answer), "unreadable");
  });

  test.each([false, true])("half a sample is no sound to make anything of, progressive: %s", async (progressively) => {
    const half = { data: { audio: "ff", status: 2 }, base_resp: fine };
    const answer = progressively ? events(sse(half)) : json(200, JSON.stringify(half));
    for (const format of ["mp3_44100_192", "ulaw_8000"] as const)
      await expectFault(speak(answer, { format, progressive: progressively }), "unreadable");
  });

  test("megabytes of it are decoded right", async () => {
    const audio = Buffer.from(Uint8Array.from({ length: 3_000_001 }, (_, at) => (at * 7) & 255));
    const made = await speak(whole(audio));
    expect((await bytesOf(made)).equals(audio)).toBe(true);
  });
});
