// Each attempt of each kind of call is logged with what it cost the operator, and no caller sees it (docs/behaviour/billing.md#expenses).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { callSvc } from "../cli/run-svc.ts";
import type { Gateway, TestAccount } from "../support/gateway.ts";
import { eventually } from "../support/eventually.ts";
import { scrape } from "../telemetry/scrape.ts";
import { asks, logged, make, openWorld } from "./world.ts";

let gateway: Gateway;
let account: TestAccount;
beforeAll(async () => void ({ gateway, account } = await openWorld()));
afterAll(() => gateway.stop());

/** Of tokens at 1 and 4 USD per million, in 1e-8 USD. */
const ofTokens = (input: bigint, output: bigint) => input * 100n + output * 400n;

describe("what a call costs the operator", () => {
  test.each(["chat", "chat, streamed", "message", "response", "completion"] as const)(
    "%s: its tokens at the route's cost",
    async (kind) => {
      const { row } = await make(gateway, account, asks[kind]);
      expect(row.expense).toBe(ofTokens(row.input_tokens, row.output_tokens));
      expect(row.expense).toBeGreaterThan(0n);
      expect(row.cost).toBe(row.expense! * 2n);
    },
  );

  test("cache reads and writes at costs of their own, those of an hour too", async () => {
    const { row } = await make(gateway, account, asks["a message that fills the cache for an hour"]);
    expect([row.cache_read_tokens, row.cache_write_tokens]).toEqual([3n, 5n]);
    expect(row.expense).toBe(ofTokens(row.input_tokens, row.output_tokens) + 3n * 10n + 5n * 200n);
  });

  test("a call whose caller disconnects while its answer is made costs the operator at least the prompt", async () => {
    const body = JSON.stringify({ ...asks.chat.body, model: "demo/slow" });
    const headers = { authorization: `Bearer ${account.key}`, "content-type": "application/json", "x-request-id": "req_that_leaves" };
    const leaving = new AbortController();
    const left = fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", body, headers, signal: leaving.signal });
    await eventually(() =>
      expect(gateway.simulator.calls().some(({ json }) => (json as { model: string }).model.includes("slow"))).toBe(true),
    );
    leaving.abort();
    await expect(left).rejects.toThrow();
    const row = await logged(gateway, "req_that_leaves");
    expect(row.status).toBe("aborted");
    expect(row.expense).toBeGreaterThanOrEqual(500n);
  });

  test("an unreadable 200 costs the prompt as it was estimated, besides the answer of the route that followed", async () => {
    const { row } = await make(gateway, account, asks["an unreadable answer, then another route's"]);
    expect(row.attempts.map(({ route, outcome, cost }) => [route, outcome, cost])).toEqual([
      ["north/chat+sim-bad-json", "unreadable", "700"], // "user", "Hello" and a message: seven tokens
      ["south/chat", "ok", String(row.input_tokens * 150n + row.output_tokens * 500n)],
    ]);
    expect(row.expense).toBe(700n + BigInt(row.attempts[1]!.cost!));
  });

  test("an unreadable 200 alone: the customer pays nothing, the operator the prompt and the request", async () => {
    const { row } = await make(gateway, account, asks["an unreadable answer alone"]);
    expect([row.cost, row.expense]).toEqual([0n, 700n + 100_000n]);
  });

  test("a request whose answers can't be read buys three of them, however many routes there are", async () => {
    const { reply, row } = await make(gateway, account, asks["an answer that no reader takes"]);
    expect([reply.status, row.cost, row.expense]).toEqual([502, 0n, 3n * 700n]);
    const called = gateway.simulator.calls().flatMap(({ model }) => (model?.startsWith("hopeless") ? [model.slice(0, 10)] : []));
    expect(called).toEqual(["hopeless-0", "hopeless-1", "hopeless-2"]);
  });

  test.each([
    { model: "demo/late", stream: false, output: 20n },
    { model: "demo/late", stream: true, output: 0n },
    { model: "demo/late-thinker", stream: true, output: 20n },
    { model: "demo/cut-thinker", stream: true, output: 20n },
    { model: "demo/late", stream: false, n: 2, output: 40n },
  ])("$model, streamed: $stream, given up before all of it was seen: as much as a model writes meanwhile, up to the cap", async (late) => {
    const { output, ...more } = late;
    const { row } = await make(gateway, account, { path: "chat/completions", body: { ...asks.chat.body, max_tokens: 20, ...more } });
    expect([row.cost, row.expense]).toEqual([0n, ofTokens(7n, output)]);
  });

  test("an answer that was awaited in vain for 300 ms costs 30 tokens at least, without a cap too", async () => {
    const { row } = await make(gateway, account, { path: "chat/completions", body: { ...asks.chat.body, model: "demo/late" } });
    expect(row.expense).toBeGreaterThanOrEqual(ofTokens(7n, 30n));
    expect(row.expense).toBeLessThanOrEqual(ofTokens(7n, 1000n));
  });

  test("three routes that don't answer in time leave the fourth its chance, and each is an expense", async () => {
    const { reply, row } = await make(gateway, account, {
      path: "chat/completions",
      body: { ...asks.chat.body, model: "demo/late-thrice", max_tokens: 20 },
    });
    expect(reply.status).toBe(200);
    expect(row.attempts.map(({ outcome, cost }) => [outcome, cost])).toEqual([
      ...Array.from({ length: 3 }, () => ["unavailable", String(ofTokens(7n, 20n))]),
      ["ok", expect.any(String)],
    ]);
  });

  test("an answer that is an error costs nothing", async () => {
    const { row } = await make(gateway, account, asks["every route down"]);
    expect(row.attempts.map(({ cost }) => cost)).toEqual(["0", "0"]);
    expect(row.expense).toBe(0n);
  });

  test("an interrupted stream costs the prompt and what came, and is free for the customer", async () => {
    const { row } = await make(gateway, account, asks["an interrupted stream"]);
    expect(row.attempts).toMatchObject([{ outcome: "interrupted" }]);
    expect(row.cost).toBe(0n);
    const output = (row.expense! - 700n) / 400n;
    expect(output).toBeGreaterThan(0n);
    expect(row.expense).toBe(ofTokens(7n, output));
  });

  test("a route without a cost leaves it unknown", async () => {
    const { row } = await make(gateway, account, asks["a route without a cost"]);
    expect(row.expense).toBeNull();
    expect(row.attempts[0]).not.toHaveProperty("cost");
  });

  test.each([
    ["rerank", 200_000n],
    ["image", 4_000_000n],
    ["an image that fails", 0n],
    ["an image whose file is lost", 4_000_000n],
    ["video", 40_000_000n],
    ["speech", 1_500_000n],
    ["music", 6_000_000n],
    ["a cloned voice", 150_000_000n],
    ["a transcription over two routes", 2n * 80_000n + 140_000n], // the first route is asked twice
  ] as const)("%s: %s units", async (kind, expense) => {
    const { row } = await make(gateway, account, asks[kind]);
    expect(row.expense).toBe(expense);
    expect(row.attempts.reduce((sum, { cost }) => sum + BigInt(cost!), 0n)).toBe(expense);
  });
});

