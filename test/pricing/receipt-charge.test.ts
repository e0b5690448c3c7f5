// Receipts add up: the lines, read as a customer reads them, give the charge to the last digit.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toUsd } from "../../src/money.ts";
import { receiptCharge } from "../../src/pricing/receipt-charge.ts";
import type { TokenPrices } from "../../src/catalog/types.ts";
import { tokenCost } from "../../src/pricing/token-cost.ts";
import type { Usage } from "../../src/usage.ts";

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
const usage: fc.Arbitrary<Usage> = fc.record({
  input: tokens,
  cacheRead: tokens,
  cacheWrite: fc.constant(900_000),
  cacheWriteHour: fc.nat(900_000),
  output: tokens,
  reasoning: fc.constant(0),
});
const receipt = (prices: TokenPrices, usage: Usage, cost: bigint, delivered = true) =>
  receiptCharge({ model: "m", prices, usage, delivered, reserved: 10n ** 15n, cost });

/** In 1e-18 USD, from decimal text alone. */
function units(text: string): bigint {
  expect(text).toMatch(/^\d+(\.\d{1,12})?$/);
  const [whole, fraction = ""] = text.split(".") as [string, string?];
  return BigInt(whole + fraction.padEnd(18, "0"));
}

/** The shortest decimal text that is this number: what a customer reads in the JSON. */
const decimals = (value: number) => units(value.toFixed(12).replace(/\.?0+$/, "") || "0");
const ceil = (sum: bigint, unit: bigint) => (sum + unit - 1n) / unit;

function recompute({ lines }: ReturnType<typeof receiptCharge>): bigint {
  return lines.reduce((sum, { item, quantity, unit_price_usd }) => {
    const per = item === "request" ? 1n : 1_000_000n;
    const exact = BigInt(quantity) * decimals(unit_price_usd);
    expect(exact % per).toBe(0n);
    return sum + exact / per;
  }, 0n);
}

describe("recomputing a receipt", () => {
  test("quantity × price of every line, summed and rounded up once, is what was charged", () => {
    fc.assert(
      fc.property(prices, usage, (prices, usage) => {
        const { cost } = tokenCost(prices, usage);
        const charge = receipt(prices, usage, cost);
        const sum = recompute(charge);
        expect(charge.lines.reduce((total, { amount_usd }) => total + units(amount_usd), 0n)).toBe(sum);
        expect(units(charge.sum_usd)).toBe(sum);
        expect(ceil(sum, 10_000_000_000n * prices.step) * prices.step).toBe(cost);
        expect(charge.rounded_usd).toBe(toUsd(cost));
        expect(charge.cost_usd).toBe(charge.rounded_usd);
      }),
    );
  });

  test("no line is there for nothing, and none twice", () => {
    fc.assert(
      fc.property(prices, usage, (prices, usage) => {
        const { lines } = receipt(prices, usage, 0n);
        expect(new Set(lines.map(({ item }) => item)).size).toBe(lines.length);
        expect(lines.every(({ quantity }) => quantity > 0)).toBe(true);
      }),
    );
  });
});

describe("a receipt", () => {
  const plain: TokenPrices = {
    input: 500_000n,
    output: 1_500_000n,
    cached: null,
    cacheWrite: 500_000n,
    cacheWriteHour: 500_000n,
    perRequest: 0n,
    step: 1n,
  };
  const used: Usage = { input: 9, cacheRead: 4, cacheWrite: 2, output: 12, reasoning: 3 };

  test("tokens read from a cache cost the input price where the model has no other; written ones always do", () => {
    expect(receipt(plain, used, 2_550n).lines).toEqual([
      { item: "input", quantity: 9, unit_price_usd: 0.5, amount_usd: "0.0000045" },
      { item: "cache_read", quantity: 4, unit_price_usd: 0.5, amount_usd: "0.000002" },
      { item: "cache_write", quantity: 2, unit_price_usd: 0.5, amount_usd: "0.000001" },
      { item: "output", quantity: 12, unit_price_usd: 1.5, amount_usd: "0.000018" },
    ]);
  });

  test("a flat fee is one request", () => {
    expect(
      receipt({ ...plain, perRequest: 500_000n }, { ...used, input: 0, cacheRead: 0, cacheWrite: 0, output: 0 }, 500_000n),
    ).toMatchObject({
      lines: [{ item: "request", quantity: 1, unit_price_usd: 0.005, amount_usd: "0.005" }],
      sum_usd: "0.005",
      rounded_usd: 0.005,
    });
  });

  test("one that was capped shows both the sum and what was charged", () => {
    expect(receipt(plain, used, 100n)).toMatchObject({ sum_usd: "0.0000255", rounded_usd: 0.0000255, cost_usd: 0.000001 });
  });

  test("nothing is added up where nothing was delivered, a flat fee neither", () => {
    expect(receipt({ ...plain, perRequest: 500_000n }, used, 0n, false)).toMatchObject({
      lines: [],
      sum_usd: "0",
      rounded_usd: 0,
      cost_usd: 0,
    });
  });
});
