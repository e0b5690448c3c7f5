// Kept answers: the same request gets the same answer without a provider, at the model's price for it, exactly charged.
import { describe, expect, test } from "vitest";
import { connect } from "../../../src/db/connect.ts";
import { sweepKept } from "../../../src/ledger/kept-answers.ts";
import { scrape } from "../../telemetry/scrape.ts";
import { chatWorld, hello, language, provider, recordsOf, textOf } from "./chat-gateway.ts";

const directives = "sim-prompt-tokens-1000+sim-completion-tokens-50";
const token = { mode: "per-token", input: 2, output: 10 };
const cached = { pricing: { ...token, response_cache: 0.1 } };
/** 1,000 input and 50 output tokens are 2,500 millionths of a USD; kept, a tenth. */
const [full, tenth] = [0.0025, 0.00025];
const other = (type: string, route: object) => {
  const pricing = { mode: "per-token", input: 2, response_cache: 0.1 };
  return { id: `kept/${type}`, type, context_window: 32_768, pricing, routes: [route] };
};
const world = chatWorld(
  [
    language("kept/chat", [`chat+${directives}`], cached),
    language("kept/free", [`chat+${directives}`], { pricing: { ...token, response_cache: 0 } }),
    language("kept/over", [`chat+${directives}`], { ...cached, context_window: 500, max_output_tokens: 100 }),
    language("kept/not", [`chat+${directives}`], { pricing: token }),
    language("kept/uncounted", ["chat+sim-no-usage"], cached),
    language("kept/falls", ["chat+sim-fail-503"], { ...cached, fallbacks: ["kept/not"] }),
    other("embedding", { provider: "north", model: "embed" }),
    other("reranking", { provider: "ranks", model: "rank" }),
  ],
  {
    aliases: { best: "kept/chat" },
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("ranks", { protocol: "rerank", base_url: "simulator:/rerank" }),
    ],
  },
);
const cache = (seconds: number | string = 60) => ({ "x-svc-response-cache": String(seconds) });
const chat = { model: "kept/chat", max_tokens: 100 };
const headerOf = ({ headers }: { headers: Record<string, unknown> }) => headers["x-svc-response-cache"];
const keptRows = async (accountId: bigint) =>
  (await world.gateway.context.db.pool.query("select bytes from kept_answer where account_id = $1", [accountId])).rows.length;

describe("a repeat", () => {
  test("gets the same answer, says so, asks no provider and costs the model's price for it", async () => {
    const account = await world.account();
    const first = await world.chat(account, chat, cache());
    const second = await world.chat(account, chat, cache());
    expect([headerOf(first), headerOf(second)]).toEqual(["miss", "hit"]);
    expect(second.headers["age"]).toMatch(/^\d+$/);
    expect(second.json).toEqual({ ...first.json, usage: { ...first.json.usage, cost: tenth, cache_discount: 0 } });
    expect(first.json.usage.cost).toBe(full);
    expect(second.headers["x-litellm-response-cost"]).toBe("0.00025");
    expect(world.sent()).toHaveLength(1);
    expect(await world.gateway.balance(account)).toEqual({ balance: 19.99725, reserved: 0, spent: full + tenth });
    expect(await world.logOf(second)).toMatchObject({
      status: "success",
      attempts: [],
      estimated: false,
      reserved: 25_000n,
      cost: 25_000n,
    });
    const receipt = await world.gateway.request("GET", `/v1/usage/${second.headers["x-request-id"]}`, { key: account.key });
    expect(receipt.json.charge).toMatchObject({ cost_usd: tenth, service_tier: "response_cache" });
  });

  test("of a stream is the same stream, and its usage says what it cost", async () => {
    const account = await world.account();
    const body = { ...chat, stream: true, stream_options: { include_usage: true } };
    const [first, second] = [await world.chat(account, body, cache()), await world.chat(account, body, cache())];
    expect([headerOf(first), headerOf(second)]).toEqual(["miss", "hit"]);
    expect(textOf(second)).toBe(textOf(first));
    expect(recordsOf(second).slice(0, -2)).toEqual(recordsOf(first).slice(0, -2));
    expect(recordsOf(second).at(-2).usage.cost).toBe(tenth);
    expect(recordsOf(second).at(-1)).toBe("[DONE]");
    expect(world.sent()).toHaveLength(1);
    expect((await world.gateway.balance(account)).spent).toBeCloseTo(full + tenth, 8);
  });

  test("through an alias is the same request only if it names the alias", async () => {
    const account = await world.account();
    for (const model of ["best", "kept/chat", "best"]) await world.chat(account, { ...chat, model }, cache());
    expect(world.sent()).toHaveLength(2);
  });

  test.each([
    ["another body", {}, { temperature: 0.5 }],
    ["a stream of it", {}, { stream: true }],
    ["no-cache", { "cache-control": "no-cache" }, {}],
    ["0 seconds", cache(0), {}],
  ])("with %s asks the provider", async (_, headers, more) => {
    const account = await world.account();
    await world.chat(account, chat, cache());
    expect((await world.chat(account, { ...chat, ...more }, { ...cache(), ...headers })).status).toBe(200);
    expect(world.sent()).toHaveLength(2);
  });

  test("of another account asks the provider", async () => {
    for (const account of [await world.account(), await world.account()]) await world.chat(account, chat, cache());
    expect(world.sent()).toHaveLength(2);
  });

  test("asks the provider once the time is over", async () => {
    const account = await world.account();
    await world.chat(account, chat, cache());
    await world.gateway.context.db.pool.query("update kept_answer set expires_at = now() where account_id = $1", [account.accountId]);
    expect(headerOf(await world.chat(account, chat, cache()))).toBe("miss");
    expect(headerOf(await world.chat(account, chat, cache()))).toBe("hit");
    expect(world.sent()).toHaveLength(2);
  });

  test("costs nothing where the price is 0, and is logged", async () => {
    const account = await world.account();
    const body = { ...chat, model: "kept/free" };
    await world.chat(account, body, cache());
    const second = await world.chat(account, body, cache());
    expect(second.json.usage.cost).toBe(0);
    expect(await world.logOf(second)).toMatchObject({ status: "success", cost: 0n, reserved: 0n });
  });
});

