// What images and videos cost: exact sums, one rounding up, and lines that add up to the charge.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Pricing } from "../../src/catalog/types.ts";
import { costOfRates, exactRateText, priceFromUsd } from "../../src/money.ts";
import { billedUnits, mediaCost, mediaCostLines, type MediaPrices, mediaPricesOf } from "../../src/pricing/media-cost.ts";

const usd = (text: number) => priceFromUsd(text);
const nothing = { count: 0, pixels: 0, seconds: 0 };
const images = (count: number, pixels = 0) => ({ count, pixels, seconds: 0 });
const video = (seconds: number) => ({ count: 1, pixels: 0, seconds });
const pricesOf = (pricing: Pricing, more: { quality?: "low" | "high"; references?: number } = {}) =>
  mediaPricesOf({ id: "a/model", pricing }, { quality: more.quality ?? null, references: usd(more.references ?? 0) });

const perImage = pricesOf({ mode: "per-image", perImage: usd(0.04) });
const perMegapixel = pricesOf({ mode: "per-megapixel", base: usd(0.03), extraPerMegapixel: usd(0.015), note: "" });
const perSecond = pricesOf({ mode: "per-second", perSecond: usd(0.1) });
const tiers = { mode: "per-quality", low: usd(0.009), medium: usd(0.019), high: usd(0.285), defaultQuality: "medium" } as const;

describe("images", () => {
  test.each([
    [1, 4_000_000n],
    [3, 12_000_000n],
    [4, 16_000_000n],
  ])("%i cost the rate of one so many times", (count, cost) => expect(mediaCost(perImage, images(count))).toBe(cost));

  test("the quality sets the price, and the default where none was asked for", () => {
    expect(mediaCost(pricesOf(tiers, { quality: "high" }), images(2))).toBe(57_000_000n);
    expect(mediaCost(pricesOf(tiers), images(2))).toBe(3_800_000n);
  });

  test("references are added once, however many images", () => {
    const flash = pricesOf(tiers, { quality: "low", references: 0.012 });
    expect(mediaCost(flash, images(1))).toBe(2_100_000n);
    expect(mediaCost(flash, images(4))).toBe(4_800_000n);
  });
});

describe("megapixels: base and each further pixel in proportion, not rounded to megapixels", () => {
  test.each([
    [0, 3_000_000n],
    [1_000_000, 3_000_000n],
    [1_000_001, 3_000_002n], // 0.000000015 USD more, rounded up
    [1_048_576, 3_072_864n],
    [1344 * 768, 3_048_288n],
    [2_000_000, 4_500_000n],
    [2048 * 2048, 7_791_456n],
    [16_000_000, 25_500_000n],
  ])("%i pixels", (pixels, cost) => expect(mediaCost(perMegapixel, images(1, pixels))).toBe(cost));

  test("a price too fine for one pixel is still exact: one rounding, at the end", () => {
    const fine = pricesOf({ mode: "per-megapixel", base: 0n, extraPerMegapixel: 1n, note: "" }); // 1e-12 USD a megapixel
    expect(mediaCost(fine, images(1, 1_000_001))).toBe(1n);
    expect(mediaCost(fine, images(1, 10_001_000_000))).toBe(1n);
    expect(mediaCost(fine, images(1, 10_001_000_001))).toBe(2n);
    expect(exactRateText(mediaCostLines(fine, images(1, 1_000_001)))).toBe("0.000000000000000001");
  });
});

describe("seconds", () => {
  test.each([
    [5, 50_000_000n],
    [5.0416, 50_420_000n],
    [0.0004, 0n],
    [0.001, 10_000n],
    [3600, 36_000_000_000n],
  ])("%d, to the millisecond", (seconds, cost) => expect(mediaCost(perSecond, video(seconds))).toBe(cost));
});

describe("lines", () => {
  test("give the billed quantity in the units that customers count", () => {
    const shown = (prices: MediaPrices, made: Parameters<typeof mediaCostLines>[1]) =>
      mediaCostLines(prices, made).map(({ item, quantity }) => [item, quantity]);
    expect(shown(pricesOf(tiers, { references: 0.012 }), images(2))).toEqual([
      ["image", 2],
      ["references", 1],
    ]);
    expect(shown(perMegapixel, images(1, 1_048_576))).toEqual([
      ["megapixel", 1],
      ["further_megapixel", 0.048576],
    ]);
    expect(shown(perMegapixel, images(1, 900_000))).toEqual([["megapixel", 1]]);
    expect(shown(perSecond, video(5.25))).toEqual([["second", 5.25]]);
    expect(mediaCostLines(perImage, nothing)).toEqual([]);
  });

  test("add up to the cost, which is never below their exact sum and less than 1e-8 USD above it", () => {
    const price = fc.bigInt({ min: 0n, max: 10n ** 12n });
    const prices = fc.record({ unit: fc.constantFrom("image", "megapixel", "second"), each: price, further: price, references: price });
    const made = fc.record({ count: fc.nat(4), pixels: fc.nat(200_000_000), seconds: fc.double({ min: 0, max: 3600, noNaN: true }) });
    fc.assert(
      fc.property(prices, made, ({ unit, each, further, references }, delivered) => {
        const billed: MediaPrices = {
          ...{ model: "a/model", unit: unit as MediaPrices["unit"], each: String(each), further: String(further) },
          references: String(references),
        };
        const lines = mediaCostLines(billed, delivered);
        const cost = mediaCost(billed, delivered);
        const exact = lines.reduce((sum, line) => sum + line.units * line.price * (1_000_000n / line.per), 0n); // 1e-18 USD
        expect(cost).toBe(costOfRates(lines));
        expect(cost * 10n ** 10n).toBeGreaterThanOrEqual(exact);
        expect((cost - 1n) * 10n ** 10n).toBeLessThan(exact === 0n ? 1n : exact);
      }),
    );
  });
});

test.each([
  [perImage, images(3, 5), 3],
  [perMegapixel, images(1, 1_048_576), 1.048576],
  [perSecond, video(5.25), 5.25],
  [perSecond, video(5.2504), 5.25],
])("the units billed are those of the price", (prices, made, units) => expect(billedUnits(prices, made)).toBe(units));
