// POST /v1/embeddings: vectors in input order and in the encoding that was asked for, whatever the upstream writes; billed on input alone.
import { describe, expect, test } from "vitest";
import { inputSize } from "../../src/language/input-size.ts";
import type { TestAccount } from "../support/gateway.ts";
import { highTiers } from "../support/tiers.ts";
import { chatWorld, language } from "./chat-gateway.ts";

const providers = ["north", "south", "west"];
/** USD per million tokens. */
const price = 0.13;

const embedding = (id: string, routes: string[], more: object = {}) => ({
  id,
  type: "embedding",
  context_window: 8192,
  pricing: { mode: "per-token", input: price },
  routes: routes.map((model, index) => ({ provider: providers[index], model })),
  ...more,
});

const faults = ["fail-503", "429", "401", "402", "403", "404", "408", "quota", "html", "empty", "bad-json", "200-error", "reset", "refuse"];
const unreadable = ["html", "empty", "bad-json"];
const world = chatWorld(
  [
    embedding("demo/embed", ["embed"]),
    embedding("demo/measured", ["embed+sim-prompt-tokens-7"]),
    embedding("demo/doubled", ["embed+sim-prompt-tokens-500"]),
    embedding("demo/unmeasured", ["embed+sim-no-usage"]),
    embedding("demo/float-only", ["embed+sim-float-only"]),
    embedding("demo/unordered", ["embed+sim-unordered"]),
    embedding("demo/full-width", ["embed+sim-ignore-dimensions"]),
    embedding("demo/one-width", ["embed"], { supported_parameters: ["encoding_format"] }),
    embedding("demo/free", ["embed"], { pricing: { mode: "per-token", input: 0.02 } }),
    embedding("demo/fee", ["embed"], { pricing: { mode: "per-token", input: 1, per_request: 0.01 } }),
    ...faults.map((fault) => embedding(`fault/${fault}`, [`embed+sim-${fault}`, "embed-second"])),
    ...["fail-500", "429", "402", "reset"].map((fault) => embedding(`down/${fault}`, [`down+sim-${fault}`])),
    ...unreadable.map((fault) => embedding(`unreadable/${fault}`, [`unreadable+sim-${fault}`])),
    embedding("demo/gone", ["gone+sim-404"]),
    embedding("demo/refused", ["refused1+sim-refuse", "refused2+sim-refuse-403"]),
    ...[400, 413, 422].map((status) => embedding(`reject/${status}`, [`reject+sim-reject-${status}`, "never-asked"])),
    embedding("demo/other", ["other+sim-fail-503"], { fallbacks: ["demo/cheap"] }),
    embedding("demo/other-cut", ["other-cut+sim-fail-503"], { fallbacks: ["demo/one-width", "demo/cheap"] }),
    embedding("demo/cheap", ["cheap"], { pricing: { mode: "per-token", input: 0.12 } }),
    embedding("demo/reduced", ["reduced+sim-fail-503"], {
      routes: [
        { provider: "north", model: "reduced+sim-fail-503" },
        { provider: "west", model: "small-copy", reduced_precision: "fp8" },
      ],
    }),
    language("demo/chat", ["chat"]),
    { id: "demo/rerank", type: "reranking", pricing: { mode: "per-token", input: 1 }, routes: [{ provider: "ranks", model: "rerank" }] },
  ],
  {
    providers: [
      ...providers.map((id) => ({ id, protocol: "openai", base_url: "simulator:/v1" })),
      { id: "ranks", protocol: "rerank", base_url: "simulator:/rerank" },
    ],
    tiers: highTiers(),
    aliases: { embed: "demo/embed" },
  },
);

const embed = (account: TestAccount, body: object) =>
  world.gateway.request("POST", "/v1/embeddings", { key: account.key, body: { model: "demo/embed", input: "lighthouse", ...body } });

/** Asks, expects the error, and that no cent moved. */
async function refused(body: object, status: number, code: string, account?: TestAccount) {
  const asking = account ?? (await world.account());
  const before = await world.gateway.balance(asking);
  const reply = await embed(asking, body);
  expect([reply.status, reply.json.error.code]).toEqual([status, code]);
  expect(reply.headers["x-should-retry"]).toBe(String(reply.json.error.retryable));
  expect(await world.gateway.balance(asking)).toEqual(before);
  return reply;
}

/** Rounded up once to 8 decimals. */
const costOf = (tokens: number, perMillion = price) => Math.ceil((tokens * Math.round(perMillion * 1e6)) / 1e4) / 1e8;
const floatsOf = (text: string) => {
  const bytes = Buffer.from(text, "base64");
  return [...new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))];
};

