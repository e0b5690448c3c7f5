// POST /v1/audio/music: billed by the second asked for, or by the song, whose length is measured; stored at a permanent address on request.
import { describe, expect, test } from "vitest";
import { roundUsd } from "../../support/round-usd.ts";
import { contentTypes, eightFormats, heardIn, kbpsOf, listen, perSecond, perSong, speechWorld } from "../speech/speech-gateway.ts";

const world = speechWorld(
  [
    perSecond("demo/score"),
    perSong("demo/song"),
    perSecond("demo/short", ["music+sim-seconds-2"]),
    perSecond("demo/cut", ["music+sim-cut-after-3"]),
    perSecond("demo/paced", ["music+sim-pace-50ms"]),
  ],
  { aliases: { jingle: "demo/score" }, defaults: { music: "demo/score" } },
);
const prompt = "Calm piano over soft rain, no drums";
const music = (account: Parameters<typeof world.ask>[0], body: object, query = "") =>
  world.ask(account, { prompt, ...body }, `music${query}`);
const orders = () =>
  world.gateway.simulator
    .calls()
    .filter(({ method }) => method === "POST")
    .map(({ json }) => json as Record<string, unknown>);

describe("200, by the second", () => {
  test.each(eightFormats)("%s lasts as long as was asked and costs that", async (format) => {
    const account = await world.account();
    const reply = await music(account, { music_length_ms: 4500, response_format: format });
    const heard = await heardIn(reply.bytes, format);
    expect(Math.abs(heard.seconds - 4.5)).toBeLessThan(0.1);
    expect(heard.loudest).toBeGreaterThan(0.1);
    expect(reply.headers).toMatchObject({
      "content-type": contentTypes[format.split("_")[0] as keyof typeof contentTypes],
      "x-svc-model": "demo/score",
      "x-svc-duration-sec": "4.5",
      "x-svc-cost-usd": "0.6075",
      "x-svc-balance-usd": "19.3925",
    });
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.3925, reserved: 0, spent: 0.6075 });
    expect(await world.logOf(reply)).toMatchObject({
      operation: "createMusic",
      unit: "second",
      units: "4.5",
      cost: 60_750_000n,
      stream: false,
    });
  });

  test.each([
    [{}, 30, 4.05],
    [{ music_length_ms: 1000 }, 1, 0.135],
    [{ duration_ms: 2000 }, 2, 0.27],
    [{ duration_ms: 2000, music_length_ms: 3001 }, 3.001, 0.405135],
    [{ music_length_ms: 3333 }, 3.333, 0.449955],
  ])("%j: %d seconds for %d USD", async (fields, seconds, cost) => {
    const account = await world.account();
    const reply = await music(account, { ...fields, response_format: "mp3_22050_32" });
    expect(reply.headers).toMatchObject({ "x-svc-duration-sec": String(seconds), "x-svc-cost-usd": String(cost) });
    expect(orders()[0]).toMatchObject({ music_length_ms: seconds * 1000 });
    expect((await world.gateway.balance(account)).balance).toBe(roundUsd(20 - cost));
  });

  test("five minutes are taken, and billed as asked even where the provider made less", async () => {
    const account = await world.account({ deposit: "100" });
    const reply = await music(account, { model: "demo/short", music_length_ms: 300_000 });
    expect(reply.headers).toMatchObject({ "x-svc-duration-sec": "300", "x-svc-cost-usd": "40.5", "x-svc-balance-usd": "59.5" });
  });

  test("an alias is named beside its model; lyrics are not checked", async () => {
    const reply = await music(await world.account(), { model: "jingle", lyrics: "x".repeat(5000), music_length_ms: 3000 });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/score", "x-svc-alias": "jingle" });
    expect(JSON.stringify(orders()[0])).not.toContain("xxx");
  });

  test("2000 characters after NFC are taken, and go on normalised", async () => {
    expect((await music(await world.account(), { prompt: "e\u0301".repeat(2000), music_length_ms: 3000 })).status).toBe(200);
    expect(orders()[0]!.prompt).toBe("é".repeat(2000));
  });

  test("an interrupted stream ends without a proper end, is free and is logged as provider_error", async () => {
    const account = await world.account();
    const { outcome, headers } = await listen(world, account, { model: "demo/cut", prompt }, undefined, "music");
    expect([outcome, headers["x-svc-balance-usd"]]).toEqual(["broken", "15.95"]);
    expect(await world.onlyLog(account)).toMatchObject({ status: "failed", http_status: 200, error_code: "provider_error", cost: 0n });
    await world.expectUntouched(account);
  });

  test("a caller who disconnects midway pays for the whole piece", async () => {
    const account = await world.account();
    await listen(world, account, { model: "demo/paced", prompt, music_length_ms: 10_000 }, (size) => size > 0, "music");
    expect(await world.onlyLog(account)).toMatchObject({ status: "aborted", cost: 135_000_000n, units: "10" });
  });
});

