// Integers of money: what is parsed is what is shown, and a cost is rounded up once.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { affordableUnits, costOf, parseUsd, priceFromUsd, toUsd, usdFromPrice, usdText } from "../../src/money.ts";

describe("amounts", () => {
  test("the JSON number of every amount below 60 million USD is exact", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -6_000_000_000_000_000n, max: 6_000_000_000_000_000n }), (amount) => {
        expect(parseUsd(usdText(amount))).toBe(amount);
        expect(Number(usdText(amount))).toBe(toUsd(amount));
      }),
    );
  });

  test.each(["", "1,5", "1e-3", "0.123456789", "--1", " 1", "1.", ".5", "9999999999999"])("%j is no amount", (text) => {
    expect(parseUsd(text)).toBeUndefined();
  });
});

describe("prices", () => {
  test.each([
    [0.15, 1_000_000n, 150_000n],
    [1e-7, 1n, 100_000n],
    [1234.567, 1n, 1_234_567_000_000_000n],
    [0.0009, 1n, 900_000_000n],
    [0.000001, 1_000_000n, 1n],
    [0, 1n, 0n],
  ])("%d USD per %d units is %d", (usd, units, price) => {
    expect(priceFromUsd(usd, units)).toBe(price);
    expect(usdFromPrice(price, units)).toBe(usd);
  });

  test("a cost is the exact sum, rounded up once", () => {
    const line = fc.tuple(fc.nat(2_000_000), fc.bigInt({ min: 0n, max: 10_000_000_000n }));
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), (lines) => {
        const exact = lines.reduce((sum, [units, price]) => sum + BigInt(units) * price, 0n);
        const cost = costOf(lines);
        expect(cost * 10_000n).toBeGreaterThanOrEqual(exact);
        expect(cost * 10_000n - exact).toBeLessThan(10_000n);
      }),
    );
  });

  test("1234 input at 0.15, 567 output at 0.60 and 100 cached at 0.0125 USD per million cost 0.00052655 USD", () => {
    const perMillion = (usd: number) => priceFromUsd(usd, 1_000_000n);
    expect(
      usdText(
        costOf([
          [1234, perMillion(0.15)],
          [567, perMillion(0.6)],
          [100, perMillion(0.0125)],
        ]),
      ),
    ).toBe("0.00052655");
  });

  test("what is affordable costs no more than the amount, and one more unit does", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 1n, max: 10n ** 10n }), (amount, price) => {
        const units = affordableUnits(amount, price);
        expect(costOf([[units, price]])).toBeLessThanOrEqual(amount);
        expect(costOf([[units + 1n, price]])).toBeGreaterThan(amount);
      }),
    );
  });
});