test("usage above what the model allows is counted once for a repeat, streamed too", async () => {
  const account = await world.account();
  const body = { model: "kept/over", max_tokens: 100, stream: true };
  const overruns = async () => (await scrape(world.gateway)).figure("svc_usage_overruns_total", { model: "kept/over", kind: "bounds" });
  expect(headerOf(await world.chat(account, body, cache()))).toBe("miss");
  expect(await overruns()).toBe(1);
  expect(headerOf(await world.chat(account, body, cache()))).toBe("hit");
  expect(await overruns()).toBe(2);
});

test("/metrics counts calls that asked for a kept answer by whether one was served, and no other call", async () => {
  const account = await world.account();
  const counted = async () => {
    const page = await scrape(world.gateway);
    return ["hit", "miss"].map((outcome) => page.figure("svc_kept_answers_total", { model: "kept/free", outcome }) ?? 0);
  };
  const before = await counted();
  const body = { ...chat, model: "kept/free" };
  await world.chat(account, body);
  expect(await counted()).toEqual(before);
  for (const headers of [cache(), cache(), { ...cache(), "cache-control": "no-cache" }]) await world.chat(account, body, headers);
  await world.chat(account, { ...body, stream: true }, cache());
  await world.chat(account, { ...body, stream: true }, cache());
  expect(await counted()).toEqual([before[0]! + 2, before[1]! + 3]);
});

describe("an answer is not kept", () => {
  test.each([
    ["of a model without a price for it", "kept/not"],
    ["whose usage was not measured", "kept/uncounted"],
    ["of another model, which stood in", "kept/falls"],
  ])("%s", async (_, model) => {
    const account = await world.account();
    for (const _time of [1, 2]) expect((await world.chat(account, { ...chat, model }, cache())).status).toBe(200);
    expect(await keptRows(account.accountId)).toBe(0);
  });

  test("that the balance cut short", async () => {
    const account = await world.account({ deposit: "0.003" });
    const reply = await world.chat(account, { ...chat, max_tokens: 900 }, cache());
    expect(reply.headers["x-svc-max-tokens-clamped"]).toBeDefined();
    expect(await keptRows(account.accountId)).toBe(0);
  });

  test("where neither the request nor its key asks for it", async () => {
    const account = await world.account();
    const reply = await world.chat(account, chat);
    expect(headerOf(reply)).toBeUndefined();
    expect(await keptRows(account.accountId)).toBe(0);
  });
});

test("400 invalid_parameter: a time that is none is refused before anything is charged", async () => {
  const account = await world.account();
  for (const seconds of ["-1", "86401", "soon", "1.5"]) {
    const reply = await world.chat(account, chat, cache(seconds));
    expect(reply).toMatchObject({ status: 400, json: { error: { code: "invalid_parameter", param: "x-svc-response-cache" } } });
  }
  await world.expectUntouched(account);
});

