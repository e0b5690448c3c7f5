// Rankings and errors as each host writes them (docs/behaviour/providers.md#rerank), in the one form that the gateway answers.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { rerank } from "../../../src/providers/rerank/rerank.ts";
import type { RerankCall, RerankWhole } from "../../../src/providers/verbs/without-output.ts";
import { expectFault, json } from "../openai/chat-fixture.ts";
import { type Answer, type Host, routeTo, startHost, useUpstream } from "../upstream-fixture.ts";

const fixture = (name: string) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), "utf8");

const call = (host: Host, change: Partial<RerankCall> = {}): RerankCall => ({
  route: routeTo(`${host.url}/v2`, { protocol: "rerank" }),
  signal: new AbortController().signal,
  requestId: "req_test",
  publicModel: "demo/rerank",
  body: '{"model":"upstream-model","query":"q","documents":["a","b","c"],"rank_fields":["x"]}',
  documents: 3,
  topN: null,
  ...change,
});

async function rank(answer: Answer | string, change: Partial<RerankCall> = {}): Promise<RerankWhole> {
  const host = await startHost(typeof answer === "string" ? json(200, answer) : answer);
  return rerank(useUpstream())(call(host, change));
}

const usageOf = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 });

test("POST /rerank below the base URL with the caller's bytes", async () => {
  const host = await startHost(json(200, fixture("cohere.json")));
  await rerank(useUpstream())(call(host));
  expect(host.requests).toMatchObject([{ method: "POST", url: "/v2/rerank", body: call(host).body }]);
  expect(host.requests[0]!.headers).toMatchObject({ authorization: "Bearer sk-demo-secret-0001", accept: "application/json" });
});

const openrouter = "https://openrouter.ai/docs/sdks/python/api-reference/operations/creatererankresponsebody";

/** What each fixture is written after, with our own documents in it. */
const hosts = [
  { name: "cohere", source: "https://docs.cohere.com/v2/reference/rerank", usage: null, shown: {} }, // bills searches
  { name: "cohere-v1", source: "https://docs.cohere.com/v1/reference/rerank", usage: usageOf(44), shown: {} },
  { name: "jina", source: "https://api.jina.ai/redoc", usage: usageOf(815), shown: { total_tokens: 815 } },
  { name: "voyage", source: "https://docs.voyageai.com/reference/reranker-api", usage: usageOf(26), shown: { total_tokens: 26 } },
  {
    ...{ name: "together", source: "https://docs.together.ai/docs/together-and-llamarank" },
    ...{ usage: usageOf(27), shown: { prompt_tokens: 27, completion_tokens: 0, total_tokens: 27 } },
  },
  { name: "openrouter", source: openrouter, usage: null, shown: { total_tokens: 150 } }, // bills searches
  { name: "openrouter-tokens", source: openrouter, usage: usageOf(150), shown: { total_tokens: 150 } },
  {
    name: "vllm",
    source: "https://github.com/vllm-project/vllm, entrypoints/openai/protocol.py: RerankResponse",
    usage: usageOf(56),
    shown: { total_tokens: 56 },
  },
  {
    ...{ name: "vllm-pooling", source: "https://github.com/vllm-project/vllm, entrypoints/pooling/score/protocol.py: RerankResponse" },
    ...{ usage: usageOf(56), shown: { prompt_tokens: 56, total_tokens: 56 } },
  },
  {
    ...{ name: "novita", source: "https://novita.ai/docs/api-reference/model-apis-llm-create-rerank" },
    ...{ usage: usageOf(31), shown: { prompt_tokens: 31, completion_tokens: 0, total_tokens: 31 } },
  },
];

