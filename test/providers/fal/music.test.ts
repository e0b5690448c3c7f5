// Songs over a fal queue: submitted, polled, downloaded; cancelled where the caller no longer waits.
import { describe, expect, test } from "vitest";
import type { FetchMade, MusicOrder } from "../../../src/providers/verbs/audio.ts";
import { falMusic, type MusicTimes } from "../../../src/providers/fal/music.ts";
import { until } from "../../support/eventually.ts";
import { bytesOf, callTo } from "../audio-fixture.ts";
import { expectFault } from "../openai/chat-fixture.ts";
import { type Host, startHost, useUpstream } from "../upstream-fixture.ts";

const order: MusicOrder = { prompt: "a waltz", lyrics: null, seconds: null, format: "mp3_44100_128" };
const mp3 = Buffer.from("ID3 song");
const quick: Partial<MusicTimes> = { firstPauseMs: 2, longestPauseMs: 5 };
const loading =
  (bytes: Buffer): FetchMade =>
  () =>
    Promise.resolve(bytes);

type Said = { status?: number; body: unknown };

/** A queue: the answer to each poll in turn (the last one repeats), and the result of the work. */
async function startQueue(looks: Said[], result: Said = { body: { audio: { url: "https://cdn.example.com/song.mp3" } } }): Promise<Host> {
  const host = await startHost((request, response) => {
    const say = ({ status = 200, body }: Said) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const at = (end: string) => `${host.url}/requests/1${end}`;
    if (request.method === "POST")
      say({ body: { request_id: "1", status_url: at("/status"), response_url: at(""), cancel_url: at("/cancel") } });
    else if (request.url!.endsWith("/status")) say(looks.length > 1 ? looks.shift()! : looks[0]!);
    else if (request.url!.endsWith("/cancel")) say({ status: 202, body: {} });
    else say(result);
  });
  return host;
}

const waiting = { status: 202, body: { status: "IN_QUEUE" } };
const running = { status: 202, body: { status: "IN_PROGRESS" } };
const complete = { body: { status: "COMPLETED" } };
const cancels = ({ requests }: Host) => requests.filter(({ method }) => method === "PUT").length;

function make(host: Host, change: Partial<MusicOrder> = {}, fetchMade = loading(mp3), times = quick, signal?: AbortSignal) {
  return falMusic(useUpstream(), fetchMade, times)({ ...callTo(host, { protocol: "fal" }, signal), order: { ...order, ...change } });
}

function wav(pcm: Buffer, channels: number): Buffer {
  const head = Buffer.from("RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\x10\0data\0\0\0\0", "latin1");
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(44_100, 24);
  head.writeUInt32LE(pcm.length, 40);
  return Buffer.concat([head, pcm]);
}

test("submitted once, polled until it is made, and downloaded", async () => {
  const host = await startQueue([waiting, running, complete]);
  const loaded: string[] = [];
  const fetchMade: FetchMade = (url) => (loaded.push(url), Promise.resolve(mp3));
  expect(await make(host, { lyrics: "[verse] la", seconds: 30 }, fetchMade)).toEqual({ kind: "whole", bytes: mp3 });
  expect(loaded).toEqual(["https://cdn.example.com/song.mp3"]);
  expect(host.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
    "POST /upstream-model",
    ...Array(3).fill("GET /requests/1/status"),
    "GET /requests/1",
  ]);
  expect(host.requests[0]!.headers).toMatchObject({
    authorization: "Key sk-demo-secret-0001",
    "idempotency-key": expect.stringMatching(/^[-0-9a-f]{36}$/) as string,
  });
  expect(JSON.parse(host.requests[0]!.body)).toEqual({
    prompt: "a waltz",
    output_format: "mp3_44100_128",
    lyrics: "[verse] la",
    lyrics_prompt: "[verse] la",
    duration: 30,
    seconds_total: 30,
    music_length_ms: 30_000,
  });
});