test("a key with response_cache_seconds keeps the answers of requests that don't say otherwise", async () => {
  const account = await world.account();
  const session = await world.gateway.createSession(account);
  const made = await world.gateway.request("POST", "/v1/auth/keys", {
    key: session.token,
    body: { name: "cached", response_cache_seconds: 60 },
  });
  const key = { ...account, key: made.json.api_key as string };
  expect([await world.chat(key, chat), await world.chat(key, chat)].map(headerOf)).toEqual(["miss", "hit"]);
  expect(headerOf(await world.chat(key, chat, cache(0)))).toBeUndefined();
});

test("402 insufficient_credits: of 20 concurrent repeats exactly the 7 are served that the balance pays for", async () => {
  const account = await world.account({ deposit: (full + 7.5 * tenth).toFixed(8) });
  await world.chat(account, chat, cache());
  const hits = async () => (await scrape(world.gateway)).figure("svc_kept_answers_total", { model: "kept/chat", outcome: "hit" }) ?? 0;
  const before = await hits();
  const replies = await Promise.all(Array.from({ length: 20 }, () => world.chat(account, chat, cache())));
  expect(replies.filter(({ status }) => status === 200).map(headerOf)).toEqual(Array.from({ length: 7 }, () => "hit"));
  expect(await hits()).toBe(before + 7);
  expect(replies.filter(({ status }) => status === 402)).toHaveLength(13);
  expect(world.sent()).toHaveLength(1);
  expect(await world.gateway.balance(account)).toEqual({ balance: tenth / 2, reserved: 0, spent: full + 7 * tenth });
});

describe("every API of token-billed models", () => {
  const messages = hello;
  test.each([
    ["/v1/messages", { model: "kept/chat", max_tokens: 100, messages }],
    ["/v1/messages", { model: "kept/chat", max_tokens: 100, messages, stream: true }],
    ["/v1/responses", { model: "kept/chat", input: "Hello" }],
    ["/v1/responses", { model: "kept/chat", input: "Hello", stream: true }],
    ["/v1/completions", { model: "kept/chat", prompt: "Hello", max_tokens: 100 }],
    ["/v1/embeddings", { model: "kept/embedding", input: ["one", "two"] }],
    ["/v1/embeddings", { model: "kept/embedding", input: ["one", "two"], encoding_format: "base64" }],
    ["/v1/rerank", { model: "kept/reranking", query: "one", documents: ["one", "two"] }],
  ])("%s %o answers a repeat without a provider", async (path, body) => {
    const account = await world.account();
    const ask = () => world.gateway.request("POST", path, { key: account.key, body, headers: cache() });
    const [first, second] = [await ask(), await ask()];
    expect([first.status, headerOf(first), second.status, headerOf(second)]).toEqual([200, "miss", 200, "hit"]);
    expect(world.sent()).toHaveLength(1);
    const [one, other] = [await world.logOf(first), await world.logOf(second)];
    expect(other!.cost).toBe((one!.cost + 9n) / 10n);
    if (path === "/v1/embeddings") expect(second.json.data).toEqual(first.json.data);
  });
});

describe("DELETE /v1/response-cache", () => {
  test("deletes what the workspace keeps and nothing of others", async () => {
    const [account, other] = [await world.account(), await world.account()];
    for (const one of [account, other]) await world.chat(one, chat, cache());
    const purge = () => world.gateway.request("DELETE", "/v1/response-cache", { key: account.key });
    expect((await purge()).json).toEqual({ object: "response_cache.purged", deleted: 1 });
    expect((await purge()).json.deleted).toBe(0);
    expect(headerOf(await world.chat(account, chat, cache()))).toBe("miss");
    expect(headerOf(await world.chat(other, chat, cache()))).toBe("hit");
  });
});

test("the sweep deletes what has expired, and the oldest beyond 64 MB of an account", async () => {
  const account = await world.account();
  const own = connect(world.gateway.databaseUrl, { max: 1, statementTimeoutMs: 0 }); // so much may take longer than a gateway waits for its database
  await own.pool.query(
    `insert into kept_answer (account_id, hash, answer, created_at, expires_at)
     select $1, sha256(n::text::bytea), decode(repeat('00', 1000000), 'hex'), now() - n * interval '1 second',
       now() + case when n = 1 then interval '-1 s' else interval '1 hour' end
     from generate_series(1, 70) n`,
    [account.accountId],
  );
  await sweepKept(own, new Date());
  await own.close();
  expect(await keptRows(account.accountId)).toBe(67);
});
