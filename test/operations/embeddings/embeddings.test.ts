// POST /v1/embeddings: vectors in input order and in the requested encoding, whatever the upstream writes; billed by input alone.
import { describe, expect, test } from "vitest";
import { inputSize } from "../../../src/language/prompt-size.ts";
import { embeddingWorld, faults, price } from "./embeddings-gateway.ts";
import { oneInThree } from "../../support/size.ts";

const world = embeddingWorld();
const { embed } = world;

/** Rounded up once to 8 decimals. */
const costOf = (tokens: number, perMillion = price) => Math.ceil((tokens * Math.round(perMillion * 1e6)) / 1e4) / 1e8;
const floatsOf = (text: string) => {
  const bytes = Buffer.from(text, "base64");
  return [...new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
};

describe("200", () => {
  test("one vector an input, in input order, and exactly what the measured tokens cost", async () => {
    const account = await world.account();
    const reply = await embed(account, { input: ["lighthouse", "harbour"], user: "u-1", mine: 3 });
    expect(reply.status).toBe(200);
    const { data, usage, ...rest } = reply.json;
    expect(rest).toEqual({ object: "list", model: "demo/embed" });
    expect(data.map(({ object, index }: any) => [object, index])).toEqual([
      ["embedding", 0],
      ["embedding", 1],
    ]);
    expect(data.map(({ embedding: vector }: any) => vector.length)).toEqual([1536, 1536]);
    expect(usage).toEqual({ prompt_tokens: 5, total_tokens: 5, cost: costOf(5) });
    expect(await world.gateway.balance(account)).toEqual({ balance: 20 - usage.cost, reserved: 0, spent: usage.cost });
    expect(reply.headers).toMatchObject({
      "x-svc-model": "demo/embed",
      "content-type": expect.stringMatching(/^application\/json/),
      "x-ratelimit-limit-requests": expect.any(String),
    });
    for (const header of ["x-svc-alias", "x-svc-fallback", "x-svc-max-tokens-clamped"]) expect(reply.headers).not.toHaveProperty(header);
    expect(await world.logOf(reply)).toMatchObject({
      operation: "createEmbeddings",
      model_type: "embedding",
      status: "success",
      estimated: false,
      input_tokens: 5n,
      output_tokens: 0n,
      cost: BigInt(Math.round(costOf(5) * 1e8)),
    });
    expect(world.sent()).toEqual([{ model: "embed", input: ["lighthouse", "harbour"], user: "u-1", mine: 3 }]);
  });

  test("tokens in place of texts: one list is one input, lists are several; they reach the host as sent and each counts as one", async () => {
    const account = await world.account();
    const one = await embed(account, { input: [9906, 1917, 0] });
    expect(one.json).toMatchObject({ data: [{ index: 0 }], usage: { prompt_tokens: 3, cost: costOf(3) } });
    expect(one.json.data).toHaveLength(1);
    const several = await embed(account, { input: [[9906, 1917, 0], [15339]] });
    expect(several.json.data.map(({ index }: any) => index)).toEqual([0, 1]);
    expect(several.json.data[0].embedding).toEqual(one.json.data[0].embedding);
    expect(several.json.data[1].embedding).not.toEqual(one.json.data[0].embedding);
    expect(several.json.usage).toEqual({ prompt_tokens: 4, total_tokens: 4, cost: costOf(4) });
    expect(world.sent().map(({ input }) => input)).toEqual([
      [9906, 1917, 0],
      [[9906, 1917, 0], [15339]],
    ]);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(costOf(3) + costOf(4), 8);
  });

  oneInThree()("a quarter of a million tokens in one request: every one counts once", async () => {
    const input = Array.from({ length: 2048 }, (_, list) => Array.from({ length: 128 }, (_, at) => list * 64 + at));
    const { status, json } = await embed(await world.account(), { input, dimensions: 8 });
    expect([status, json.data.length, json.usage.prompt_tokens]).toEqual([200, 2048, 262_144]);
  });

  test("tokens count where the upstream says no usage, without a tokenizer", async () => {
    const reply = await embed(await world.account(), { model: "demo/unmeasured", input: [[1, 2, 3], [4]] });
    expect(reply.json.usage).toEqual({ prompt_tokens: 4, total_tokens: 4, cost: costOf(4) });
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, input_tokens: 4n });
  });

  test("a string and a list of one are the same request", async () => {
    const account = await world.account();
    const [one, list] = [await embed(account, { input: "lighthouse" }), await embed(account, { input: ["lighthouse"] })];
    expect(list.json).toEqual(one.json);
  });

  test("base64 is the same float32 values as the numbers, bit for bit; a host that writes none changes nothing", async () => {
    const account = await world.account();
    const input = ["lighthouse", "the harbour opens at six"];
    for (const model of ["demo/embed", "demo/float-only"]) {
      const numbers = await embed(account, { model, input });
      const explicit = await embed(account, { model, input, encoding_format: "float" });
      const nothing = await embed(account, { model, input, encoding_format: null });
      const text = await embed(account, { model, input, encoding_format: "base64" });
      expect(explicit.json).toEqual(numbers.json);
      expect(nothing.json).toEqual(numbers.json);
      expect(text.json.usage).toEqual(numbers.json.usage);
      for (const at of [0, 1]) {
        expect(text.json.data[at].embedding).toEqual(expect.any(String));
        expect(floatsOf(text.json.data[at].embedding)).toEqual(numbers.json.data[at].embedding.map(Math.fround));
      }
    }
  });

  test("vectors that the upstream gives in another order come back in input order", async () => {
    const account = await world.account();
    const input = ["one", "two", "three"];
    const [ordered, unordered] = [await embed(account, { input }), await embed(account, { input, model: "demo/unordered" })];
    expect(unordered.json.data.map(({ index }: any) => index)).toEqual([0, 1, 2]);
    const alone = await embed(account, { input: "three", model: "demo/unordered" });
    expect(unordered.json.data[2].embedding).toEqual(alone.json.data[0].embedding);
    expect(ordered.json.data).toHaveLength(3);
  });

  test("2048 inputs in either encoding: every vector its own, charged once, reserved for each", async () => {
    const account = await world.account();
    const input = Array.from({ length: 2048 }, (_, index) => `text ${index}`);
    const numbers = await embed(account, { input, dimensions: 8 });
    const text = await embed(account, { input, dimensions: 8, encoding_format: "base64" });
    expect(numbers.json.data).toHaveLength(2048);
    expect(text.json.usage).toEqual(numbers.json.usage);
    for (const at of [0, 1, 1000, 2047])
      expect(floatsOf(text.json.data[at].embedding)).toEqual(numbers.json.data[at].embedding.map(Math.fround));
    const alone = await embed(account, { input: input[2047], dimensions: 8 });
    expect(alone.json.data[0].embedding.map(Math.fround)).toEqual(numbers.json.data[2047].embedding.map(Math.fround));
    // Asked for as base64, but no digit more than a float32 has.
    expect(JSON.stringify(numbers.json.data[5].embedding)).not.toMatch(/\d\.\d{13}/);
    const { reserved } = (await world.logOf(numbers))!;
    expect(reserved).toBe(BigInt(Math.ceil((inputSize(input).tokensMax * price * 1e6) / 1e4)));
  });

  test("the bound counts a context window for each input: a batch may be longer than one", async () => {
    const account = await world.account();
    const input = ["x ".repeat(6000), "y ".repeat(6000)];
    const reply = await embed(account, { input });
    expect(reply.status).toBe(200);
    const { reserved, cost } = (await world.logOf(reply))!;
    expect(reserved).toBe(BigInt(Math.ceil((2 * 8192 * price * 1e6) / 1e4)));
    expect(cost).toBeLessThan(reserved);
  });

  test("dimensions: forwarded; a host that ignores them is cut, and the vector stays a unit vector", async () => {
    const account = await world.account();
    const [cut, ours] = [await embed(account, { dimensions: 256 }), await embed(account, { model: "demo/full-width", dimensions: 256 })];
    expect(world.sent()[0]).toMatchObject({ dimensions: 256 });
    for (const { json } of [cut, ours]) {
      expect(json.data[0].embedding).toHaveLength(256);
      expect(Math.hypot(...json.data[0].embedding)).toBeCloseTo(1, 5);
    }
    expect((await embed(account, { dimensions: null })).json.data[0].embedding).toHaveLength(1536);
    expect(world.sent().at(-1)).not.toHaveProperty("dimensions");
  });

  test("an alias: the answer and the header name the model", async () => {
    const reply = await embed(await world.account(), { model: "embed" });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/embed", "x-svc-alias": "embed" });
    expect(reply.json.model).toBe("demo/embed");
  });

  test("a flat fee of the model is charged once", async () => {
    const { json } = await embed(await world.account(), { model: "demo/fee", input: ["a", "b"] });
    expect(json.usage).toEqual({ prompt_tokens: 2, total_tokens: 2, cost: 0.010002 });
  });

  test("what the upstream measured is charged, also where it is more than was reserved", async () => {
    const account = await world.account();
    expect((await embed(account, { model: "demo/measured" })).json.usage).toEqual({ prompt_tokens: 7, total_tokens: 7, cost: costOf(7) });
    expect((await embed(account, { model: "demo/doubled" })).json.usage.cost).toBe(costOf(500));
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(costOf(7) + costOf(500), 10);
  });

  test("an upstream that measures nothing: counted by the tokenizer, and the log says estimated", async () => {
    const account = await world.account();
    const reply = await embed(account, { model: "demo/unmeasured", input: ["The keeper lived in the tower.", "Hello"] });
    expect(reply.json.usage).toEqual({ prompt_tokens: 8, total_tokens: 8, cost: costOf(8) });
    expect(await world.logOf(reply)).toMatchObject({ estimated: true, input_tokens: 8n });
  });

  test("an account that never paid: models of the free tier", async () => {
    const account = await world.account({ signupCredit: true });
    expect((await embed(account, { model: "demo/free" })).status).toBe(200);
  });
});

