// Pages and files that a provider fetches for a message request: only with a price, held at their bound, charged as counted, beside searches and
// by themselves (docs/behaviour/billing.md#tools-that-a-provider-runs). What holds of both tools alike: ../chat/web-searches.test.ts.
import { describe, expect, test } from "vitest";
import { chatWorld, hello, language, provider } from "../chat/chat-gateway.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";

/** In 1e-8 USD: a token in 200, a token out 1,000, a fetch 300,000, a search 1,000,000. */
const fetches = { mode: "per-token", input: 2, output: 10, per_web_fetch: 0.003, max_web_fetches: 3 };
const both = { ...fetches, per_web_search: 0.01, max_web_searches: 2 };
const cost = { input: 1, output: 5, per_web_fetch: 0.001, per_web_search: 0.008 };
const tokens = "sim-prompt-tokens-1000+sim-completion-tokens-50";
const contextWindow = 2_000;

const model = (id: string, directives: string, more: object = {}, route: object = {}) =>
  language(`claude/${id}`, [{ provider: "claude", model: `plain+${directives}`, ...route }], {
    ...{ context_window: contextWindow, max_output_tokens: 100, supports_tools: true, pricing: fetches, ...more },
  });

const world = chatWorld(
  [
    model("fetch", tokens, {}, { cost }),
    model("both", `${tokens}+sim-fetches-2`, { pricing: both }, { cost }),
    model("two", `${tokens}+sim-fetches-2`),
    model("nine", `${tokens}+sim-fetches-9`),
    model("none", `${tokens}+sim-fetches-0`),
    model("silent", "sim-no-usage"),
    model("slow", `${tokens}+sim-fetches-2+sim-pace-20ms`),
    model("free", tokens, { pricing: { ...fetches, per_web_fetch: 0 } }),
    model("unbounded", tokens, { pricing: { ...fetches, max_web_fetches: undefined } }),
    model("searches", tokens, { pricing: { mode: "per-token", input: 2, output: 10, per_web_search: 0.01, max_web_searches: 2 } }),
    model("falls", "sim-fail-503", { fallbacks: ["claude/searches", "claude/more", "claude/cheap"] }),
    model("more", tokens, { pricing: { ...fetches, max_web_fetches: 4 } }),
    model("cheap", tokens, { pricing: { ...fetches, per_web_fetch: 0.002 } }),
    language("openai/fetch", [{ provider: "north", model: "chat" }], { supports_tools: true, pricing: fetches }),
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("claude", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
    ],
  },
);

const fetchTool = { type: "web_fetch_20250910", name: "web_fetch" };
const searchTool = { type: "web_search_20250305", name: "web_search" };
const message = (id: string, more: object = {}) => ({
  model: `claude/${id}`,
  messages: hello,
  max_tokens: 100,
  tools: [fetchTool],
  ...more,
});

const ask = (account: TestAccount, body: object) => world.gateway.request("POST", "/v1/messages", { key: account.key, body });

async function served(account: TestAccount, body: object): Promise<TestReply> {
  const reply = await ask(account, body);
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return reply;
}

async function receiptOf(account: TestAccount, reply: TestReply) {
  const { json } = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
  const lines = json.charge.lines.map(({ item, quantity, unit_price_usd }: any) => [item, quantity, unit_price_usd]);
  return { lines, units: Math.round(json.charge.cost_usd * 1e8), receipt: json };
}

async function refused(body: object): Promise<[code: string, param: string]> {
  const account = await world.account();
  const { status, json } = await ask(account, body);
  expect(status).toBe(400);
  await world.expectUntouched(account);
  return [json.error.details?.error_code ?? json.error.code, json.error.param];
}

const tokensCost = 1_000 * 200 + 50 * 1_000;
const [each, search] = [300_000, 1_000_000];

