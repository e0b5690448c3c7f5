// Embeddings as each host writes them, in the one form that the gateway reads; and answers that are invalid.
import { describe, expect, test } from "vitest";
import { openaiEmbed } from "../../../src/providers/openai/embed.ts";
import type { Route } from "../../../src/providers/types.ts";
import type { EmbedCall, EmbedWhole, Vector } from "../../../src/providers/verbs/without-output.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";
import { expectFault, json } from "./chat-fixture.ts";

type Change = Partial<EmbedCall>;

const call = (host: Host, change: Change = {}): EmbedCall => ({
  route: routeTo(`${host.url}/v1`),
  signal: new AbortController().signal,
  requestId: "req_test",
  publicModel: "demo/embed",
  body: '{"model":"upstream-model","input":["a","b"],"encoding_format":"float","user":"u-1"}',
  inputs: 2,
  dimensions: null,
  base64: false,
  ...change,
});

async function embed(answer: Answer | string, change: Change = {}): Promise<EmbedWhole> {
  const host = await startHost(typeof answer === "string" ? json(200, answer) : answer);
  return openaiEmbed(useUpstream())(call(host, change));
}

const base64 = (values: number[]) => Buffer.from(Float32Array.from(values).buffer).toString("base64");
const item = (index: number | undefined, embedding: unknown) => ({
  object: "embedding",
  ...(index === undefined ? {} : { index }),
  embedding,
});
const answered = (data: unknown, usage: unknown = { prompt_tokens: 8, total_tokens: 8 }) =>
  JSON.stringify({ object: "list", data, model: "up", ...(usage === null ? {} : { usage }) });
const plain = (vectors: Vector[]) => vectors.map((vector) => [...vector]);
const [one, two] = [
  [0.25, -0.5],
  [0.75, 1],
];
const usageOf = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 });

describe("what goes out", () => {
  test("POST /embeddings with the caller's bytes; `float` is not said, as every host writes it by itself and Voyage refuses the word", async () => {
    const host = await startHost(json(200, answered([item(0, one), item(1, two)])));
    await openaiEmbed(useUpstream())(call(host));
    expect(host.requests).toMatchObject([{ method: "POST", url: "/v1/embeddings" }]);
    expect(host.requests[0]!.headers).toMatchObject({ authorization: "Bearer sk-demo-secret-0001", "x-request-id": "req_test" });
    expect(host.requests[0]!.body).toBe('{"model":"upstream-model","input":["a","b"],"user":"u-1"}');
  });

  test.each([
    ["the caller wants it", { base64: true }],
    ["the texts are many", { inputs: 65 }],
  ])("base64 is asked for where %s", async (_, change) => {
    const { inputs = 2 } = change as Change;
    const data = Array.from({ length: inputs }, (_, index) => item(index, base64([index, 1])));
    const host = await startHost(json(200, answered(data)));
    const { vectors } = await openaiEmbed(useUpstream())(call(host, change));
    expect(JSON.parse(host.requests[0]!.body)).toMatchObject({ encoding_format: "base64" });
    expect(plain(vectors).at(-1)).toEqual([inputs - 1, 1]);
  });
});

describe("hosts", () => {
  test.each([
    ["OpenAI: in order", [item(0, one), item(1, two)]],
    ["in another order", [item(1, two), item(0, one)]],
    ["Gemini: an index of 0 is left out", [item(undefined, one), item(1, two)]],
    ["no index at all", [item(undefined, one), item(undefined, two)]],
    ["base64 unasked", [item(0, base64(one!)), item(1, base64(two!))]],
    ["both at once", [item(1, two), item(0, base64(one!))]],
  ])("%s", async (_, data) => {
    const { vectors } = await embed(answered(data));
    expect(plain(vectors)).toEqual([one, two]);
  });

  test("numbers stay as the host wrote them: no float32 noise", async () => {
    const { vectors } = await embed('{"data":[{"index":0,"embedding":[0.1,-0.0023064255]},{"index":1,"embedding":[1e-7,3]}]}');
    expect(plain(vectors)).toEqual([
      [0.1, -0.0023064255],
      [1e-7, 3],
    ]);
  });

  test.each([
    ["OpenAI", { prompt_tokens: 8, total_tokens: 8 }, usageOf(8)],
    ["Mistral", { prompt_tokens: 8, total_tokens: 8, completion_tokens: 0 }, usageOf(8)],
    ["Voyage", { total_tokens: 8 }, usageOf(8)],
    ["as text", { prompt_tokens: "8" }, usageOf(8)],
    ["output is never counted", { prompt_tokens: 8, completion_tokens: 5, total_tokens: 13 }, usageOf(8)],
    ["zeros", { prompt_tokens: 0, total_tokens: 0 }, null],
    ["absurd", { prompt_tokens: 1e12 }, null],
    ["none", null, null],
  ])("usage: %s", async (_, usage, expected) => {
    expect((await embed(answered([item(0, one), item(1, two)], usage))).usage).toEqual(expected);
  });
});