describe("200, by the song", () => {
  test.each([
    [{}],
    [{ response_format: "mp3" }],
    [{ response_format: "mp3_44100_192" }],
    [{ music_length_ms: 5, duration_ms: 9_999_999 }],
    [{ music_length_ms: 3_000_000_000 }],
    [{ duration_ms: 3_000_000_000.5 }],
  ])("%j: MP3 as the provider makes it, at the price of a song; its length is measured", async (fields) => {
    const account = await world.account();
    const reply = await music(account, { model: "demo/song", ...fields });
    const heard = await heardIn(reply.bytes, "mp3_44100_128");
    expect(reply.headers["content-type"]).toBe("audio/mpeg");
    expect(Math.abs(Number(reply.headers["x-svc-duration-sec"]) - heard.seconds)).toBeLessThan(0.1);
    expect(reply.headers).toMatchObject({ "x-svc-cost-usd": "0.108", "x-svc-balance-usd": "19.892" });
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.892, reserved: 0, spent: 0.108 });
    expect(await world.logOf(reply)).toMatchObject({ unit: "song", units: "1", cost: 10_800_000n });
  });

  test("600 characters of lyrics go with the prompt, blank ones don't", async () => {
    const account = await world.account();
    const lyrics = `[verse]\n${"la ".repeat(197)}é`.slice(0, 600);
    await music(account, { model: "demo/song", lyrics });
    await music(account, { model: "demo/song", lyrics: " \n" });
    const [first, second] = orders();
    expect(first!.lyrics).toBe(lyrics);
    expect(second!.lyrics ?? null).not.toBe(" \n");
  });
});

describe("200, kept", () => {
  test.each([
    ["demo/score", "mp3_44100_192", "mp3"],
    ["demo/score", "pcm_16000", "pcm"],
    ["demo/score", "ulaw_8000", "ulaw"],
    ["demo/song", "mp3", "mp3"],
  ])("%s as %s: its address plays, whole and in parts, under its own type", async (model, format, extension) => {
    const account = await world.account();
    const reply = await music(account, { model, response_format: format, music_length_ms: 4000 }, "?save_to_blob=1");
    const cost = model === "demo/song" ? 0.108 : 0.54;
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(reply.json).toEqual({
      object: "audio.generation",
      job_id: expect.stringMatching(/^aud_[0-9a-f]{32}$/),
      kind: "audio",
      model,
      url: expect.stringMatching(new RegExp(`^${world.gateway.url}/media/[0-9a-f]{32}\\.${extension}$`)),
      duration_sec: Number(reply.headers["x-svc-duration-sec"]),
      cost_usd: cost,
      balance_usd: roundUsd(20 - cost),
    });
    expect(reply.headers).toMatchObject({ "x-svc-cost-usd": String(cost), "x-svc-balance-usd": String(roundUsd(20 - cost)) });
    expect(await world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - cost), reserved: 0, spent: cost });
    const file = await fetch(reply.json.url);
    const bytes = Buffer.from(await file.arrayBuffer());
    expect(Object.fromEntries(file.headers)).toMatchObject({
      "content-type": contentTypes[extension as keyof typeof contentTypes],
      "x-content-type-options": "nosniff",
      "accept-ranges": "bytes",
    });
    const heard = await heardIn(bytes, format === "mp3" ? "mp3_44100_128" : format);
    expect(Math.abs(heard.seconds - reply.json.duration_sec)).toBeLessThan(0.1);
    if (format === "mp3_44100_192") expect(kbpsOf(bytes)).toBe(192);
    const part = await fetch(reply.json.url, { headers: { range: "bytes=100-199" } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-199/${bytes.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(100, 200))).toBe(true);
  });

  test("save_to_blob=0 answers the audio", async () => {
    const reply = await music(await world.account(), { music_length_ms: 3000 }, "?save_to_blob=0");
    expect(reply.headers["content-type"]).toBe("audio/mpeg");
  });
});
