// The operator's cost of one attempt: exact sums, rounded up once.
import { expect, test } from "vitest";
import type { RouteCost } from "../../src/catalog/types.ts";
import { expenseOf } from "../../src/pricing/expense.ts";

const cost: RouteCost = {
  ...{ input: 500_000n, output: 1_500_000n, cacheRead: 50_000n, cacheWrite: 625_000n, cacheWriteHour: 1_000_000n },
  ...{
    request: 1_000_000_000n,
    toolCalls: { web_search: 8_000_000_000n, web_fetch: 3_000_000_000n },
    image: 40_000_000_000n,
    second: 100_000_000_000n,
    minute: 6_000_000_000n,
    character: 15_000_000n,
  },
};
const noCost = Object.fromEntries(Object.keys(cost).map((key) => [key, key === "toolCalls" ? {} : 0n])) as unknown as RouteCost;

test("each kind of token at its own cost, and the request once", () => {
  const usage = { input: 1000, cacheRead: 200, cacheWrite: 40, output: 300, reasoning: 100 };
  // 0.0005 + 0.00001 + 0.000025 + 0.00045 + 0.001
  expect(expenseOf(cost, { usage })).toBe(198_500n);
});

test("of cache writes, those that are kept for an hour at their own cost", () => {
  const usage = { input: 0, cacheRead: 0, cacheWrite: 40, cacheWriteHour: 30, output: 0, reasoning: 0 };
  expect(expenseOf({ ...cost, request: 0n }, { usage })).toBe(3_625n); // 10 at 0.625 and 30 at 1 USD per million
});

test("a prompt longer than the provider's bound, caches included, costs what long ones do; one at the bound does not", () => {
  const long = {
    above: 1_000,
    input: 1_000_000n,
    output: 2_250_000n,
    cacheRead: 100_000n,
    cacheWrite: 1_250_000n,
    cacheWriteHour: 2_000_000n,
  };
  const usage = { input: 600, cacheRead: 300, cacheWrite: 100, output: 10, reasoning: 0 };
  const rates = { ...noCost, input: 500_000n, output: 1_500_000n, cacheRead: 50_000n, cacheWrite: 625_000n, long };
  expect(expenseOf(rates, { usage })).toBe(39_250n);
  expect(expenseOf(rates, { usage: { ...usage, input: 601 } })).toBe(77_850n);
});

test("a service tier multiplies each token's cost: the tier that was served, else the one that was sent; one without a cost is the usual", () => {
  const usage = {
    input: 1000,
    cacheRead: 200,
    cacheWrite: 40,
    cacheWriteHour: 30,
    output: 300,
    reasoning: 0,
    toolCalls: { web_search: 1 },
  };
  const tiers = new Map([
    ["flex", 500_000n],
    ["priority", 2_500_000n],
  ]);
  const rates = { ...cost, tiers };
  const fixed = 100_000n + 800_000n; // the request and the search
  const tokens = 99_625n; // 0.0005 + 0.00001 + 0.00000625 + 0.00003 + 0.00045
  expect(expenseOf(rates, { usage })).toBe(tokens + fixed);
  expect(expenseOf(rates, { usage, tier: "flex" })).toBe((tokens + 1n) / 2n + fixed); // rounded up once
  expect(expenseOf(rates, { usage: { ...usage, serviceTier: "priority" }, tier: "flex" })).toBe((tokens * 5n + 1n) / 2n + fixed);
  expect(expenseOf(rates, { usage: { ...usage, serviceTier: "default" }, tier: "flex" })).toBe(tokens + fixed);
});

test("calls of tools that the provider ran, each at its own cost", () => {
  const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0, toolCalls: { web_search: 3, web_fetch: 2 } };
  expect(expenseOf({ ...cost, request: 0n }, { usage })).toBe(3_000_000n);
});

test("what is not whole is rounded up once", () => {
  const usage = { input: 1, cacheRead: 1, cacheWrite: 0, output: 0, reasoning: 0 };
  expect(expenseOf({ ...noCost, input: 1n, cacheRead: 1n }, { usage })).toBe(1n);
  expect(expenseOf(noCost, { usage })).toBe(0n);
});

test("images, seconds, minutes and characters", () => {
  const free = { ...cost, request: 0n };
  expect(expenseOf(free, { images: 3 })).toBe(12_000_000n);
  expect(expenseOf(free, { seconds: 4.5 })).toBe(45_000_000n);
  expect(expenseOf(free, { minutes: 2 })).toBe(1_200_000n);
  expect(expenseOf(free, { characters: 7 })).toBe(10_500n);
});