describe("hosts", () => {
  test("each fixture has its source, and each source its fixture", () => {
    const folder = fileURLToPath(new URL("fixtures", import.meta.url));
    expect(hosts.map(({ name }) => `${name}.json`).sort()).toEqual(readdirSync(folder).sort());
    for (const { source } of hosts) expect(source).toMatch(/^https:\/\/\S+/);
  });

  test.each(hosts)("$name ($source): best first, every document once, tokens where the host bills them", async ({ name, usage, shown }) => {
    const whole = await rank(fixture(`${name}.json`));
    expect(whole.ranking.results.map(({ index }) => index)).toEqual([2, 0, 1]);
    expect(whole.ranking.model).toBe("demo/rerank");
    expect(whole).toMatchObject({ kind: "whole", usage });
    expect(whole.usageShown).toEqual(shown);
    for (const key of ["usage", "data", "provider"]) expect(whole.ranking).not.toHaveProperty(key);
  });

  test("what a host says beside its ranking stays: id, object, meta, documents as text or object, and unknown fields", async () => {
    expect((await rank(fixture("cohere.json"))).ranking).toMatchObject({
      id: "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
      meta: { api_version: { version: "2" } },
    });
    expect((await rank(fixture("together.json"))).ranking).toMatchObject({ id: "oGs6Zt9-62bZhn", object: "rerank" });
    expect((await rank(fixture("jina.json"))).ranking.results[0]!.document).toEqual({ text: "three" });
    expect((await rank(fixture("voyage.json"))).ranking.results[0]!.document).toBe("three");
    expect((await rank('{"results":[{"index":0,"relevance_score":1,"segment":4}],"took":3}')).ranking).toEqual({
      model: "demo/rerank",
      results: [{ index: 0, relevance_score: 1, segment: 4 }],
      took: 3,
      meta: {},
    });
  });

  test("what the gateway pays is removed, wherever a host reports it", async () => {
    const paid = '{"results":[{"index":0,"relevance_score":1}],"cost":1,"inference_status":{"cost":0.1,"runtime_ms":3}}';
    expect((await rank(paid)).ranking).toMatchObject({ inference_status: { runtime_ms: 3 } });
    expect(JSON.stringify((await rank(paid)).ranking)).not.toContain("cost");
  });

  test("a host that ignored top_n: the best of them", async () => {
    expect((await rank(fixture("vllm.json"), { topN: 2 })).ranking.results.map(({ index }) => index)).toEqual([2, 0]);
  });

  test("documents of one score stay in the host's order; scores may be negative", async () => {
    const results = [
      { index: 1, relevance_score: -3 },
      { index: 2, relevance_score: -0.5 },
      { index: 0, relevance_score: -3 },
    ];
    expect((await rank(JSON.stringify({ results }))).ranking.results.map(({ index }) => index)).toEqual([2, 1, 0]);
  });
});

describe("an invalid answer is unreadable", () => {
  const ranked = (...results: unknown[]) => JSON.stringify({ results });
  const first = { index: 0, relevance_score: 0.5 };
  test.each([
    ["no results", "{}"],
    ["an empty ranking", ranked()],
    ["results that are no list", '{"results":{}}'],
    ["an index beyond the documents", ranked(first, { index: 3, relevance_score: 0.1 })],
    ["an index below them", ranked(first, { index: -1, relevance_score: 0.1 })],
    ["half an index", ranked({ index: 0.5, relevance_score: 0.1 })],
    ["no index", ranked({ relevance_score: 0.1 })],
    ["one document twice", ranked(first, first)],
    ["no score", ranked({ index: 0 })],
    ["a score as text", ranked({ index: 0, relevance_score: "0.5" })],
    ["no object", ranked("a")],
    ["half a document", '{"results":['],
    ["a page", "<html>busy</html>"],
    ["nothing", ""],
  ])("%s", async (_, body) => {
    await expectFault(rank(body), "unreadable");
  });
});

describe("errors, in the words of each host", () => {
  test.each([
    ["cohere", 400, '{"id":"1","message":"too many documents"}', "too many documents"],
    ["cohere", 422, '{"message":"invalid type: parameter top_n"}', "invalid type: parameter top_n"],
    ["jina", 422, '{"detail":"Field documents: too long"}', "Field documents: too long"],
    [
      "jina, as FastAPI has it",
      422,
      '{"detail":[{"loc":["body","top_n"],"msg":"not an integer","type":"x"}]}',
      "body.top_n: not an integer",
    ],
    ["voyage", 400, '{"detail":"Argument \'top_n\' is not supported"}', "Argument 'top_n' is not supported"],
    [
      "together",
      400,
      '{"id":"1","error":{"message":"no such field","type":"invalid_request_error","param":"rank_fields"}}',
      "no such field",
    ],
    ["openrouter", 400, '{"error":{"code":400,"message":"bad documents"}}', "bad documents"],
    ["vllm", 400, '{"error":{"message":"longer than 512","type":"BadRequestError","param":null,"code":400}}', "longer than 512"],
    ["older vllm", 400, '{"object":"error","message":"longer than 512","type":"BadRequestError","code":400}', "longer than 512"],
    ["any, too large", 413, '{"message":"too large"}', "too large"],
    ["any, of another type", 415, '{"message":"send JSON"}', "send JSON"],
  ])("%s, %i: rejected with its sentence", async (_, status, body, reason) => {
    expect(await expectFault(rank(json(status, body)), "rejected")).toMatchObject({ reason, status });
  });

  test.each([
    [401, '{"message":"invalid api token"}', "our_fault"],
    [402, '{"detail":"payment required"}', "our_fault"],
    [403, '{"detail":"forbidden"}', "our_fault"],
    [404, '{"message":"model not found"}', "gone"],
    [405, "{}", "our_fault"],
    [429, '{"message":"trial key limit"}', "rate_limited"],
    [500, '{"message":"internal"}', "unavailable"],
    [503, "<html>busy</html>", "unavailable"],
  ] as const)("%i %s: %s", async (status, body, fault) => {
    await expectFault(rank(json(status, body)), fault);
  });
});
