// What a token-billed call costs, and that the bound reserved for it is never exceeded.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TokenPrices } from "../../src/catalog/types.ts";
import { affordableOutputTokens, tokenCost, tokenCostBound } from "../../src/pricing/token-cost.ts";

const price = fc.bigInt({ min: 0n, max: 100_000_000n });
const prices: fc.Arbitrary<TokenPrices> = fc.record({
  input: price,
  output: price,
  cached: fc.option(price),
  cacheWrite: price,
  cacheWriteHour: price,
  perRequest: fc.bigInt({ min: 0n, max: 1_000_000n }),
  step: fc.constantFrom(1n, 10_000n),
});
const tokens = fc.nat(1_000_000);

const plain: TokenPrices = {
  input: 500_000n,
  output: 1_500_000n,
  cached: 50_000n,
  cacheWrite: 500_000n,
  cacheWriteHour: 500_000n,
  perRequest: 0n,
  step: 1n,
};
const usage = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };

const reading = (inputTokens: number) => ({ inputTokens, toolCalls: {} });

describe("a token cost", () => {
  test("cached tokens cost the cached rate, and the discount is what that saved", () => {
    expect(tokenCost(plain, { ...usage, input: 100, cacheRead: 1_000, output: 10 })).toEqual({ cost: 11_500n, cacheDiscount: 45_000n });
  });
  test("without a cached rate cached tokens cost what input costs, and nothing is saved", () => {
    expect(tokenCost({ ...plain, cached: null }, { ...usage, cacheRead: 1_000 })).toEqual({ cost: 50_000n, cacheDiscount: 0n });
  });
  test("reasoning is inside the output and not billed twice", () => {
    expect(tokenCost(plain, { ...usage, output: 10, reasoning: 10 }).cost).toBe(tokenCost(plain, { ...usage, output: 10 }).cost);
  });
  test("the flat fee of a search model is added once", () => {
    expect(tokenCost({ ...plain, perRequest: 700n }, { ...usage, input: 1 }).cost).toBe(750n);
  });
  test("of decisions is rounded up once to 0.0001 USD, from the exact sum", () => {
    const decisions = { ...plain, input: 300_000n, output: 0n, step: 10_000n };
    const costOf = (input: number) => tokenCost(decisions, { ...usage, input, output: 9 }).cost;
    expect([0, 1, 333, 334, 666, 667].map(costOf)).toEqual([0n, 10_000n, 10_000n, 20_000n, 20_000n, 30_000n]);
    expect(tokenCostBound(decisions, reading(334), 1)).toBe(20_000n);
    expect(affordableOutputTokens(decisions, reading(334), 19_999n)).toBeLessThan(0);
    expect(affordableOutputTokens(decisions, reading(334), 20_000n)).toBeGreaterThan(0);
  });
  test("is never above the bound of its tokens, however they were cached", () => {
    fc.assert(
      fc.property(prices, tokens, tokens, tokens, tokens, (p, input, cacheRead, cacheWrite, output) => {
        const cacheWriteHour = Math.floor(cacheWrite / 3);
        const { cost, cacheDiscount } = tokenCost(p, { input, cacheRead, cacheWrite, cacheWriteHour, output, reasoning: 0 });
        expect(cost).toBeLessThanOrEqual(tokenCostBound(p, reading(input + cacheRead + cacheWrite), output));
        expect(cacheDiscount).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
  test("the affordable output is the largest whose bound the amount pays", () => {
    fc.assert(
      fc.property(prices, tokens, fc.bigInt({ min: 0n, max: 10n ** 10n }), (p, input, amount) => {
        const output = affordableOutputTokens(p, reading(input), amount);
        if (output >= 0) expect(tokenCostBound(p, reading(input), output)).toBeLessThanOrEqual(amount);
        if (p.output > 0n || output < 0) expect(tokenCostBound(p, reading(input), output + 1)).toBeGreaterThan(amount);
      }),
    );
  });
});
