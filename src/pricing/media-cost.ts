// What images and videos cost: the hold from the request, the charge from what was delivered, never above the hold
// (docs/behaviour/billing.md#modes). Pure; money.ts rounds once.
import type { Pricing, Quality } from "../catalog/types.ts";
import { type Amount, costOfRates, million, type Price, type RateLine } from "../money.ts";

/** The prices of a job at its submit, stored with it and with its row of the usage log. Prices in 1e-12 USD as text. */
export interface MediaPrices {
  /** The model that the prices belong to. */
  model: string;
  unit: "image" | "megapixel" | "second";
  /** Of one image or second; of a per-megapixel model, of the first megapixel. */
  each: string;
  /** Of each further megapixel; absent on all other models. */
  further?: string;
  /** Once for a request with reference images; absent: nothing. */
  references?: string;
}

/** What a job will make or has made. */
export interface Made {
  /** Images or videos. */
  count: number;
  /** Of all images together. */
  pixels: number;
  /** Of the video. */
  seconds: number;
}

/** Throws for a mode that images and videos are not billed in: the catalog's check refuses such models. */
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
      throw new Error(`${id} is billed ${pricing.mode}, which images and videos are not`);
  }
}

/** Rounded up once, to 1e-8 USD. The job's end charges the lesser of this and the hold. */
export function mediaCost(prices: MediaPrices, made: Made): Amount {
  return costOfRates(mediaCostLines(prices, made));
}

interface MediaCostLine extends RateLine {
  item: "image" | "megapixel" | "further_megapixel" | "second" | "references";
  /** The quantity that a customer counts is `units` / `per`: images, megapixels, seconds. */
  quantity: number;
}

/** The charge, line by line; empty where nothing was made. */
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

/** The billed quantity, in the unit of the prices. */
export function billedUnits({ unit }: Pick<MediaPrices, "unit">, { count, pixels, seconds }: Made): number {
  return unit === "image" ? count : unit === "megapixel" ? pixels / firstMegapixel : milliseconds(seconds) / 1000;
}

/** One megapixel is a million pixels; amounts are not rounded (docs/behaviour/billing.md#amounts). */
const firstMegapixel = Number(million);

/** Durations are measured as fractions and billed in whole milliseconds. */
function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000);
}

function line(item: MediaCostLine["item"], units: number, per: bigint, price: Price): MediaCostLine {
  return { item, quantity: units / Number(per), units: BigInt(units), price, per };
}
