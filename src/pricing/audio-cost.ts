// What audio costs, in its five pricing modes: by minute, character, second, song or call (docs/behaviour/billing.md#modes). Pure;
// money.ts rounds once.
import type { Pricing } from "../catalog/types.ts";
import { type Amount, costOfRates, type Price, type RateLine } from "../money.ts";

/** The prices of a call at its admission, stored with its row of the usage log. */
export interface AudioPrices {
  /** The model that the prices belong to. */
  model: string;
  unit: "minute" | "character" | "second" | "song" | "call";
  /** Of one unit, in 1e-12 USD as text. */
  each: string;
}

/** A quantity at these prices. */
export interface AudioCharge {
  prices: AudioPrices;
  /** In the unit of the prices: whole but for seconds, which have three decimals. */
  units: number;
}

/** Throws for a mode that audio is not billed in: the catalog's check refuses such models. */
export function audioPricesOf({ id, pricing }: { id: string; pricing: Pricing }): AudioPrices {
  const at = (unit: AudioPrices["unit"], price: Price): AudioPrices => ({ model: id, unit, each: String(price) });
  switch (pricing.mode) {
    case "per-minute":
      return at("minute", pricing.perMinute);
    case "per-1k-chars":
      return at("character", pricing.perCharacter);
    case "per-second":
      return at("second", pricing.perSecond);
    case "per-song":
      return at("song", pricing.perSong);
    case "per-call":
      return at("call", pricing.perCall);
    default:
      throw new Error(`${id} is billed ${pricing.mode}, which audio is not`);
  }
}

/** Codecs pad a recording to fill their packets: 60 s of MP3 or AAC decode to about 60.05 s. */
const paddingSec = 0.1;

/** Whole minutes, rounded up, and at least the model's own minimum. */
export function billableMinutes({ id, pricing }: { id: string; pricing: Pricing }, seconds: number): number {
  if (pricing.mode !== "per-minute") throw new Error(`${id} is not billed by the minute`);
  return Math.max(1, pricing.minBillableMinutes, Math.ceil((seconds - paddingSec) / 60));
}

/** Rounded up once, to 1e-8 USD. */
export function audioCost(charge: AudioCharge): Amount {
  return costOfRates([audioCostLine(charge)]);
}

interface AudioCostLine extends RateLine {
  item: AudioPrices["unit"];
  quantity: number;
}

export function audioCostLine({ prices: { unit, each }, units }: AudioCharge): AudioCostLine {
  const price = BigInt(each);
  return unit === "second"
    ? { item: unit, quantity: units, units: BigInt(Math.round(units * 1000)), price, per: 1000n }
    : { item: unit, quantity: units, units: BigInt(units), price, per: 1n };
}