describe("a host that refuses base64", () => {
  const only = (status: number, body: unknown): Answer => {
    return (request, response, sent) =>
      sent.includes("base64")
        ? json(status, JSON.stringify(body))(request, response, sent)
        : json(200, answered([item(0, one), item(1, two)]))(request, response, sent);
  };

  test.each([
    ["older vLLM", 400, { object: "error", message: "base64 encoding is not currently supported", type: "BadRequestError", code: 400 }],
    ["Voyage-like", 422, { detail: "Argument 'encoding_format' is not supported" }],
    ["a proxy that names nothing", 400, { error: { message: "Bad request" } }],
    ["one that names it", 400, { error: { message: "Unsupported", param: "encoding_format" } }],
  ])("%s: is asked without it, and not again", async (_, status, body) => {
    const host = await startHost(only(status, body));
    const route: Route = routeTo(`${host.url}/v1`);
    const ask = openaiEmbed(useUpstream());
    expect(plain((await ask(call(host, { route, base64: true }))).vectors)).toEqual([one, two]);
    expect(host.requests.map((request) => request.body.includes("base64"))).toEqual([true, false]);
    await ask(call(host, { route, base64: true }));
    expect(host.requests).toHaveLength(3);
  });

  test("refused without it too: the caller gets the first sentence", async () => {
    let asked = 0;
    const answer: Answer = (request, response, sent) =>
      json(400, JSON.stringify({ error: { message: `no ${++asked}` } }))(request, response, sent);
    const error = await expectFault(embed(answer, { base64: true }), "rejected");
    expect([error.reason, asked]).toEqual(["no 1", 2]);
  });

  test.each([
    ["another field is at fault", 400, { error: { message: "too long", param: "input" } }],
    ["it is too large", 413, { error: { message: "too large" } }],
  ])("%s: nothing is sent twice", async (_, status, body) => {
    const host = await startHost(json(status, JSON.stringify(body)));
    await expectFault(openaiEmbed(useUpstream())(call(host, { base64: true })), "rejected");
    expect(host.requests).toHaveLength(1);
  });
});

describe("a host that ignores dimensions", () => {
  test("the beginning of a unit vector, as a unit vector; as numbers and as base64", async () => {
    const unit = [0.6, 0, 0.8, 0];
    for (const written of [unit, base64(unit)]) {
      const { vectors } = await embed(answered([item(0, written), item(1, written)]), { dimensions: 3 });
      expect(vectors[0]).toHaveLength(3);
      expect(Math.hypot(...vectors[0]!)).toBeCloseTo(1, 6);
      expect(vectors[0]![2]! / vectors[0]![0]!).toBeCloseTo(0.8 / 0.6, 6);
    }
    const { vectors } = await embed(answered([item(0, unit), item(1, unit)]), { dimensions: 1 });
    expect(plain(vectors)).toEqual([[1], [1]]);
  });

  test("vectors that were never of length 1 are cut and left alone", async () => {
    const { vectors } = await embed(answered([item(0, [3, 4, 5]), item(1, [0, 0, 7])]), { dimensions: 2 });
    expect(plain(vectors)).toEqual([
      [3, 4],
      [0, 0],
    ]);
  });

  test("shorter than asked: rejected, and the sentence has both lengths", async () => {
    const error = await expectFault(embed(answered([item(0, one), item(1, two)]), { dimensions: 3 }), "rejected");
    expect(error).toMatchObject({ reason: "Its vectors have 2 dimensions, which is less than 3.", param: "dimensions" });
  });
});

describe("an invalid answer is unreadable", () => {
  const wrong: [string, unknown][] = [
    ["too few vectors", [item(0, one)]],
    ["too many", [item(0, one), item(1, two), item(2, two)]],
    ["two for one input", [item(0, one), item(0, two)]],
    ["an index beyond", [item(0, one), item(2, two)]],
    ["an index that is a fraction", [item(0, one), item(0.5, two)]],
    ["an index that is text", [item(0, one), { index: "1", embedding: two }]],
    ["no vector", [item(0, one), item(1, undefined)]],
    ["an empty vector", [item(0, one), item(1, [])]],
    ["an empty text", [item(0, one), item(1, "")]],
    ["a null among numbers", [item(0, one), item(1, [1, null])]],
    ["numbers as text", [item(0, one), item(1, ["1", "2"])]],
    ["vectors of vectors", [item(0, one), item(1, [[1, 2]])]],
    ["lengths that differ", [item(0, one), item(1, [1, 2, 3])]],
    ["a number beyond float32", [item(0, one), item(1, [1, 1e39])]],
    ["base64 of odd bytes", [item(0, one), item(1, Buffer.from("12345").toString("base64"))]],
    ["text that is no base64", [item(0, one), item(1, "not base64 at all!")]],
    ["base64 of NaN", [item(0, one), item(1, base64([1, NaN]))]],
    ["no objects", [1, 2]],
    ["no list", { 0: item(0, one) }],
    ["nothing", undefined],
  ];
  test.each(wrong)("%s", async (_, data) => {
    await expectFault(embed(answered(data)), "unreadable");
  });

  test.each(["", "<html>busy</html>", "[]", '"text"', '{"data":'])("the body %j", async (body) => {
    await expectFault(embed(body), "unreadable");
  });

  test("an error under status 200 gets the fault of that error", async () => {
    await expectFault(embed('{"error":{"message":"busy","code":503}}'), "unavailable");
    await expectFault(embed('{"error":{"message":"too long","type":"invalid_request_error"}}'), "rejected");
  });
});

test("an abort while the answer is waited for is the caller's", async () => {
  const host = await startHost(() => undefined);
  const aborting = new AbortController();
  const answer = openaiEmbed(useUpstream())(call(host, { signal: aborting.signal }));
  aborting.abort(new Error("left"));
  await expect(answer).rejects.toThrow("left");
});
