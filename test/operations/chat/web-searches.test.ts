// Web searches that a provider makes for a request: only with a price, held at their bound, charged as counted, on the receipt, in the log, on
// the side of costs (docs/behaviour/billing.md#tools-that-a-provider-runs).
import { describe, expect, test } from "vitest";
import { readReport } from "../../../src/ledger/report.ts";
import type { TestAccount, TestReply } from "../../support/gateway.ts";
import { chatWorld, hello, language, provider } from "./chat-gateway.ts";

/** In 1e-8 USD: a token in 200, a token out 1,000, a search 1,000,000. */
const pricing = { mode: "per-token", input: 2, output: 10, per_web_search: 0.01, max_web_searches: 3 };
const unbounded = { mode: "per-token", input: 2, output: 10, per_web_search: 0.01 };
const cost = { input: 1, output: 5, per_web_search: 0.008 };
const tokens = "sim-prompt-tokens-1000+sim-completion-tokens-50";
const contextWindow = 2_000;

function searching(id: string, route: object, more: object = {}): object {
  return language(id, [route], { context_window: contextWindow, max_output_tokens: 100, supports_tools: true, pricing, ...more });
}

const world = chatWorld(
  [
    searching("claude/search", { provider: "claude", model: `plain+${tokens}`, cost }),
    searching("claude/two", { provider: "claude", model: `plain+${tokens}+sim-searches-2` }),
    searching("claude/nine", { provider: "claude", model: `plain+${tokens}+sim-searches-9` }),
    searching("claude/none", { provider: "claude", model: `plain+${tokens}+sim-searches-0` }),
    searching("claude/silent", { provider: "claude", model: "plain+sim-no-usage" }),
    searching("claude/slow", { provider: "claude", model: `plain+${tokens}+sim-searches-2+sim-pace-20ms` }),
    searching("claude/unbounded", { provider: "claude", model: `plain+${tokens}` }, { pricing: unbounded }),
    searching("claude/plain", { provider: "claude", model: "plain" }, { pricing: { mode: "per-token", input: 2, output: 10 } }),
    searching("openai/search", { provider: "north", model: `chat+${tokens}`, cost }),
    searching("openai/two", { provider: "north", model: `chat+${tokens}+sim-searches-2` }),
    searching("openai/unbounded", { provider: "north", model: "chat" }, { pricing: unbounded }),
    searching(
      "openai/falls",
      { provider: "north", model: "chat+sim-fail-503" },
      { fallbacks: ["openai/plain", "openai/more", "openai/cheap"] },
    ),
    searching("openai/plain", { provider: "north", model: "chat" }, { pricing: { mode: "per-token", input: 2, output: 10 } }),
    searching("openai/more", { provider: "north", model: "chat" }, { pricing: { ...pricing, max_web_searches: 4 } }),
    searching(
      "openai/cheap",
      { provider: "north", model: `chat+${tokens}+sim-searches-1` },
      { pricing: { ...pricing, per_web_search: 0.005 } },
    ),
    searching(
      "both/search",
      { provider: "north", model: "chat" },
      {
        routes: [
          { provider: "north", model: "chat" },
          { provider: "claude", model: `plain+${tokens}` },
        ],
      },
    ),
  ],
  {
    providers: [
      ...["north", "south", "west"].map((id) => provider(id)),
      provider("claude", { protocol: "anthropic", base_url: "simulator:/anthropic/v1" }),
    ],
  },
);

const searchTool = { type: "web_search_20250305", name: "web_search" };
const message = (model: string, more: object = {}) => ({ model, messages: hello, max_tokens: 100, tools: [searchTool], ...more });
const chat = (model: string, more: object = {}) => ({ model, messages: hello, max_tokens: 100, web_search_options: {}, ...more });
const paths = { message: "/v1/messages", chat: "/v1/chat/completions" };

async function served(account: TestAccount, path: string, body: object): Promise<TestReply> {
  const reply = await world.gateway.request("POST", path, { key: account.key, body });
  expect([reply.status, reply.text]).toEqual([200, expect.any(String)]);
  return reply;
}

async function receiptOf(account: TestAccount, reply: TestReply) {
  const { json } = await world.gateway.request("GET", `/v1/usage/${reply.headers["x-request-id"]}`, { key: account.key });
  const lines = json.charge.lines.map(({ item, quantity, unit_price_usd }: any) => [item, quantity, unit_price_usd]);
  return { lines, units: Math.round(json.charge.cost_usd * 1e8), receipt: json };
}

const tokensCost = 1_000 * 200 + 50 * 1_000;
const search = 1_000_000;