test("svc request show has the cost of each attempt; nothing that the customer reads has any", async () => {
  const { reply, row } = await make(gateway, account, asks["an unreadable answer, then another route's"]);
  const shown = await callSvc({ DATABASE_URL: gateway.databaseUrl }, ["request", "show", row.request_id, "--json"]);
  expect(shown.json().attempts).toMatchObject([{ cost: 0.000007 }, { cost: Number(row.attempts[1]!.cost) / 1e8 }]);
  const text = (await callSvc({ DATABASE_URL: gateway.databaseUrl }, ["request", "show", row.request_id])).stdout;
  expect(text).toContain("north/chat+sim-bad-json: unreadable, unreadable: ");
  expect(text).toMatch(/ ms, costs you 0\.000007 USD$/m);
  const pages = [
    `/v1/usage/${row.request_id}`,
    "/v1/auth/usage/logs",
    "/v1/models",
    "/v1/models/demo%2Fchat",
    "/v1/pricing",
    "/v1/credits/ledger",
  ];
  const read = await Promise.all(pages.map((page) => gateway.request("GET", page, { key: account.key, unchecked: true })));
  expect(read.map(({ status }) => status)).toEqual(pages.map(() => 200));
  const secret = [700, Number(row.attempts[1]!.cost), Number(row.expense)].map((cost) => String(cost / 1e8));
  for (const { text: body } of [reply, ...read]) {
    expect(body).not.toMatch(/expense|north|south/);
    expect(secret.filter((cost) => body.includes(cost))).toEqual([]);
  }
});

test("an attempt keeps the id that its provider gave the answer, for the operator alone", async () => {
  for (const kind of ["message", "image"] as const) {
    const { reply, row } = await make(gateway, account, asks[kind]);
    const { response_id: id } = row.attempts[0]!;
    expect(id).toMatch(/^\S{8,200}$/);
    const shown = await callSvc({ DATABASE_URL: gateway.databaseUrl }, ["request", "show", row.request_id, "--json"]);
    expect(shown.json().attempts).toMatchObject([{ response_id: id }]);
    const receipt = await gateway.request("GET", `/v1/usage/${row.request_id}`, { key: account.key });
    expect(reply.text + receipt.text).not.toContain(id);
  }
});

test("/metrics counts charges and costs by model, route and provider, as the log has them", async () => {
  const { rows } = await gateway.context.db.pool.query<
    Record<"model" | "route", string> & { cost: bigint | null; charged: bigint; unknown: bigint }
  >(
    `select l.model, a.value ->> 'route' as route, sum((a.value ->> 'cost')::bigint)::bigint as cost,
       sum(case when a.n = jsonb_array_length(l.attempts) then l.cost else 0 end)::bigint as charged,
       sum(case when a.n = jsonb_array_length(l.attempts) and not a.value ? 'cost' then l.cost else 0 end)::bigint as unknown
     from usage_log l, jsonb_array_elements(l.attempts) with ordinality a(value, n) group by 1, 2`,
  );
  const page = await scrape(gateway);
  expect(rows.length).toBeGreaterThan(15);
  expect(rows.some(({ cost, unknown }) => cost === null && unknown > 0n)).toBe(true);
  for (const { model, route, cost, charged, unknown } of rows) {
    const of = { model, route, provider: route.split("/")[0]! };
    // Not 0 where it is unknown: there is no sample then.
    expect([route, page.figure("svc_route_cost_usd_total", of)]).toEqual([route, cost === null ? undefined : Number(cost) / 1e8]);
    expect([route, page.figure("svc_route_charged_without_cost_usd_total", of)]).toEqual([route, Number(unknown) / 1e8]);
    expect([route, page.figure("svc_route_charged_usd_total", of)]).toEqual([route, Number(charged) / 1e8]);
  }
});
