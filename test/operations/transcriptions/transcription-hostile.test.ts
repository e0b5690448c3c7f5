// POST /v1/audio/transcriptions with recordings that are invalid or malicious, in both modes: 400, 413, 415 or 422, free, with nothing left on
// disk (also checked after the file). How each is measured is tested in test/media.
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { fixture, type Serve } from "../../media/file-server.ts";
import { oggPage, patched, recording as sample, uint32, uint32le, withPages } from "../../media/recordings.ts";
import { wavFile } from "../../simulator/audio-check.ts";
import type { TestReply } from "../../support/gateway.ts";
import { recording, transcriber, transcriptionWorld } from "./transcription-gateway.ts";
import { oneInThree } from "../../support/size.ts";

const world = transcriptionWorld([transcriber("demo/stt", ["stt"])]);
/** As operators run it: no private addresses. */
const closed = transcriptionWorld([transcriber("demo/stt", ["stt"])], {}, { env: { SVC_ALLOW_PRIVATE_URLS: "0" } });

const modes = ["file", "address"] as const;
type Mode = (typeof modes)[number];
const ask = async (mode: Mode, account: { key: string }, file: Buffer): Promise<TestReply> =>
  mode === "file"
    ? world.send(account, { model: "demo/stt" }, file)
    : world.fetch(account, { model: "demo/stt", audio_url: world.publish(file) });

const kinds = ["mp3", "wav", "m4a", "ogg", "webm", "flac"];

describe.each(modes)("200: what is audio, whatever it is called: a %s", (mode) => {
  test.each(kinds)("%s is recognised by its bytes, and billed one minute", async (kind) => {
    const reply = await ask(mode, await world.account(), sample(`tone.${kind}`));
    expect(reply.status).toBe(200);
    expect(reply.json.billing).toMatchObject({ billable_minutes: 1, cost_usd: 0.0009 });
    expect(reply.json.billing.duration_sec).toBeCloseTo(2, 0);
    const [call] = world.gateway.simulator.calls();
    expect(call!.parts!.find(({ name }) => name === "file")!.fileName).toMatch(new RegExp(`\\.${kind}$`));
  });
});

/** Frames of silence at 8 kHz and 8 kbit/s: a kilobyte a second, more than a day of them. */
const dayOfMp3 = Buffer.alloc(72 * 1_201_000, Buffer.concat([Buffer.from("ffe318c4", "hex"), Buffer.alloc(68)]));
const opusHead = [oggPage(2, [Buffer.concat([Buffer.from("OpusHead\x01\x01"), Buffer.alloc(9)])]), oggPage(0, [Buffer.from("OpusTags")])];
const quietPage = oggPage(0, Array<Buffer>(255).fill(Buffer.from([0x1b, 2])));

/** What it is, the bytes, and the status. */
const hostile: [string, Buffer, number][] = [
  ["nothing", Buffer.alloc(0), 415],
  ["one byte", Buffer.from("R"), 415],
  ["zeros", Buffer.alloc(100_000), 415],
  ["text", Buffer.from("ID3, but not really"), 415],
  ["a picture", fixture("picture.png"), 415],
  ["a web page", Buffer.from("<!doctype html><title>404</title>"), 415],
  ["a playlist", Buffer.from("#EXTM3U\nhttp://127.0.0.1/secret\n"), 415],
  ["a compressed recording", gzipSync(recording), 415],
  ["AAC without a container", sample("tone.aac"), 415],
  ["a film of QuickTime's", fixture("clip.mov"), 415],
  ...kinds.map((kind): [string, Buffer, number] => [
    `the head of ${kind} alone`,
    sample(`tone.${kind}`).subarray(0, 40),
    kind === "mp3" ? 415 : 400,
  ]),
  ["a second that says ten hours, WAV", patched(wavFile(1), "data", 4, uint32le(16_000 * 36_000)), 400],
  ["ten hours of samples, WAV of 48 kHz", patched(wavFile(1, { sampleRate: 48_000 }), "data", 4, uint32le(3_456_000_000)), 400],
  ["the film's ten hours, M4A", patched(sample("tone.m4a"), "mvhd", 20, uint32(36_000_000)), 400],
  ["the track's ten hours, M4A", patched(sample("tone.m4a"), "mdhd", 20, uint32(36_000 * 44_100)), 400],
  ["ten hours of frames, MP3", patched(sample("tone-vbr.mp3"), "Xing", 8, uint32(36_000 * 38)), 400],
  ["ten hours of samples, FLAC", patched(sample("tone.flac"), "fLaC", 22, uint32(36_000 * 8_000)), 400],
  ["ten hours of positions, Ogg", withPages(sample("tone.ogg"), (page) => page[5]! & 4 && page.writeBigInt64LE(1_728_000_000n, 6)), 400],
  ["ten hours, WebM", patched(sample("tone.webm"), "\x44\x89\x88", 3, Buffer.from("4182000000000000", "hex")), 400],
  ...[...kinds.map((kind) => `tone.${kind}`), "film.mp4", "film-live.webm", "tone-fragments.m4a"].map((name): [string, Buffer, number] => {
    const whole = sample(name);
    return [`the first half of ${name}`, whole.subarray(0, whole.length >> 1), 400];
  }),
  ["half of an M4A, its index lost", withIndexLast(sample("tone.m4a")), 400],
  ["a film without sound", sample("film-silent.mp4"), 400],
  ["Speex", sample("tone-speex.ogg"), 400],
  ["WAV of a rate that nothing has", patched(sample("tone.wav"), "fmt ", 12, uint32le(1)), 400],
  [
    "WAV that hides another file",
    Buffer.concat([sample("tone.wav"), Buffer.from("hide"), uint32le(1_000_000), Buffer.alloc(1_000_000)]),
    400,
  ],
  ["FLAC before minutes of MP3", Buffer.concat([sample("tone.flac"), ...Array<Buffer>(60).fill(sample("tone.mp3"))]), 400],
  ["MP3 before a megabyte of something else", Buffer.concat([sample("tone.mp3"), Buffer.alloc(1_000_000, "x")]), 400],
  ["an endless clip", fixture("clip-endless.mp4"), 400],
  ["a day and more of Opus in 1.5 MB", Buffer.concat([...opusHead, ...Array<Buffer>(3_000).fill(quietPage)]), 413],
];