describe.each([
  ["messages", paths.message, message, "claude/search"],
  ["chat", paths.chat, chat, "openai/search"],
])("%s", (dialect, path, bodyOf, model) => {
  test.each([false, true])(
    "a search is charged at its price, with its line, its count in the log and its cost; stream: %s",
    async (stream) => {
      const account = await world.account();
      // OpenAI's wire doesn't say how many there were: then all that may have been made are charged.
      const searches = dialect === "chat" ? 3 : 1;
      const reply = await served(
        account,
        path,
        bodyOf(model, { stream, ...(dialect === "chat" ? { stream_options: { include_usage: true } } : {}) }),
      );
      const { lines, units, receipt } = await receiptOf(account, reply);
      expect(lines).toEqual([
        ["input", 1_000, 2],
        ["output", 50, 10],
        ["web_search", searches, 0.01],
      ]);
      expect(units).toBe(tokensCost + searches * search);
      expect(receipt.charge).toMatchObject({ cost_usd: receipt.charge.rounded_usd, sum_usd: (units / 1e8).toString() });
      expect([receipt.usage.web_searches, receipt.log.web_searches]).toEqual([searches, searches]);
      expect(await world.logOf(reply)).toMatchObject({ cost: BigInt(units), expense: BigInt(tokensCost / 2 + searches * 800_000) });
      expect(reply.text).toContain(`"server_tool_use":{"web_search_requests":${searches}}`);
    },
  );

  test("the hold covers the window once more for each search, and their price", async () => {
    const row = await world.logOf(await served(await world.account(), path, bodyOf(model)));
    expect(Number(row!.reserved)).toBe(4 * contextWindow * 200 + 100 * 1_000 + 3 * search);
  });
});