describe.each([false, true])("stream: %s", (stream) => {
  test("a fetch is charged at its price, with its line, its count in the log and its cost", async () => {
    const account = await world.account();
    const reply = await served(account, message("fetch", { stream }));
    const { lines, units, receipt } = await receiptOf(account, reply);
    expect(lines).toEqual([
      ["input", 1_000, 2],
      ["output", 50, 10],
      ["web_fetch", 1, 0.003],
    ]);
    expect(units).toBe(tokensCost + each);
    expect(receipt.charge).toMatchObject({ cost_usd: receipt.charge.rounded_usd, sum_usd: (units / 1e8).toString() });
    expect([receipt.usage.web_fetches, receipt.log.web_fetches, receipt.usage.web_searches]).toEqual([1, 1, undefined]);
    expect(await world.logOf(reply)).toMatchObject({ cost: BigInt(units), expense: BigInt(tokensCost / 2 + 100_000) });
    expect(reply.text).toContain('"server_tool_use":{"web_search_requests":0,"web_fetch_requests":1}');
  });

  test("searches and fetches of one request are held and charged each at its own price", async () => {
    const account = await world.account();
    const reply = await served(account, message("both", { stream, tools: [searchTool, fetchTool] }));
    const { lines, units, receipt } = await receiptOf(account, reply);
    expect(lines.slice(2)).toEqual([
      ["web_search", 1, 0.01],
      ["web_fetch", 2, 0.003],
    ]);
    expect(units).toBe(tokensCost + search + 2 * each);
    expect(receipt.usage).toMatchObject({ web_searches: 1, web_fetches: 2 });
    const row = (await world.logOf(reply))!;
    expect(Number(row.reserved)).toBe(6 * contextWindow * 200 + 100 * 1_000 + 2 * search + 3 * each);
    expect(row.expense).toBe(BigInt(tokensCost / 2 + 800_000 + 2 * 100_000));
    expect(reply.text).toContain('"server_tool_use":{"web_search_requests":1,"web_fetch_requests":2}');
  });

  test("a provider's count is charged, up to what was held for", async () => {
    for (const [id, charged] of [
      ["two", 2],
      ["nine", 3],
      ["none", 0],
    ] as const) {
      const account = await world.account();
      const { lines, receipt } = await receiptOf(account, await served(account, message(id, { stream })));
      const counted = lines.filter(([item]: any) => item === "web_fetch");
      expect([id, counted, receipt.usage.web_fetches ?? 0]).toEqual([id, charged === 0 ? [] : [["web_fetch", charged, 0.003]], charged]);
    }
  });
});

test("max_uses goes upstream, lowered to the model's bound, and is what is held for", async () => {
  for (const [max_uses, sent] of [
    [1, 1],
    [50, 3],
    [undefined, 3],
  ] as const) {
    const tool = { ...fetchTool, max_content_tokens: 500 };
    const row = await world.logOf(await served(await world.account(), message("fetch", { tools: [{ ...tool, max_uses }] })));
    expect(world.sent().at(-1)!["tools"]).toEqual([{ ...tool, max_uses: sent }]);
    expect(Number(row!.reserved)).toBe((1 + sent) * contextWindow * 200 + 100 * 1_000 + sent * each);
  }
});

test("a quote is the hold of the call that follows it, and likely has one fetch", async () => {
  const account = await world.account();
  const body = message("fetch", { tools: [{ ...fetchTool, max_uses: 2 }] });
  const quote = await world.gateway.request("POST", "/v1/quote", { key: account.key, body: { operation: "createMessage", body } });
  expect([quote.status, Math.round(quote.json.reserve_usd * 1e8)]).toEqual([200, 3 * contextWindow * 200 + 100 * 1_000 + 2 * each]);
  const { cost_usd, input_tokens, output_tokens } = quote.json.likely;
  expect(Math.round(cost_usd * 1e8)).toBe(input_tokens * 200 + output_tokens * 1_000 + each);
  const row = await world.logOf(await served(account, body));
  expect(Number(row!.reserved)).toBe(3 * contextWindow * 200 + 100 * 1_000 + 2 * each);
});

test("a price of 0 lets fetches through: they cost the tokens that they bring, which are held for", async () => {
  const account = await world.account();
  const reply = await served(account, message("free"));
  const { lines, units } = await receiptOf(account, reply);
  expect(lines).toContainEqual(["web_fetch", 1, 0]);
  expect(units).toBe(tokensCost);
  expect(Number((await world.logOf(reply))!.reserved)).toBe(4 * contextWindow * 200 + 100 * 1_000);
});

test("400 invalid_parameter: nothing says how many fetches there may be", async () => {
  expect(await refused(message("unbounded"))).toEqual(["invalid_parameter", "tools[0].max_uses"]);
  await served(await world.account(), message("unbounded", { tools: [{ ...fetchTool, max_uses: 1 }] }));
});

