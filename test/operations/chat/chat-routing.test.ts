// What a request says of its routes (`routing`): which may serve it, in which order and up to which price.
import { describe, expect, test } from "vitest";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

const three = (name: string, directives = "") => [`${name}-a${directives}`, `${name}-b`, `${name}-c`];
const world = chatWorld(
  [
    language("demo/plain", three("plain")),
    language("demo/down", three("down", "+sim-fail-503")),
    language("demo/shared", [{ model: "shared-a", weight: 1 }, { model: "shared-b", weight: 1 }, "shared-c"]),
    language("demo/own-label", ["label-a", { model: "label-b", label: "special" }]),
    language("demo/behind", ["behind-a+sim-fail-503"], { fallbacks: ["demo/dear", "demo/plain"] }),
    language("demo/dear", ["dear-a", "dear-b"], { pricing: { mode: "per-token", input: 3, output: 15 } }),
    language("demo/long", ["long-a"], {
      pricing: { mode: "per-token", input: 1, output: 2, long_context: { above: 20, input: 4, output: 8 } },
    }),
    language("demo/unnamed", [{ provider: "bare", model: "unnamed-a" }]),
    language("demo/native", [
      { provider: "north", model: "native-a" },
      { provider: "east", model: "native-b" },
    ]),
    {
      ...language("demo/rank", []),
      routes: [
        { provider: "ranker", model: "rank-a" },
        { provider: "ranker", model: "rank-b", label: "green" },
      ],
      type: "reranking",
      context_window: 8192,
      max_output_tokens: undefined,
      pricing: { mode: "per-token", input: 0.1 },
    },
    {
      ...language("jev", three("jev")),
      type: "decisions",
      max_output_tokens: undefined,
      pricing: { mode: "per-token", input: 0.1 },
    },
    {
      ...language("demo/embed", three("embed")),
      type: "embedding",
      context_window: 8192,
      max_output_tokens: undefined,
      pricing: { mode: "per-token", input: 0.1 },
    },
  ],
  {
    providers: [
      provider("north", { label: "blue" }),
      provider("south", { label: "green" }),
      provider("west"),
      provider("bare"),
      provider("ranker", { protocol: "rerank", base_url: "simulator:/rerank" }),
      { id: "east", label: "green", protocol: "anthropic", base_url: "simulator:/anthropic/v1" },
    ],
  },
);
const models = () => world.sent().map(({ model }) => model);
const ask = async (model: string, routing: unknown, account?: TestAccount) =>
  world.chat(account ?? (await world.account()), { model, routing });

async function expectRefused(reply: TestReply, account: TestAccount, param: string, says: RegExp): Promise<void> {
  expect(reply.status, reply.text).toBe(400);
  expect(reply.json.error).toMatchObject({ code: "invalid_parameter", param });
  expect(reply.json.error.message).toMatch(says);
  expect(models()).toEqual([]);
  expect(await world.logOf(reply)).toBeUndefined();
  await world.expectUntouched(account);
}

describe("order", () => {
  test("the named route is asked first, is no fallback, and the provider gets no such field", async () => {
    const reply = await ask("demo/plain", { order: ["green"] });
    expect([reply.status, reply.headers["x-svc-fallback"]]).toEqual([200, undefined]);
    expect(models()).toEqual(["plain-b"]);
    expect(world.sent()[0]).not.toHaveProperty("routing");
    expect(reply.text).not.toMatch(/green|south/);
  });

  test("the others follow in their order; a name that no route has changes nothing", async () => {
    const reply = await ask("demo/down", { order: ["nowhere", "blue"] });
    expect([models(), reply.headers["x-svc-fallback-layer"]]).toEqual([["down-a+sim-fail-503", "down-b"], "1"]);
  });

  test("a request's order comes before weights", async () => {
    for (let turn = 0; turn < 6; turn++) await world.chat(await world.account(), { model: "demo/shared", routing: { order: ["green"] } });
    expect(new Set(models())).toEqual(new Set(["shared-b"]));
  });

  test("a route's own label is the one that counts", async () => {
    await ask("demo/own-label", { order: ["special"] });
    expect(models()).toEqual(["label-b"]);
  });
});

