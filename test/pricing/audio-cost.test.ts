// What audio costs, to the unit: minutes and their rounding, characters, seconds, songs and calls.
import { describe, expect, test } from "vitest";
import { priceFromUsd } from "../../src/money.ts";
import { audioCost, audioPricesOf, billableMinutes } from "../../src/pricing/audio-cost.ts";

const perMinute = (minBillableMinutes = 1) => ({
  id: "demo/stt",
  pricing: { mode: "per-minute", perMinute: priceFromUsd(0.0009), minBillableMinutes } as const,
});

describe("minutes", () => {
  test.each([
    [0.001, 1],
    [59.9, 1],
    [60, 1],
    [60.05, 1], // a minute of MP3 with its padding
    [60.101, 2],
    [61, 2],
    [119.9, 2],
    [120.06, 2],
    [3_600, 60],
  ])("%s s are %i", (seconds, minutes) => {
    expect(billableMinutes(perMinute(), seconds)).toBe(minutes);
  });

  test("the model's minimum counts", () => {
    expect(billableMinutes(perMinute(3), 5)).toBe(3);
    expect(billableMinutes(perMinute(0), 5)).toBe(1);
  });
});

describe("costs", () => {
  const costOf = (pricing: Parameters<typeof audioPricesOf>[0]["pricing"], units: number) =>
    audioCost({ prices: audioPricesOf({ id: "demo/model", pricing }), units });

  test("61 s at 0.0009 USD a minute are 0.0018 USD", () => {
    const model = perMinute();
    expect(costOf(model.pricing, billableMinutes(model, 61))).toBe(180_000n);
  });
  test("5,000 characters at 0.405 USD a thousand are 2.025 USD, one is rounded up to 1e-8", () => {
    const pricing = { mode: "per-1k-chars", perCharacter: priceFromUsd(0.405, 1_000n) } as const;
    expect(costOf(pricing, 5_000)).toBe(202_500_000n);
    expect(costOf({ mode: "per-1k-chars", perCharacter: priceFromUsd(0.07, 1_000n) }, 1)).toBe(7_000n);
    expect(costOf({ mode: "per-1k-chars", perCharacter: 1n }, 1)).toBe(1n);
  });
  test("30.5 s of music at 0.135 USD a second are 4.1175 USD", () => {
    expect(costOf({ mode: "per-second", perSecond: priceFromUsd(0.135) }, 30.5)).toBe(411_750_000n);
  });
  test("a song is a song, a call a call", () => {
    expect(costOf({ mode: "per-song", perSong: priceFromUsd(0.108) }, 1)).toBe(10_800_000n);
    expect(costOf({ mode: "per-call", perCall: priceFromUsd(4.2) }, 1)).toBe(420_000_000n);
  });
});
