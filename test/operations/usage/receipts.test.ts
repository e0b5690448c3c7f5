// GET /v1/usage/{request_id} over HTTP: every end of a call, recomputed from its own receipt.
import { describe, expect, test } from "vitest";
import { createKey } from "../../../src/accounts/manage-keys.ts";
import type { TestReply } from "../../support/gateway.ts";
import { chatWorld, hello, language, prices } from "../chat/chat-gateway.ts";

const priced = (more: object) => ({ pricing: { mode: "per-token", ...prices, ...more } });
const counts = "sim-prompt-tokens-1001+sim-completion-tokens-7+sim-cached-333";
const world = chatWorld([
  language("demo/chat", ["chat"]),
  language("demo/counted", [`chat+${counts}`]),
  language("demo/no-cache-price", [`plain+${counts}`], { pricing: { mode: "per-token", input: 0.333333, output: 1.5 } }),
  language("demo/search", ["chat"], priced({ per_request: 0.005 })),
  language("demo/second", ["first+sim-fail-503", "second"]),
  language("demo/our-fault", ["first+sim-401", "second"]),
  language("demo/to-cheap", ["to-cheap+sim-fail-503"], { fallbacks: ["other/cheap"] }),
  language("demo/to-dear", ["to-dear+sim-fail-503"], { fallbacks: ["other/dear"] }),
  language("demo/down", ["down+sim-fail-503"], priced({ per_request: 0.005 })),
  language("demo/cut", ["chat+sim-cut-after-5"]),
  language("demo/uncounted", ["chat+sim-no-usage"], { context_window: 100, max_output_tokens: 4 }),
  language("demo/hanging", ["chat+sim-hang"], priced({ per_request: 0.005 })),
  language("demo/paced", ["chat+sim-pace-20ms+sim-tokens-500"]),
  language("other/cheap", [`cheap+${counts}`], priced({ input: 0.1, output: 0.2 })),
  language("other/dear", [`dear+${counts}`], priced({ input: 50, output: 200 })),
]);

type Account = Awaited<ReturnType<typeof world.account>>;

const get = (account: { key: string }, id: string) =>
  world.gateway.request("GET", `/v1/usage/${encodeURIComponent(id)}`, { key: account.key });
const receiptOf = async (account: Account, reply: TestReply): Promise<any> => {
  const { status, json } = await get(account, reply.headers["x-request-id"]!);
  expect(status).toBe(200);
  return json;
};

/** In 1e-12 USD. */
const units = (text: string) => {
  const [whole, fraction = ""] = text.split(".") as [string, string?];
  return BigInt(whole + fraction.padEnd(12, "0"));
};

/** What a customer does: adds the lines up, rounds up once to 8 decimals, and finds the charge in the ledger and the balance. */
async function expectItAddsUp(account: Account, receipt: any): Promise<void> {
  const { charge, ledger, log } = receipt;
  const sum = charge.lines.reduce((total: bigint, { amount_usd }: { amount_usd: string }) => total + units(amount_usd), 0n);
  expect(units(charge.sum_usd)).toBe(sum);
  expect(charge.rounded_usd).toBe(Number((sum + 9_999n) / 10_000n) / 1e8);
  expect(charge.cost_usd).toBe(log.cost_usd);
  const entries =
    charge.cost_usd === 0 ? [] : [expect.objectContaining({ type: "usage", amount_usd: -charge.cost_usd, ref: receipt.request_id })];
  expect(ledger).toEqual(entries);
  expect(await world.gateway.balance(account)).toMatchObject({ spent: charge.cost_usd });
  expect(JSON.stringify(receipt)).not.toMatch(/north|south|west/);
}