describe("200 by another route", () => {
  test.each(faults)("sim-%s on the first: the second answers, layer 1", async (fault) => {
    const reply = await embed(await world.account(), { model: `fault/${fault}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1", "x-svc-model": `fault/${fault}` });
    expect((await world.logOf(reply))!.attempts).toHaveLength(2);
  });

  test("layer 2: reduced precision", async () => {
    const reply = await embed(await world.account(), { model: "demo/reduced" });
    expect(reply.headers["x-svc-fallback-layer"]).toBe("2");
  });

  test("layer 3: another embedding model, at its price and under the name that was asked for", async () => {
    const reply = await embed(await world.account(), { model: "demo/other" });
    expect(reply.headers).toMatchObject({
      "x-svc-model": "demo/other",
      "x-svc-fallback-layer": "3",
      "x-svc-served-model": "demo/cheap",
    });
    expect(reply.json.model).toBe("demo/other");
    expect(reply.json.usage.cost).toBe(costOf(reply.json.usage.prompt_tokens, 0.12));
  });

  test("layer 3 and dimensions: only a model that can make them", async () => {
    const reply = await embed(await world.account(), { model: "demo/other-cut", dimensions: 64 });
    expect(reply.headers["x-svc-served-model"]).toBe("demo/cheap");
  });
});
