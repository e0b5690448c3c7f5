// POST /v1/audio/speech: every format of both families decodes, lasts as long as its text, and costs what its characters cost.
import { describe, expect, test } from "vitest";
import { roundUsd } from "../../support/round-usd.ts";
import {
  contentTypes,
  eightFormats,
  familyA,
  familyB,
  heardIn,
  kbpsOf,
  priceA,
  priceB,
  secondsOf,
  sentence,
  speechWorld,
} from "./speech-gateway.ts";

const world = speechWorld(
  [
    familyA("demo/quality"),
    familyA("demo/odd-price", ["flash"], { pricing: { mode: "per-1k-chars", usd_per_1k_chars: 0.033333333 } }),
    familyA("demo/openai", [], { routes: [{ provider: "north", model: "speech" }] }),
    familyA("demo/voiceless", [], { routes: [{ provider: "north", model: "speech" }], default_voice: undefined }),
    familyB("demo/hd"),
    familyA("demo/spared", ["sim-fail-503", "multilingual"]),
  ],
  { aliases: { narrator: "demo/hd" }, defaults: { speech: "demo/quality" } },
);

/** Bodies of the calls that reached an upstream. */
const orders = () => world.gateway.simulator.calls().map(({ path, json }) => ({ path, json: json as Record<string, any> }));

describe("200, the eight formats", () => {
  const ways = [
    ["demo/quality", {}, priceA],
    ["demo/openai", {}, priceA],
    ["demo/hd", {}, priceB],
    ["demo/hd", { stream: true }, priceB],
  ] as const;
  const cells = ways.flatMap(([model, more, price]) => eightFormats.map((format) => ({ model, format, price, more })));

  test.each(cells)("$model $format $more decodes, lasts as long as its text and is billed to the character", async (cell) => {
    const { model, format, price, more } = cell;
    const account = await world.account();
    const reply = await world.ask(account, { model, input: sentence, response_format: format, ...more });
    expect(reply.status).toBe(200);
    const [encoding = "", rate, kbps] = format.split("_");
    const heard = await heardIn(reply.bytes, format);
    expect(heard.sampleRate).toBe(Number(rate));
    expect(heard.seconds).toBeGreaterThan(secondsOf(sentence) - 0.1);
    expect(heard.seconds).toBeLessThan(secondsOf(sentence) + 0.2);
    expect(heard.loudest).toBeGreaterThan(0.1);
    if (encoding === "mp3") expect(kbpsOf(reply.bytes)).toBe(Number(kbps));
    const cost = Math.round(sentence.length * price * 1e5) / 1e8;
    expect(reply.headers).toMatchObject({
      "content-type": contentTypes[encoding as keyof typeof contentTypes],
      "x-svc-model": model,
      "x-svc-chars-billed": String(sentence.length),
      "x-svc-cost-usd": String(cost),
      "x-svc-balance-usd": String(roundUsd(20 - cost)),
    });
    expect(reply.headers).toHaveProperty("x-ratelimit-remaining-requests");
    expect(await world.gateway.balance(account)).toEqual({ balance: roundUsd(20 - cost), reserved: 0, spent: cost });
    expect(await world.logOf(reply)).toMatchObject({
      operation: "createSpeech",
      status: "success",
      http_status: 200,
      model,
      unit: "character",
      units: String(sentence.length),
      cost: BigInt(Math.round(cost * 1e8)),
      reserved: BigInt(Math.round(cost * 1e8)),
      stream: "stream" in more,
      first_byte_ms: expect.any(Number),
      attempts: [{ outcome: "ok", status: 200 }],
    });
  });

  test.each([
    ["mp3", "mp3_44100_128"],
    ["pcm", "pcm_24000"],
  ])("%s, as OpenAI clients say, is %s byte by byte", async (alias, format) => {
    const account = await world.account();
    const replies = [
      await world.ask(account, { input: sentence, response_format: alias }),
      await world.ask(account, { input: sentence, response_format: format }),
    ];
    expect(replies[0]!.headers["content-type"]).toBe(replies[1]!.headers["content-type"]);
    expect(replies[0]!.bytes.equals(replies[1]!.bytes)).toBe(true);
  });

  test("none named: MP3 of 128 kbit/s at 44.1 kHz", async () => {
    const reply = await world.ask(await world.account(), { input: sentence });
    expect(kbpsOf(reply.bytes)).toBe(128);
    expect((await heardIn(reply.bytes, "mp3_44100_128")).sampleRate).toBe(44_100);
  });
});