test("400 unsupported_content: no price, no route of the dialect, or a tool that can have no price", async () => {
  const unsold = ["unsupported_content", "tools[0]"];
  expect(await refused(message("searches"))).toEqual(unsold);
  expect(await refused({ ...message("fetch"), model: "openai/fetch" })).toEqual(unsold);
  expect(await refused(message("fetch", { tools: [searchTool] }))).toEqual(unsold);
  for (const type of ["web_fetch_20260209", "code_execution_20250825", "toString"])
    expect(await refused(message("both", { tools: [{ type, name: "web_fetch", max_uses: 1 }] }))).toEqual(unsold);
});

test("chat has no such tool: refused, whatever the price", async () => {
  const reply = await world.chat(await world.account(), { model: "openai/fetch", messages: hello, tools: [fetchTool] });
  expect([reply.status, reply.json.error.param]).toEqual([400, "tools[0].type"]);
});

test("only a fallback that has a price and no higher bound answers, at the lesser price", async () => {
  const account = await world.account();
  const reply = await served(account, message("falls"));
  expect(reply.headers["x-svc-served-model"]).toBe("claude/cheap");
  expect((await receiptOf(account, reply)).lines).toContainEqual(["web_fetch", 1, 0.002]);
});

test("the caller gets what was fetched, and may send it back", async () => {
  const account = await world.account();
  const { json } = await served(account, message("fetch"));
  expect(json.content.map(({ type }: any) => type)).toEqual(["server_tool_use", "web_fetch_tool_result", "text"]);
  expect(json.content[1].content.content.source.data).toBe("The lighthouse was built in 1871.");
  const messages = [...hello, { role: "assistant", content: json.content }, { role: "user", content: "And then?" }];
  const again = await served(account, message("fetch", { messages, tools: undefined }));
  expect((world.sent().at(-1)!["messages"] as any)[1].content).toEqual(json.content);
  expect(Number((await world.logOf(again))!.reserved)).toBeLessThan(contextWindow * 200 + 100 * 1_000);
  const streamed = await served(account, message("fetch", { stream: true }));
  expect(streamed.text.match(/"content_block":\{"type":"(\w+)"/g)).toEqual(
    ["server_tool_use", "web_fetch_tool_result", "text"].map((type) => `"content_block":{"type":"${type}"`),
  );
});

test("a fetched PDF that comes back is held for as any document: its size says nothing", async () => {
  const source = { type: "base64", media_type: "application/pdf", data: "JVBERi0xLjQK" };
  const content = { type: "web_fetch_result", url: "https://example.org/a.pdf", content: { type: "document", source } };
  const found = [
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_fetch", input: { url: "https://example.org/a.pdf" } },
    { type: "web_fetch_tool_result", tool_use_id: "srvtoolu_1", content },
  ];
  const messages = [...hello, { role: "assistant", content: found }, { role: "user", content: "And then?" }];
  const reply = await served(await world.account(), message("fetch", { messages, tools: undefined }));
  expect(Number((await world.logOf(reply))!.reserved)).toBe(contextWindow * 200 + 100 * 1_000);
});

test("a host that reports no usage is charged all that its fetches may have made of the prompt", async () => {
  const account = await world.account();
  const { receipt } = await receiptOf(account, await served(account, message("silent")));
  expect(receipt.usage).toMatchObject({ input: 4 * contextWindow, web_fetches: 3, estimated: true });
  expect(receipt.charge.cost_usd).toBeLessThanOrEqual(receipt.charge.reserved_usd);
});

test("a caller who disconnects pays the fetches that were made: the stream is read on for its usage", async () => {
  const account = await world.account();
  const aborting = new AbortController();
  const reply = await fetch(`${world.gateway.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
    body: JSON.stringify(message("slow", { stream: true })),
    signal: aborting.signal,
  });
  await reply.body!.getReader().read();
  aborting.abort();
  await expect.poll(async () => (await world.gateway.balance(account)).spent).toBe((tokensCost + 2 * each) / 1e8);
});

test("the lists show the price and the bound", async () => {
  const rows = (await world.gateway.request("GET", "/v1/models")).json.data;
  expect(rows.find(({ id }: any) => id === "claude/fetch").pricing).toMatchObject({ per_web_fetch: 0.003, max_web_fetches: 3 });
  const { text } = (await world.gateway.request("GET", "/v1/pricing")).json;
  expect(text.find(({ id }: any) => id === "claude/free").per_web_fetch).toBe(0);
});
