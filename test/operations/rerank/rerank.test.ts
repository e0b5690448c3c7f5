// POST /v1/rerank: the model's own ranking under our name and at our price, whichever host made it; errors in the older format.
import { describe, expect, test, vi } from "vitest";
import { setSuspended } from "../../../src/accounts/admin.ts";
import { rankingSize } from "../../../src/language/prompt-size.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { highTiers } from "../../support/tiers.ts";
import { chatWorld, language } from "../chat/chat-gateway.ts";

const providers = ["north", "south"];
/** USD per million tokens. */
const price = 0.12;

const ranker = (id: string, routes: string[], more: object = {}) => ({
  id,
  type: "reranking",
  context_window: 32_768,
  pricing: { mode: "per-token", input: price },
  routes: routes.map((model, index) => ({ provider: providers[index], model })),
  ...more,
});

const hosts = ["jina", "cohere", "voyage", "together", "openrouter", "vllm"];
const hostDirective = (host: string) => (host === "jina" ? "" : `+sim-${host}`);
const faults = ["fail-503", "429", "401", "402", "403", "404", "quota", "html", "empty", "bad-json", "reset", "refuse"];
const world = chatWorld(
  [
    ...hosts.map((host) => ranker(`host/${host}`, [`rank${hostDirective(host)}`])),
    ...hosts.map((host) => ranker(`unordered/${host}`, [`rank+sim-unordered${hostDirective(host)}`])),
    ...hosts.map((host) => ranker(`reject/${host}`, [`rank+sim-reject-422${hostDirective(host)}`, "never-asked"])),
    ...[400, 413, 415, 422].map((status) => ranker(`reject/${status}`, [`rank+sim-reject-${status}`, "never-asked"])),
    ranker("demo/measured", ["rank+sim-prompt-tokens-7"]),
    ranker("demo/unmeasured", ["rank+sim-no-usage"]),
    ranker("demo/free", ["rank"], { pricing: { mode: "per-token", input: 0.05 } }),
    ...faults.map((fault) => ranker(`fault/${fault}`, [`rank+sim-${fault}`, "rank-second"])),
    ...["fail-500", "429", "401", "402", "403", "reset"].map((fault) => ranker(`down/${fault}`, [`down+sim-${fault}`])),
    ...["html", "empty", "bad-json"].map((fault) => ranker(`unreadable/${fault}`, [`unreadable+sim-${fault}`])),
    ranker("demo/gone", ["gone+sim-404"]),
    ranker("demo/refused", ["refused+sim-refuse"]),
    ranker("demo/other", ["other+sim-fail-503"], { fallbacks: ["demo/free"] }),
    language("demo/chat", [{ provider: "west", model: "chat" }]),
  ],
  {
    providers: [
      ...providers.map((id) => ({ id, protocol: "rerank", base_url: "simulator:/rerank" })),
      { id: "west", protocol: "openai", base_url: "simulator:/v1" },
    ],
    tiers: highTiers(),
    aliases: { rerank: "host/jina" },
  },
);

const query = "Who keeps the light?";
const documents = ["The harbour opens at six.", "He who keeps the light lived in the tower.", "The light went out."];

const rank = (account: TestAccount, body: object) =>
  world.gateway.request("POST", "/v1/rerank", { key: account.key, body: { model: "host/jina", query, documents, ...body } });

/** Sends the request, expects the older format and nothing else, and that nothing was charged. */
async function refused(body: object, status: number, type: string, account?: TestAccount): Promise<TestReply> {
  const asking = account ?? (await world.account());
  const before = await world.gateway.balance(asking);
  const reply = await rank(asking, body);
  expect([reply.status, reply.json.error.type]).toEqual([status, type]);
  expect(reply.json.error).toMatchObject({ message: expect.any(String), request_id: reply.headers["x-request-id"] });
  if (status !== 402) expect(reply.json.error).not.toHaveProperty("code");
  expect(await world.gateway.balance(asking)).toEqual(before);
  return reply;
}

const costOf = (tokens: number, perMillion = price) => Math.ceil((tokens * Math.round(perMillion * 1e6)) / 1e4) / 1e8;
const boundOf = (asked: string, texts: string[]) => Math.ceil((rankingSize(asked, texts).tokensMax * price * 1e6) / 1e4);

