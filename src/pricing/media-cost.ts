// What pictures and clips cost: the hold from what is asked for, the charge from what was delivered and never above the hold
// (gateway-api.md "Image job", OPERATOR.md "Pricing modes"). Pure; the one rounding is money.ts's.
import type { Pricing, Quality } from "../catalog/types.ts";
import { type Amount, costOfRates, million, type Price, type RateLine } from "../money.ts";

/** The prices of a job as they were at its submit, kept with it and with its row of the log. Prices in 1e-12 USD as text. */
export interface MediaPrices {
  /** Whose they are. */
  model: string;
  unit: "image" | "megapixel" | "second";
  /** Of one image or second; of a per-megapixel model, of the first megapixel. */
  each: string;
  /** Of each further megapixel; absent on all other models. */
  further?: string;
  /** Once for a request that carries references; absent: nothing. */
  references?: string;
}

/** What a job makes or made. */
export interface Made {
  /** Pictures or clips. */
  count: number;
  /** Of all pictures together. */
  pixels: number;
  /** Of the clip. */
  seconds: number;
}

/** Throws for a mode that no picture or clip is billed in: the catalog's check lets none through. */
export function mediaPricesOf(
  { id, pricing }: { id: string; pricing: Pricing },
  { quality, references }: { quality: Quality | null; references: Price },
): MediaPrices {
  const once = references === 0n ? {} : { references: String(references) };
  switch (pricing.mode) {
    case "per-image":
      return { model: id, unit: "image", each: String(pricing.perImage), ...once };
    case "per-quality":
      return { model: id, unit: "image", each: String(pricing[quality ?? pricing.defaultQuality]), ...once };
    case "per-megapixel":
      return { model: id, unit: "megapixel", each: String(pricing.base), further: String(pricing.extraPerMegapixel), ...once };
    case "per-second":
      return { model: id, unit: "second", each: String(pricing.perSecond), ...once };
    default:
      throw new Error(`${id} is billed ${pricing.mode}, which no picture or clip is`);
  }
}

/** Rounded up once, to 1e-8 USD. A charge is the lesser of this and the hold: that is for whoever ends the job. */
export function mediaCost(prices: MediaPrices, made: Made): Amount {
  return costOfRates(mediaCostLines(prices, made));
}

export interface MediaCostLine extends RateLine {
  item: "image" | "megapixel" | "further_megapixel" | "second" | "references";
  /** As people count: `units` / `per`. Pictures, megapixels, seconds. */
  quantity: number;
}

/** The sum of a charge, line by line; none where nothing was made. */
export function mediaCostLines(prices: MediaPrices, { count, pixels, seconds }: Made): MediaCostLine[] {
  if (count === 0) return [];
  const each = BigInt(prices.each);
  const references = prices.references === undefined ? [] : [line("references", 1, 1n, BigInt(prices.references))];
  switch (prices.unit) {
    case "image":
      return [line("image", count, 1n, each), ...references];
    case "second":
      return [line("second", milliseconds(seconds), 1000n, each), ...references];
    case "megapixel": {
      const further = Math.max(0, pixels - firstMegapixel);
      return [
        line("megapixel", 1, 1n, each),
        ...(further === 0 ? [] : [line("further_megapixel", further, million, BigInt(prices.further ?? "0"))]),
        ...references,
      ];
    }
  }
}

/** How much is billed, in the unit of the prices. */
export function billedUnits({ unit }: Pick<MediaPrices, "unit">, { count, pixels, seconds }: Made): number {
  return unit === "image" ? count : unit === "megapixel" ? pixels / firstMegapixel : milliseconds(seconds) / 1000;
}

/** One megapixel is a million pixels, and not rounded (OPERATOR.md). */
const firstMegapixel = Number(million);

/** Lengths are measured as fractions; what is billed of them is whole milliseconds. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

function line(item: MediaCostLine["item"], units: number, per: bigint, price: Price): MediaCostLine {
  return { item, quantity: units / Number(per), units: BigInt(units), price, per };
}