describe("200", () => {
  test("an answer: buckets, prices, sum, entry, and the answer's own cost", async () => {
    const account = await world.account();
    const reply = await world.chat(account, { model: "demo/counted" });
    const receipt = await receiptOf(account, reply);
    expect(receipt).toMatchObject({
      object: "usage.receipt",
      request_id: reply.headers["x-request-id"],
      attempts: [{ model: "demo/counted", outcome: "ok", status: 200, latency_ms: expect.any(Number) }],
      usage: { input: 668, cache_read: 333, cache_write: 0, output: 7, reasoning: 0, estimated: false },
      charge: {
        model: "demo/counted",
        lines: [
          { item: "input", quantity: 668, unit_price_usd: 0.5, amount_usd: "0.000334" },
          { item: "cache_read", quantity: 333, unit_price_usd: 0.05, amount_usd: "0.00001665" },
          { item: "output", quantity: 7, unit_price_usd: 1.5, amount_usd: "0.0000105" },
        ],
        sum_usd: "0.00036115",
        rounded_usd: 0.00036115,
        cost_usd: reply.json.usage.cost,
      },
    });
    expect(receipt.log).toEqual((await world.gateway.request("GET", "/v1/auth/usage/logs", { key: account.key })).json.data[0]);
    expect(receipt.charge.reserved_usd).toBeGreaterThan(receipt.charge.cost_usd);
    await expectItAddsUp(account, receipt);
  });

  test("a model without a cached price: tokens read from the cache cost the input price; the one rounding is up", async () => {
    const account = await world.account();
    const receipt = await receiptOf(account, await world.chat(account, { model: "demo/no-cache-price" }));
    expect(receipt.charge).toMatchObject({
      lines: [
        { item: "input", unit_price_usd: 0.333333, amount_usd: "0.000222666444" },
        { item: "cache_read", quantity: 333, unit_price_usd: 0.333333, amount_usd: "0.000110999889" },
        { item: "output" },
      ],
      sum_usd: "0.000344166333",
      rounded_usd: 0.00034417,
    });
    await expectItAddsUp(account, receipt);
  });

  test("a flat fee is a line of its own", async () => {
    const account = await world.account();
    const receipt = await receiptOf(account, await world.chat(account, { model: "demo/search" }));
    expect(receipt.charge.lines.at(-1)).toEqual({ item: "request", quantity: 1, unit_price_usd: 0.005, amount_usd: "0.005" });
    await expectItAddsUp(account, receipt);
  });

  test("a stream", async () => {
    const account = await world.account();
    const receipt = await receiptOf(account, await world.chat(account, { model: "demo/chat", stream: true }));
    expect(receipt.log.stream).toBe(true);
    await expectItAddsUp(account, receipt);
  });

  test("another route of the same model: both attempts, without the providers' names", async () => {
    const account = await world.account();
    const receipt = await receiptOf(account, await world.chat(account, { model: "demo/second" }));
    expect(receipt.attempts).toMatchObject([
      { model: "demo/second", outcome: "unavailable", status: 503 },
      { model: "demo/second", outcome: "ok", status: 200 },
    ]);
    await expectItAddsUp(account, receipt);
  });

  test("a failure of our own credentials at a provider is not shown", async () => {
    const account = await world.account();
    const receipt = await receiptOf(account, await world.chat(account, { model: "demo/our-fault" }));
    expect(receipt.attempts[0]).toMatchObject({ outcome: "unavailable", status: null });
    expect(receipt.attempts[1]).toMatchObject({ outcome: "ok" });
  });

  test.each([
    ["a cheaper one answered: its prices count", "demo/to-cheap", "other/cheap", "other/cheap", 0.1],
    ["a dearer one answered: the prices of the model that was asked for count", "demo/to-dear", "other/dear", "demo/to-dear", 0.5],
  ])("another model, %s", async (_, asked, served, charged, input) => {
    const account = await world.account();
    const reply = await world.chat(account, { model: asked });
    const receipt = await receiptOf(account, reply);
    expect(receipt.log).toMatchObject({ model: asked, served_model: served, fallback_layer: 3 });
    expect(receipt.attempts.map(({ model }: { model: string }) => model)).toEqual([asked, served]);
    expect(receipt.charge).toMatchObject({ model: charged, rounded_usd: reply.json.usage.cost });
    expect(receipt.charge.lines[0]).toMatchObject({ item: "input", unit_price_usd: input });
    await expectItAddsUp(account, receipt);
  });

  test("an estimate above its reservation is charged up to it, and the receipt shows both", async () => {
    const account = await world.account();
    const messages = [{ role: "user", content: "\u{20BB7}".repeat(40) }]; // so rare that it is counted as more than its window holds
    const receipt = await receiptOf(account, await world.chat(account, { model: "demo/uncounted", messages }));
    expect(receipt.usage.estimated).toBe(true);
    expect(receipt.charge.rounded_usd).toBeGreaterThan(receipt.charge.reserved_usd);
    expect(receipt.charge.cost_usd).toBe(receipt.charge.reserved_usd);
    await expectItAddsUp(account, receipt);
  });

  test.each(["demo/down", "demo/cut"])("%s failed: nothing is added up, nothing charged, the ledger has no entry", async (model) => {
    const account = await world.account();
    const receipt = await receiptOf(account, await world.chat(account, { model, stream: model === "demo/cut" }));
    expect(receipt.charge).toMatchObject({ lines: [], sum_usd: "0", rounded_usd: 0, cost_usd: 0 });
    expect(receipt.log.error.code).toMatch(/provider_unavailable|stream_interrupted/);
    await expectItAddsUp(account, receipt);
  });

  test.each([
    ["before the first token: the prompt, and the fee of a request", "demo/hanging", 0],
    ["mid-stream: what was delivered", "demo/paced", 5],
  ])("a client that disconnected %s", async (_, model, reads) => {
    const account = await world.account();
    const id = `left-${reads}`;
    const leaving = new AbortController();
    const response = fetch(`${world.gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${account.key}`, "content-type": "application/json", "x-request-id": id },
      body: JSON.stringify({ model, messages: hello, stream: true }),
      signal: leaving.signal,
    });
    if (reads === 0) await expect.poll(() => world.sent().length).toBe(1);
    else {
      const reader = (await response).body!.getReader();
      for (let read = 0; read < reads; read++) await reader.read();
    }
    leaving.abort();
    await response.catch(() => undefined);
    await expect.poll(async () => (await get(account, id)).status).toBe(200);
    const receipt = (await get(account, id)).json;
    expect(receipt.log).toMatchObject({ status: "success", http_status: 499 });
    expect(receipt.charge.cost_usd).toBeGreaterThan(0);
    expect(receipt.charge.lines.length).toBeGreaterThan(0);
    await expectItAddsUp(account, receipt);
  });

  test("of several requests with the same id it is the newest", async () => {
    const account = await world.account();
    for (const max_tokens of [3, 4, 5]) await world.chat(account, { model: "demo/chat", max_tokens }, { "x-request-id": "again" });
    expect((await get(account, "again")).json.usage.output).toBe(5);
  });

  test("what a key's calls cost is what its record says", async () => {
    const account = await world.account();
    const { secret, record } = await createKey(world.gateway.context.db, { accountId: account.accountId, name: "second", at: new Date() });
    const receipt = await receiptOf(account, await world.chat({ ...account, key: secret }, { model: "demo/counted" }));
    const { json } = await world.gateway.request("GET", "/v1/auth/keys", { key: account.key });
    expect(json.data.map(({ id, usage_usd }: any) => [id, usage_usd])).toEqual([
      [record.id, receipt.charge.cost_usd],
      [expect.any(String), 0],
    ]);
  });
});

describe("404 request_not_found", () => {
  test("an unknown id and another account's: the same answer except for the id", async () => {
    const account = await world.account();
    const other = await world.account();
    const theirs = (await world.chat(other, { model: "demo/chat" })).headers["x-request-id"]!;
    const bodies = [];
    for (const id of [theirs, "req_unknown", "log_0"]) {
      const { status, json } = await get(account, id);
      expect([status, json.error.code]).toEqual([404, "request_not_found"]);
      bodies.push(JSON.stringify({ ...json.error, request_id: "" }).replaceAll(id, "ID"));
    }
    expect(new Set(bodies).size).toBe(1);
  });
});

test("400 invalid_parameter: an id longer than any can be", async () => {
  const { status, json } = await get(await world.account(), "x".repeat(129));
  expect([status, json.error.code, json.error.param]).toEqual([400, "invalid_parameter", "request_id"]);
});