describe.each(modes)("refused, free, and gone: a %s", (mode) => {
  test.each(hostile)("%s", async (_, file, status) => {
    const account = await world.account();
    const reply = await ask(mode, account, file);
    const codes: Record<number, string> = { 400: "invalid_parameter", 413: "request_too_large", 415: "unsupported_audio_type" };
    expect([reply.status, reply.json.error.code]).toEqual([status, codes[status]]);
    if (status !== 415) expect(reply.json.error.param).toBe(mode === "file" ? "file" : "audio_url");
    expect(reply.headers["x-should-retry"]).toBe("false");
    expect(reply.text).not.toMatch(/RangeError|ENOENT|\.ts|svc-transcription|media-incoming/);
    expect(world.sent()).toEqual([]);
    await world.expectUntouched(account);
    await world.expectNothingOnDisk();
  });
});

describe("413 request_too_large", () => {
  test("a file of more than 25 MB", async () => {
    const account = await world.account();
    const { status, json } = await ask("file", account, dayOfMp3.subarray(0, 25 * 1024 * 1024 + 1));
    expect([status, json.error.code]).toEqual([413, "request_too_large"]);
    await world.expectUntouched(account);
  });

  oneInThree()("an address with more than a day in less than 100 MB", async () => {
    const account = await world.account();
    const { status, json } = await ask("address", account, dayOfMp3);
    expect([status, json.error.code, json.error.param]).toEqual([413, "request_too_large", "audio_url"]);
    expect(json.error.message).toBe("The request is too large: The recording is longer than 24 hours.");
    await world.expectUntouched(account);
  });

  test.each([
    ["that says so", { "content-length": String(101 * 1024 * 1024) }],
    ["that does not say so", {}],
  ])("an address with more than 100 MB, %s: loading stops, and no file stays", async (_, headers) => {
    const account = await world.account();
    const reply = await world.fetch(account, { model: "demo/stt", audio_url: world.publish(endless(headers)) });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([413, "request_too_large", "audio_url"]);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: 413, cost: 0n });
    await world.expectUntouched(account);
    await world.expectNothingOnDisk();
  });
});

describe("400 invalid_parameter: an address that can't be loaded is its caller's", () => {
  test.each<[string, Serve]>([
    ["404", (_, res) => void res.writeHead(404).end("not here")],
    ["500", (_, res) => void res.writeHead(500).end()],
    ["a redirect that goes round", (req, res) => void res.writeHead(302, { location: req.url! }).end()],
    ["a redirect to http", (_, res) => void res.writeHead(302, { location: "http://example.com/a.mp3" }).end()],
    ["a redirect to a file", (_, res) => void res.writeHead(302, { location: "file:///etc/passwd" }).end()],
    ["a connection that breaks", (req) => void req.socket.destroy()],
    ["a body that breaks", (_, res) => void res.writeHead(200, { "content-length": "100000" }).write("RIFF", () => res.destroy())],
  ])("%s", async (_, serve) => {
    const account = await world.account();
    const reply = await world.fetch(account, { model: "demo/stt", audio_url: world.publish(serve) });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "invalid_parameter", "audio_url"]);
    expect(reply.json.error.message).not.toMatch(/127\.0\.0\.1|ECONN|localhost|undici/);
    await world.expectUntouched(account);
    await world.expectNothingOnDisk();
  });

  test.each(["https://unknown.invalid/a.mp3", "https://127.0.0.1:1/a.mp3", "https://user:secret@localhost/a.mp3", "https://"])(
    "%s",
    async (url) => {
      const account = await world.account();
      const { status, json } = await world.fetch(account, { model: "demo/stt", audio_url: url });
      expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "audio_url"]);
      await world.expectUntouched(account);
    },
  );

  test.each([
    ...["https://127.0.0.1/a", "https://localhost/a", "https://10.0.0.1/a", "https://169.254.169.254/latest/meta-data", "https://[::1]/a"],
    ...["https://0x7f000001/a", "https://2130706433/a", "https://[::ffff:127.0.0.1]/a"],
  ])("a private one, where the operator opened none: %s is never connected to", async (audio_url) => {
    const account = await closed.account();
    const { status, json } = await closed.fetch(account, { model: "demo/stt", audio_url });
    expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "audio_url"]);
    expect(json.error.message).toMatch(/: The (address does not lead to a public host|file at the address could not be loaded)\.$/);
    await closed.expectUntouched(account);
  });
});

/** MP3 without end. */
function endless(headers: Record<string, string>): Serve {
  const piece = dayOfMp3.subarray(0, 72 * 10_000);
  return (_, res) => {
    res.writeHead(200, headers);
    const more = () => {
      while (!res.destroyed && res.write(piece));
    };
    res.on("drain", more).on("error", () => undefined);
    more();
  };
}

/** The samples without the index that would stand behind them. */
function withIndexLast(file: Buffer): Buffer {
  const index = file.indexOf("moov", 0, "latin1") - 4;
  const samples = file.indexOf("mdat", 0, "latin1") - 4;
  return index > samples ? file.subarray(0, index) : Buffer.concat([file.subarray(0, index), file.subarray(samples)]);
}