describe("only and ignore", () => {
  test("only: no other route is tried, also where the named one fails", async () => {
    const reply = await ask("demo/down", { only: ["blue"] });
    expect([reply.status, reply.json.error?.code]).toEqual([503, "provider_unavailable"]);
    expect(models()).toEqual(["down-a+sim-fail-503"]);
  });

  test("ignore: the named routes are not tried; those without a label are", async () => {
    const reply = await ask("demo/plain", { ignore: ["blue", "green"] });
    expect([models(), reply.headers["x-svc-fallback"]]).toEqual([["plain-c"], undefined]);
  });

  test("they hold for fallback models too", async () => {
    const reply = await ask("demo/behind", { only: ["blue"], max_price: { prompt: 1 } });
    expect(models()).toEqual(["behind-a+sim-fail-503", "plain-a"]);
    expect(reply.headers["x-svc-served-model"]).toBe("demo/plain");
  });

  test.each([
    [{ only: ["nowhere"] }, "routing.only", /labelled blue, green/],
    [{ only: ["blue"], ignore: ["blue"] }, "routing.ignore", /no route of demo\/plain is left/],
  ])("%j leaves none: 400 that names the field, nothing is asked or charged", async (routing, param, says) => {
    const account = await world.account();
    await expectRefused(await ask("demo/plain", routing, account), account, param, says);
  });

  test("a model without labels says so, and no provider's id works as a name", async () => {
    const account = await world.account();
    const reply = await ask("demo/unnamed", { only: ["bare"] }, account);
    await expectRefused(reply, account, "routing.only", /none of its routes has a label/);
  });
});

describe("max_price", () => {
  test.each([
    ["demo/plain", { prompt: 0.49 }, "routing.max_price.prompt", /costs 0\.5 USD per million/],
    ["demo/plain", { prompt: 0.5, completion: 1.49 }, "routing.max_price.completion", /costs 1\.5 USD per million/],
    ["demo/long", { prompt: 1 }, "routing.max_price.prompt", /costs 4 USD per million/],
  ])("%s for at most %j: 400 that names the field and the price", async (model, max_price, param, says) => {
    const account = await world.account();
    const messages = [{ role: "user", content: "word ".repeat(40) }];
    await expectRefused(await world.chat(account, { model, messages, routing: { max_price } }), account, param, says);
  });

  test("a price at the limit passes", async () => {
    expect((await ask("demo/plain", { max_price: { prompt: 0.5, completion: 1.5 } })).status).toBe(200);
  });

  test("a fallback model above it is not tried", async () => {
    const reply = await ask("demo/behind", { max_price: { completion: 2 } });
    expect(models()).toEqual(["behind-a+sim-fail-503", "plain-a"]);
    expect(reply.headers["x-svc-served-model"]).toBe("demo/plain");
  });
});

test.each([
  [{ prefer: "blue" }, "routing.prefer"],
  [{ only: [] }, "routing.only"],
  [{ only: ["Blue"] }, "routing.only[0]"],
  [{ max_price: { input: 1 } }, "routing.max_price.input"],
])("%j: 400, whatever is not in the contract", async (routing, param) => {
  const reply = await ask("demo/plain", routing);
  expect([reply.status, reply.json.error?.code, reply.json.error?.param]).toEqual([400, "invalid_parameter", param]);
  expect(models()).toEqual([]);
});

test("null is no wish, and reaches no provider", async () => {
  await ask("demo/plain", null);
  expect(models()).toEqual(["plain-a"]);
  expect(world.sent()[0]).not.toHaveProperty("routing");
});

test.each([
  ["/v1/responses", "demo/plain", { input: "Hello" }, "plain-b"],
  ["/v1/completions", "demo/plain", { prompt: "Hello" }, "plain-b"],
  ["/v1/embeddings", "demo/embed", { input: "Hello" }, "embed-b"],
  ["/v1/rerank", "demo/rank", { query: "Hello", documents: ["One", "Two"] }, "rank-b"],
  [
    "/v1/decisions",
    "jev",
    { state: "Hello", questions: { a: { type: "choice", instructions: null, criteria: { yes: null, no: null } } } },
    "jev-b",
  ],
  ["/v1/messages", "demo/plain", { max_tokens: 20, messages: hello }, "plain-b"],
  ["/v1/messages", "demo/native", { max_tokens: 20, messages: hello }, "native-b"],
])("%s takes it too", async (path, model, body, served) => {
  const { key } = await world.account();
  const reply = await world.gateway.request("POST", path, { key, body: { model, ...body, routing: { only: ["green"] } } });
  expect(reply.status, reply.text).toBe(200);
  expect([...new Set(models())]).toEqual([served]);
  expect(JSON.stringify(world.sent())).not.toContain("routing");
  const refused = await world.gateway.request("POST", path, { key, body: { model, ...body, routing: { only: ["nowhere"] } } });
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("routing.only")]);
});

test("a quote shows the routes that the request allows", async () => {
  const { key } = await world.account();
  const body = { model: "demo/plain", messages: hello, routing: { ignore: ["blue"] } };
  const reply = await world.gateway.request("POST", "/v1/quote", { key, body: { operation: "createChatCompletion", body } });
  expect(reply.json.routes).toMatchObject([{ layer: 0 }, { layer: 1 }]);
});
