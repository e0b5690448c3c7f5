// What pictures and clips cost: the hold from what is asked for, the charge from what was delivered and never above the hold
// (gateway-api.md "Image job", OPERATOR.md "Pricing modes"). Pure; the one rounding is money.ts's.
import type { Pricing, Quality } from "../catalog/types.ts";
import { type Amount, type CostLine, costOf, million, type Price } from "../money.ts";

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

export function mediaCost(prices: MediaPrices, made: Made): Amount {
  return costOf(mediaCostLines(prices, made).map(({ quantity, price, per }) => [quantity, price / per] as CostLine));
}

export interface MediaCostLine {
  item: "image" | "megapixel" | "further_pixel" | "second" | "references";
  quantity: number;
  price: Price;
  /** The price is of so many. */
  per: bigint;
}

/** The sum of a charge, line by line. */
export function mediaCostLines(prices: MediaPrices, { count, pixels, seconds }: Made): MediaCostLine[] {
  throw new Error(`not built: ${prices.unit} ${count} ${pixels} ${seconds} ${million}`);
}

/** How much is billed, in the unit of the prices. */
export function billedUnits({ unit }: Pick<MediaPrices, "unit">, { count, pixels, seconds }: Made): number {
  return unit === "image" ? count : unit === "megapixel" ? pixels / 1_000_000 : seconds;
}