describe("200", () => {
  test.each(hosts)("%s: best first, our model id, our cost, and nothing of what the gateway pays", async (host) => {
    const account = await world.account();
    const reply = await rank(account, { model: `host/${host}` });
    expect(reply.status).toBe(200);
    const { results, usage, model } = reply.json;
    expect(model).toBe(`host/${host}`);
    expect(results.map(({ index }: any) => index)).toEqual([1, 2, 0]);
    expect(usage.cost).toBe(costOf(usage.prompt_tokens));
    expect(usage.total_tokens).toBeGreaterThanOrEqual(usage.prompt_tokens);
    for (const key of ["search_units", "cost_details"]) expect(usage).not.toHaveProperty(key);
    expect(reply.json).not.toHaveProperty("provider");
    expect(reply.json).not.toHaveProperty("data");
    expect(await world.gateway.balance(account)).toEqual({ balance: 20 - usage.cost, reserved: 0, spent: usage.cost });
    expect(reply.headers).toMatchObject({ "x-svc-model": `host/${host}`, "x-ratelimit-limit-requests": expect.any(String) });
    for (const header of ["x-svc-alias", "x-svc-fallback"]) expect(reply.headers).not.toHaveProperty(header);
    expect(await world.logOf(reply)).toMatchObject({
      operation: "createRerank",
      model_type: "reranking",
      status: "success",
      output_tokens: 0n,
    });
  });

  test.each(hosts)("%s in another order: sorted anyway", async (host) => {
    const { json } = await rank(await world.account(), { model: `unordered/${host}` });
    const scores = json.results.map((result: any) => result.relevance_score);
    expect(scores).toEqual(scores.toSorted((one: number, other: number) => other - one));
  });

  test("the request goes out as it was sent, with the route's model in place of ours", async () => {
    await rank(await world.account(), { model: "host/together", top_n: 2, max_tokens_per_doc: 512, rank_fields: ["text"] });
    expect(world.sent()).toEqual([
      { model: "rank+sim-together", query, documents, top_n: 2, max_tokens_per_doc: 512, rank_fields: ["text"] },
    ]);
  });

  test.each(hosts)("%s: top_n and return_documents", async (host) => {
    const { json } = await rank(await world.account(), { model: `host/${host}`, top_n: 2, return_documents: true });
    expect(json.results).toHaveLength(2);
    expect(json.results[0].document.text ?? json.results[0].document).toBe(documents[1]);
  });

  test("tokens that the host measured are what is charged", async () => {
    const { json } = await rank(await world.account(), { model: "demo/measured" });
    expect(json.usage).toEqual({ prompt_tokens: 7, total_tokens: 7, cost: costOf(7) });
  });

  test.each(["host/cohere", "host/openrouter", "demo/unmeasured"])(
    "%s, which measures no tokens: the tokenizer's count of the query, once, and of every document",
    async (model) => {
      const reply = await rank(await world.account(), { model, query: "Hello", documents: ["Hello", "Hello Hello"] });
      expect(reply.json.usage).toMatchObject({ prompt_tokens: 4, cost: costOf(4) });
      expect(await world.logOf(reply)).toMatchObject({ estimated: true, input_tokens: 4n });
    },
  );

  test("reserved is what a host can bill at most: the query with every document", async () => {
    const reply = await rank(await world.account(), { documents: Array.from({ length: 50 }, (_, index) => `document ${index}`) });
    const { reserved, cost } = (await world.logOf(reply))!;
    const bytes = 50 * query.length + 50 * "document ".length + 10 + 40 * 2;
    expect(reserved).toBe(BigInt(Math.ceil(((bytes + 100 * 8) * price * 1e6) / 1e4)));
    expect(cost).toBeLessThan(reserved);
  });

  test("an alias: x-svc-alias, and the body names the model", async () => {
    const reply = await rank(await world.account(), { model: "rerank" });
    expect(reply.headers).toMatchObject({ "x-svc-model": "host/jina", "x-svc-alias": "rerank" });
    expect(reply.json.model).toBe("host/jina");
  });

  test("an account that never paid: models of the free tier", async () => {
    expect((await rank(await world.account({ signupCredit: true }), { model: "demo/free" })).status).toBe(200);
  });
});

describe("200 by another route", () => {
  test.each(faults)("sim-%s on the first: the second answers, layer 1", async (fault) => {
    const reply = await rank(await world.account(), { model: `fault/${fault}` });
    expect(reply.status).toBe(200);
    expect(reply.headers).toMatchObject({ "x-svc-fallback": "true", "x-svc-fallback-layer": "1" });
  });

  test("layer 3: another model, at its price", async () => {
    const reply = await rank(await world.account(), { model: "demo/other" });
    expect(reply.headers).toMatchObject({ "x-svc-model": "demo/other", "x-svc-fallback-layer": "3", "x-svc-served-model": "demo/free" });
    expect(reply.json.usage.cost).toBe(costOf(reply.json.usage.prompt_tokens, 0.05));
    expect(reply.json.model).toBe("demo/other");
  });
});