test("nothing of lyrics and length where none were given; a host that doesn't queue answers at once", async () => {
  const host = await startHost(
    (_request, response) => void response.end(JSON.stringify({ audio_file: { url: "https://cdn.example.com/1" } })),
  );
  expect(await make(host)).toEqual({ kind: "whole", bytes: mp3 });
  expect(JSON.parse(host.requests[0]!.body)).toEqual({ prompt: "a waltz", output_format: "mp3_44100_128" });
});

test("a WAV file becomes the requested format; any other format is unreadable", async () => {
  const both = wav(Buffer.alloc(4 * 44_100, 1), 2);
  expect(await bytesOf(await make(await startQueue([complete]), { format: "pcm_44100" }, loading(both)))).toEqual(
    Buffer.alloc(2 * 44_100, 1),
  );
  const song = await bytesOf(await make(await startQueue([complete]), {}, loading(both)));
  expect(song.readUInt16BE(0) & 0xffe0).toBe(0xffe0);
  await expectFault(make(await startQueue([complete]), { format: "pcm_44100" }), "unreadable");
  await expectFault(make(await startQueue([complete]), {}, loading(Buffer.from("OggS and so on"))), "unreadable");
  await expectFault(make(await startQueue([complete]), {}, loading(Buffer.alloc(0))), "unreadable");
});

describe("polls that fail", () => {
  const broken = { status: 503, body: {} };
  test("some in a row are not the end of the work", async () => {
    const host = await startQueue([broken, broken, running, broken, broken, broken, broken, complete]);
    expect(await make(host)).toEqual({ kind: "whole", bytes: mp3 });
  });
  test("five in a row are: unavailable, and the work is asked to stop", async () => {
    const host = await startQueue([broken]);
    await expectFault(make(host), "unavailable");
    await until(() => cancels(host) === 1);
  });
});

describe("work that fails", () => {
  const policy = { detail: [{ loc: ["body", "prompt"], msg: "No.", type: "content_policy_violation" }] };
  test("refused, and nothing to stop", async () => {
    const host = await startQueue([complete], { status: 422, body: policy });
    await expectFault(make(host), "refused");
    expect(cancels(host)).toBe(0);
  });
  test("no song in the output", async () => {
    await expectFault(make(await startQueue([complete], { body: { seed: 7 } })), "failed");
  });
  test("a request that the queue does not accept", async () => {
    const host = await startHost((_request, response) => void response.writeHead(429).end("{}"));
    await expectFault(make(host), "rate_limited");
  });
});

describe("the caller no longer waits", () => {
  test("an abort: its reason, and the work is asked to stop", async () => {
    const host = await startQueue([running]);
    const abort = new AbortController();
    const making = make(host, {}, loading(mp3), quick, abort.signal);
    await until(() => host.requests.length > 3);
    abort.abort(new Error("the client disconnected"));
    await expect(making).rejects.toThrow("the client disconnected");
    await until(() => cancels(host) === 1);
  });

  test("the time for all of it runs out: unavailable, and the work is asked to stop", async () => {
    const host = await startQueue([running]);
    const error = await expectFault(make(host, {}, loading(mp3), { ...quick, wholeMs: 1_500 }), "unavailable");
    expect(error.job).toEqual({ code: "provider_timeout", word: null });
    await until(() => cancels(host) === 1);
  });

  test("an abort while the song is loaded", async () => {
    const abort = new AbortController();
    let begun = false;
    const fetchMade: FetchMade = (_url, _provider, signal) =>
      new Promise((_resolve, reject) => {
        begun = true;
        signal.addEventListener("abort", () => reject(signal.reason as Error));
      });
    const making = make(await startQueue([complete]), {}, fetchMade, quick, abort.signal);
    await until(() => begun);
    abort.abort(new Error("the client disconnected"));
    await expect(making).rejects.toThrow("the client disconnected");
  });
});