describe("200, which model and which text", () => {
  test("no model: the catalog's default; an alias: the model it stands for, and the alias beside it", async () => {
    const account = await world.account();
    const plain = await world.ask(account, { input: "Hello" });
    expect(plain.headers["x-svc-model"]).toBe("demo/quality");
    for (const absent of ["x-svc-alias", "x-svc-fallback", "x-svc-fallback-layer"]) expect(plain.headers).not.toHaveProperty(absent);
    const aliased = await world.ask(account, { model: "narrator", input: "Hello" });
    expect(aliased.headers).toMatchObject({ "x-svc-model": "demo/hd", "x-svc-alias": "narrator" });
    expect(await world.logOf(aliased)).toMatchObject({ model: "demo/hd", alias: "narrator" });
  });

  test("`text` is another name for `input`, which wins", async () => {
    const account = await world.account();
    expect((await world.ask(account, { text: "Six words" })).headers["x-svc-chars-billed"]).toBe("9");
    expect((await world.ask(account, { text: "Six words", input: "One" })).headers["x-svc-chars-billed"]).toBe("3");
    expect(orders().map(({ json }) => json.text)).toEqual(["Six words", "One"]);
  });

  test("another route of the model answers where the first fails, at the same price", async () => {
    const reply = await world.ask(await world.account(), { model: "demo/spared", input: "Hello" });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-cost-usd": "0.002025", "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
    expect(await world.logOf(reply)).toMatchObject({ fallback_layer: 1, attempts: [{ outcome: "unavailable" }, { outcome: "ok" }] });
  });
});

describe("200, characters as they are billed", () => {
  test.each([
    ["an e and its accent are one after NFC", "e\u0301te\u0301", "été", 3],
    ["three code points of Vietnamese are one", "e\u0323\u0302", "ệ", 1],
    ["a family of four is seven", "👨‍👩‍👧‍👦", "👨‍👩‍👧‍👦", 7],
    ["an emoji outside the first plane is one", "😀😀", "😀😀", 2],
    ["blanks and line ends count", " a\n b ", " a\n b ", 6],
    ["half of a pair stands for what can't be read", "a\ud800b", "a\ufffdb", 3],
  ])("%s", async (_, input, spoken, characters) => {
    const reply = await world.ask(await world.account(), { input });
    expect(reply.headers["x-svc-chars-billed"]).toBe(String(characters));
    expect(Number(reply.headers["x-svc-cost-usd"])).toBe(Math.round(characters * priceA * 1e5) / 1e8);
    expect(orders()[0]!.json.text).toBe(spoken);
  });

  test("5000 are taken: letters, emoji, and twice as many that become 5000", async () => {
    const account = await world.account({ deposit: "100" });
    for (const input of ["x".repeat(5000), "😀".repeat(5000), "e\u0301".repeat(5000)]) {
      const reply = await world.ask(account, { model: "demo/hd", input, response_format: "mp3_22050_32" });
      expect([reply.status, reply.headers["x-svc-chars-billed"], reply.headers["x-svc-cost-usd"]]).toEqual([200, "5000", "0.35"]);
    }
  });

  test("a price with more decimals is rounded up once, to eight", async () => {
    const reply = await world.ask(await world.account(), { model: "demo/odd-price", input: "abc" });
    expect(reply.headers["x-svc-cost-usd"]).toBe("0.0001");
  });
});

describe("200, voices and settings", () => {
  test.each([
    [{}, "lyra-narrator"],
    [{ voice: "alloy" }, "lyra-narrator"],
    [{ voice: { id: "marin" } }, "lyra-narrator"],
    [{ voice_id: "onyx" }, "lyra-narrator"],
    [{ voice: "lyra-narrator" }, "lyra-narrator"],
    [{ voice_id: "lyra-narrator", voice: "nobody" }, "lyra-narrator"],
  ])("%j speaks as %s", async (fields, voice) => {
    expect((await world.ask(await world.account(), { input: "Hello", ...fields })).status).toBe(200);
    expect(orders()[0]!.path).toMatch(new RegExp(`/text-to-speech/${voice}(\\?|$)`));
  });

  test("a model without a default voice speaks in OpenAI's voice that was named", async () => {
    const reply = await world.ask(await world.account(), { model: "demo/voiceless", input: "Hello", voice: "nova" });
    expect([reply.status, orders()[0]!.json.voice]).toEqual([200, "nova"]);
  });

  test("family B's default is its own", async () => {
    await world.ask(await world.account(), { model: "demo/hd", input: "Hello", voice: "alloy" });
    expect(orders()[0]!.json.voice_setting.voice_id).toBe("calm-woman");
  });

  test("settings go to family A as they are, and nothing else with them", async () => {
    const account = await world.account();
    const voice_settings = { stability: 0, similarity_boost: 1, style: 0.5, use_speaker_boost: false };
    await world.ask(account, { input: "Hello", voice_settings: { ...voice_settings, speed: 9 } });
    await world.ask(account, { model: "demo/hd", input: "Hello", voice_settings });
    const [a, b] = orders();
    expect(a!.json.voice_settings).toEqual(voice_settings);
    expect(JSON.stringify(b!.json)).not.toContain("stability");
  });

  test("family A ignores `stream`", async () => {
    const reply = await world.ask(await world.account(), { input: "Hello", stream: true });
    expect(reply.status).toBe(200);
    expect(await world.logOf(reply)).toMatchObject({ stream: false });
  });

  test("family B streams only when asked", async () => {
    const account = await world.account();
    await world.ask(account, { model: "demo/hd", input: "Hello" });
    await world.ask(account, { model: "demo/hd", input: "Hello", stream: true });
    expect(orders().map(({ json }) => json.stream === true)).toEqual([false, true]);
  });
});