describe("400 invalid_request", () => {
  test.each([
    [{ query: undefined }, "query is required"],
    [{ query: "" }, "query"],
    [{ query: 5 }, "query"],
    [{ documents: undefined }, "documents is required"],
    [{ documents: [] }, "documents"],
    [{ documents: "one" }, "documents"],
    [{ documents: [{ text: "one" }] }, "documents[0]"],
    [{ top_n: 0 }, "top_n"],
    [{ top_n: "2" }, "top_n"],
    [{ return_documents: "yes" }, "return_documents"],
    [{ model: "demo/chat" }, "/v1/chat/completions"],
  ])("%j", async (body, expected) => {
    const { json } = await refused(body, 400, "invalid_request");
    expect(json.error.message).toContain(expected);
    expect(world.sent()).toEqual([]);
  });

  test("broken JSON", async () => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", "/v1/rerank", { key: account.key, body: "{" });
    expect([reply.status, reply.json.error.type]).toEqual([400, "invalid_request"]);
  });

  test("a model's rejection keeps its status, and no other route is asked", async () => {
    for (const status of [400, 413, 415, 422]) {
      await refused({ model: `reject/${status}` }, status, "invalid_request");
      expect(world.sent()).toHaveLength(1);
      world.gateway.simulator.reset();
    }
  });

  test.each(hosts)("%s: its own sentence is shown", async (host) => {
    const { json } = await refused({ model: `reject/${host}` }, 422, "invalid_request");
    expect(json.error.message).toContain("does not support this value with this model");
  });
});

describe("401", () => {
  test("auth_required without a key, invalid_credentials with a wrong one", async () => {
    const { gateway } = world;
    const none = await gateway.request("POST", "/v1/rerank", { body: {} });
    expect([none.status, none.json.error.type]).toEqual([401, "auth_required"]);
    const wrong = await gateway.request("POST", "/v1/rerank", { key: "svc_wrong", body: {} });
    expect([wrong.status, wrong.json.error.type]).toEqual([401, "invalid_credentials"]);
  });
});

describe("402", () => {
  test("insufficient_credits: refused before the call where the balance doesn't cover the bound; type and code say it", async () => {
    const bound = boundOf(query, documents) / 1e8;
    const account = await world.account({ deposit: (bound - 0.00000001).toFixed(8) });
    const { json } = await refused({}, 402, "insufficient_credits", account);
    expect(json.error.code).toBe("insufficient_credits");
    expect(json).toMatchObject({ need_usd: bound, required: bound, details: { model: "host/jina" }, topup_url: expect.any(String) });
    expect(world.sent()).toEqual([]);
    expect((await rank(await world.account({ deposit: bound.toFixed(8) }), {})).status).toBe(200);
  });

  test("key_limit_reached: the key's own budget doesn't", async () => {
    const account = await world.account();
    await world.gateway.context.db.pool.query("update key_budget set limit_amount = 1 where account_id = $1", [account.accountId]);
    const { json } = await refused({}, 402, "key_limit_reached", account);
    expect(json.error.code).toBe("key_limit_reached");
  });

  test("model_requires_paid: refused before anything is charged", async () => {
    const { json } = await refused({}, 402, "model_requires_paid", await world.account({ signupCredit: true }));
    expect(json.error.code).toBe("model_requires_paid");
    expect(world.sent()).toEqual([]);
  });
});

describe("403, 404, 405, 413", () => {
  test("403 forbidden: a suspended account, and a session", async () => {
    const account = await world.account();
    const { token } = await world.gateway.createSession(account);
    await refused({}, 403, "forbidden", { ...account, key: token });
    await setSuspended(world.gateway.context.db, account.accountId, new Date());
    await refused({}, 403, "forbidden", account);
  });

  test("404 model_not_found names the nearest", async () => {
    const { json } = await refused({ model: "host/jna" }, 404, "model_not_found");
    expect(json.did_you_mean).toBe("host/jina");
  });

  test("405 invalid_request", async () => {
    const reply = await world.gateway.request("GET", "/v1/rerank", { key: (await world.account()).key, unchecked: true });
    expect([reply.status, reply.json.error.type]).toEqual([405, "invalid_request"]);
  });

  test("413 invalid_request: more than 25 MB", async () => {
    await refused({ filler: "x".repeat(25 * 1024 * 1024) }, 413, "invalid_request");
  });
});

describe("500 and 502 server_error", () => {
  test("500: without detail", async () => {
    const account = await world.account();
    const query = vi.spyOn(world.gateway.context.db.pool, "query").mockRejectedValue(new Error("broken") as never);
    const reply = await rank(account, {}).finally(() => query.mockRestore());
    expect([reply.status, reply.json.error.type]).toEqual([500, "server_error"]);
    expect(reply.text).not.toMatch(/broken|\.ts/);
  });

  test.each(["html", "empty", "bad-json"])("502: sim-%s", async (fault) => {
    await refused({ model: `unreadable/${fault}` }, 502, "server_error");
  });
});

describe("503 server_error", () => {
  test.each(["fail-500", "429", "401", "402", "403", "reset"])("sim-%s of the only route: retry in 5 s", async (fault) => {
    const { headers, text } = await refused({ model: `down/${fault}` }, 503, "server_error");
    expect(headers).toMatchObject({ "retry-after": "5", "x-should-retry": "true" });
    expect(text).not.toMatch(/api key|balance|rate limit/i);
  });

  test.each(["demo/gone", "demo/refused"])("%s: not to be sent again", async (model) => {
    const { headers } = await refused({ model }, 503, "server_error");
    expect(headers["x-should-retry"]).toBe("false");
  });
});