describe("200", () => {
  test("one vector an input, in input order, and exactly what the measured tokens cost", async () => {
    const account = await world.account();
    const reply = await embed(account, { input: ["lighthouse", "harbour"], user: "u-1", priority: 3 });
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
    expect(world.sent()).toEqual([{ model: "embed", input: ["lighthouse", "harbour"], user: "u-1", priority: 3 }]);
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

describe("400 invalid_parameter", () => {
  test.each([
    [{ input: "" }, "input"],
    [{ input: [] }, "input"],
    [{ input: ["a", ""] }, "input[1]"],
    [{ input: [1, 2, 3] }, "input[0]"],
    [{ input: [[1, 2, 3]] }, "input[0]"],
    [{ input: ["a", 5] }, "input[1]"],
    [{ input: null }, "input"],
    [{ input: 5 }, "input"],
    [{ input: { text: "a" } }, "input"],
    [{ encoding_format: "hex" }, "encoding_format"],
    [{ dimensions: 0 }, "dimensions"],
    [{ dimensions: 1.5 }, "dimensions"],
    [{ dimensions: "256" }, "dimensions"],
    [{ model: "demo/one-width", dimensions: 256 }, "dimensions"],
  ])("%j", async (body, param) => {
    const { json } = await refused(body, 400, "invalid_parameter");
    expect(json.error.param).toBe(param);
    expect(world.sent()).toEqual([]);
  });

  test("2049 texts: the message names the most", async () => {
    const { json } = await refused({ input: Array.from({ length: 2049 }, () => "a") }, 400, "invalid_parameter");
    expect(json.error).toMatchObject({ param: "input", message: expect.stringContaining("2048") });
  });

  test("token arrays: the message says what is taken", async () => {
    const { json } = await refused({ input: [[1, 2]] }, 400, "invalid_parameter");
    expect(json.error.message).toBe("input[0] is not valid: it must be a string.");
  });
});

describe("400", () => {
  test("missing_parameter: no input", async () => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", "/v1/embeddings", { key: account.key, body: { model: "demo/embed" } });
    expect([reply.status, reply.json.error.code, reply.json.error.param]).toEqual([400, "missing_parameter", "input"]);
  });

  test.each([
    ["demo/chat", "/v1/chat/completions"],
    ["demo/rerank", "/v1/rerank"],
  ])("wrong_endpoint: %s is served by %s", async (model, path) => {
    const { json } = await refused({ model }, 400, "wrong_endpoint");
    expect(json.error.message).toContain(path);
  });

  test.each([400, 413, 422])(
    "request_rejected, whatever status the upstream gave (%i), in its words; no other route is asked",
    async (status) => {
      const { json } = await refused({ model: `reject/${status}` }, 400, "request_rejected");
      expect(json.error.message).toContain("does not support this value with this model");
      expect(world.sent()).toHaveLength(1);
    },
  );

  test("request_rejected: every route refused the content", async () => {
    const reply = await refused({ model: "demo/refused" }, 400, "request_rejected");
    expect(reply.json.error.retryable).toBe(false);
    expect(world.sent()).toHaveLength(2);
    expect(await world.logOf(reply)).toMatchObject({ status: "failed", http_status: 400, error_code: "request_rejected", cost: 0n });
  });

  test("request_rejected: vectors longer than the model makes", async () => {
    const { json } = await refused({ model: "demo/full-width", dimensions: 4000 }, 400, "request_rejected");
    expect(json.error).toMatchObject({ param: "dimensions", message: expect.stringContaining("1536 dimensions") });
  });
});

describe("402", () => {
  test("model_requires_paid: refused before anything is charged", async () => {
    const account = await world.account({ signupCredit: true });
    const { json } = await refused({}, 402, "model_requires_paid", account);
    expect(json).toMatchObject({ have_usd: 0.5, details: { model: "demo/embed" } });
    expect(world.sent()).toEqual([]);
  });

  test("insufficient_credits: the balance doesn't cover the bound; nothing is said of a max_tokens, as there is none", async () => {
    const input = "harbour ".repeat(100);
    const bound = Math.ceil((inputSize([input]).tokensMax * price * 1e6) / 1e4) / 1e8;
    const account = await world.account({ deposit: (bound - 0.00000001).toFixed(8) });
    const { json } = await refused({ input }, 402, "insufficient_credits", account);
    expect(json).toMatchObject({ need_usd: bound, required: bound, details: { model: "demo/embed", tier: 0 } });
    expect(json.details).not.toHaveProperty("affordable_max_tokens");
    expect(json.error.message).not.toContain("max_tokens");
    expect(world.sent()).toEqual([]);
    const enough = await world.account({ deposit: bound.toFixed(8) });
    expect((await embed(enough, { input })).status).toBe(200);
  });

  test("key_limit_reached: the key's own budget doesn't", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 1 where account_id = $1", [account.accountId]);
    await refused({ input: "harbour ".repeat(100) }, 402, "key_limit_reached", account);
  });
});

describe("404 model_not_found", () => {
  test("names the nearest", async () => {
    const { json } = await refused({ model: "demo/embd" }, 404, "model_not_found");
    expect(json.did_you_mean).toBe("demo/embed");
    expect(json.suggested_models).toEqual(expect.any(Array));
  });
});

describe("502 and 503", () => {
  test.each(unreadable)("502 upstream_invalid_response: sim-%s", async (fault) => {
    await refused({ model: `unreadable/${fault}` }, 502, "upstream_invalid_response");
  });

  test("503 model_unavailable: each route said 404", async () => {
    await refused({ model: "demo/gone" }, 503, "model_unavailable");
  });

  test.each(["fail-500", "429", "402", "reset"])("503 provider_unavailable: sim-%s on the only route", async (fault) => {
    const { headers } = await refused({ model: `down/${fault}` }, 503, "provider_unavailable");
    expect(headers["retry-after"]).toBe("5");
  });
});