describe("messages", () => {
  test("a provider's count is charged, up to what was held for", async () => {
    for (const [model, charged] of [
      ["claude/two", 2],
      ["claude/nine", 3],
      ["claude/none", 0],
    ] as const) {
      for (const stream of [false, true]) {
        const account = await world.account();
        const { units, receipt } = await receiptOf(account, await served(account, paths.message, message(model, { stream })));
        expect([model, stream, units, receipt.usage.web_searches ?? 0]).toEqual([model, stream, tokensCost + charged * search, charged]);
      }
    }
  });

  test("max_uses goes upstream, lowered to the model's bound, and is what is held for", async () => {
    for (const [max_uses, sent] of [
      [1, 1],
      [50, 3],
      [undefined, 3],
    ] as const) {
      const row = await world.logOf(
        await served(await world.account(), paths.message, message("claude/search", { tools: [{ ...searchTool, max_uses }] })),
      );
      expect(world.sent().at(-1)!["tools"]).toEqual([{ ...searchTool, max_uses: sent }]);
      expect(Number(row!.reserved)).toBe((1 + sent) * contextWindow * 200 + 100 * 1_000 + sent * search);
    }
  });

  test("400 invalid_parameter: nothing says how many searches there may be", async () => {
    const account = await world.account();
    const reply = await world.gateway.request("POST", paths.message, { key: account.key, body: message("claude/unbounded") });
    expect([reply.status, reply.json.error.param]).toEqual([400, "tools[0].max_uses"]);
    await world.expectUntouched(account);
    await served(account, paths.message, message("claude/unbounded", { tools: [{ ...searchTool, max_uses: 1 }] }));
  });

  test("400 unsupported_content: no price, or no route of the dialect", async () => {
    for (const model of ["claude/plain", "openai/search"]) {
      const account = await world.account();
      const reply = await world.gateway.request("POST", paths.message, { key: account.key, body: message(model) });
      expect([reply.status, reply.json.error.details?.error_code ?? reply.json.error.code, reply.json.error.param]).toEqual([
        400,
        "unsupported_content",
        "tools[0]",
      ]);
      await world.expectUntouched(account);
    }
  });

  test("a route of another protocol is passed over", async () => {
    const reply = await served(await world.account(), paths.message, message("both/search"));
    expect(reply.headers["x-svc-fallback-layer"]).toBe("1");
  });

  test("the caller gets what was searched and found, and may send it back", async () => {
    const account = await world.account();
    const { json } = await served(account, paths.message, message("claude/search"));
    expect(json.content.map(({ type }: any) => type)).toEqual(["server_tool_use", "web_search_tool_result", "text"]);
    expect(json.stop_reason).toBe("end_turn");
    const messages = [...hello, { role: "assistant", content: json.content }, { role: "user", content: "And then?" }];
    await served(account, paths.message, message("claude/search", { messages, tools: undefined }));
    expect((world.sent().at(-1)!["messages"] as any)[1].content).toEqual(json.content);
    const streamed = await served(account, paths.message, message("claude/search", { stream: true }));
    expect(streamed.text.match(/"content_block":\{"type":"(\w+)"/g)).toEqual(
      ["server_tool_use", "web_search_tool_result", "text"].map((type) => `"content_block":{"type":"${type}"`),
    );
  });

  test("a host that reports no usage is charged all that its searches may have made of the prompt", async () => {
    const account = await world.account();
    const { receipt } = await receiptOf(account, await served(account, paths.message, message("claude/silent")));
    expect(receipt.usage).toMatchObject({ input: 4 * contextWindow, web_searches: 3, estimated: true });
    expect(receipt.charge.cost_usd).toBeLessThanOrEqual(receipt.charge.reserved_usd);
  });

  test("a caller who disconnects pays the searches that were made: the stream is read on for its usage", async () => {
    const account = await world.account();
    const aborting = new AbortController();
    const reply = await fetch(`${world.gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json" },
      body: JSON.stringify(message("claude/slow", { stream: true })),
      signal: aborting.signal,
    });
    await reply.body!.getReader().read();
    aborting.abort();
    await expect.poll(async () => (await world.gateway.balance(account)).spent).toBe((tokensCost + 2 * search) / 1e8);
    const [call] = world.gateway.simulator.calls();
    expect(call).toMatchObject({ outcome: "answered", billed: { searches: 2 } });
  });
});

describe("chat", () => {
  test("a host's own count is charged", async () => {
    const account = await world.account();
    const { lines } = await receiptOf(account, await served(account, paths.chat, chat("openai/two")));
    expect(lines).toContainEqual(["web_search", 2, 0.01]);
    expect(world.sent().at(-1)).toMatchObject({ web_search_options: {} });
  });

  test("several answers may each search", async () => {
    const row = await world.logOf(await served(await world.account(), paths.chat, chat("openai/two", { n: 2 })));
    expect(Number(row!.reserved)).toBe(7 * contextWindow * 200 + 200 * 1_000 + 6 * search);
  });

  test.each(["openai/unbounded", "openai/plain", "claude/search"])(
    "400 invalid_parameter: %s has no bound, no price, no route for it",
    async (model) => {
      const account = await world.account();
      const reply = await world.chat(account, chat(model));
      expect([reply.status, reply.json.error.param]).toEqual([400, "web_search_options"]);
      await world.expectUntouched(account);
    },
  );

  test("another dialect's search tool is refused, whatever the price", async () => {
    const reply = await world.chat(await world.account(), chat("openai/search", { web_search_options: undefined, tools: [searchTool] }));
    expect([reply.status, reply.json.error.param]).toEqual([400, "tools[0].type"]);
  });

  test("only a fallback that has a price and no higher bound answers, at the lesser price", async () => {
    const account = await world.account();
    const reply = await served(account, paths.chat, chat("openai/falls"));
    expect(reply.headers["x-svc-served-model"]).toBe("openai/cheap");
    const { lines } = await receiptOf(account, reply);
    expect(lines).toContainEqual(["web_search", 1, 0.005]);
  });
});

test("without a request for searches nothing changes: no line, no count, the usual hold", async () => {
  const account = await world.account();
  const reply = await served(account, paths.chat, chat("openai/search", { web_search_options: undefined }));
  const { lines, receipt } = await receiptOf(account, reply);
  expect(lines.map(([item]: any) => item)).toEqual(["input", "output"]);
  expect(receipt.usage).not.toHaveProperty("web_searches");
  expect(reply.json.usage).not.toHaveProperty("server_tool_use");
  expect(Number((await world.logOf(reply))!.reserved)).toBe(25 * 200 + 100 * 1_000);
});

test("svc report counts what searches brought in and what they cost", async () => {
  const account = await world.account();
  await served(account, paths.message, message("claude/search"));
  const { rows } = await world.gateway.context.db.pool.query<{ now: Date }>("select now() as now");
  const span = { from: new Date(rows[0]!.now.getTime() - 86_400_000), to: new Date(rows[0]!.now.getTime() + 86_400_000) };
  const ofAccount = (await readReport(world.gateway.context.db, "account", span)).find(({ name }) => name === String(account.accountId));
  expect(ofAccount).toMatchObject({ requests: 1n, revenue: BigInt(tokensCost + search), cost: BigInt(tokensCost / 2 + 800_000) });
});

test("the lists show the price and the bound", async () => {
  const rows = (await world.gateway.request("GET", "/v1/models")).json.data;
  expect(rows.find(({ id }: any) => id === "claude/search").pricing).toMatchObject({ per_web_search: 0.01, max_web_searches: 3 });
  const { text } = (await world.gateway.request("GET", "/v1/pricing")).json;
  expect(text.find(({ id }: any) => id === "claude/search").per_web_search).toBe(0.01);
});
