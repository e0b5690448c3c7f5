// Receipts: a charge line by line and exact, so that a customer can recompute it. The costs themselves are computed in token-cost.ts,
// media-cost.ts and audio-cost.ts; test/pricing compares them.
import type { components } from "../../generated/api.d.ts";
import type { ServerTool } from "../../generated/withheld-fields.ts";
import {
  type Amount,
  costOf,
  costOfRates,
  exactRateText,
  exactSum,
  exactUsdText,
  million,
  type Price,
  priceFromAmount,
  roundUpTo,
  toUsd,
  usdFromPrice,
} from "../money.ts";
import { noToolCalls, serverToolNames, type Usage } from "../usage.ts";
import { audioCostLine, type AudioPrices } from "./audio-cost.ts";
import { type Made, mediaCostLines, type MediaPrices } from "./media-cost.ts";
import type { TokenPrices } from "../catalog/types.ts";

type ReceiptCharge = components["schemas"]["ReceiptCharge"];

interface Charged {
  /** The model whose prices count. */
  model: string;
  prices: TokenPrices;
  usage: Usage;
  /** False: it failed, or its client disconnected before anything was delivered. Then there are no lines. */
  delivered: boolean;
  reserved: Amount;
  cost: Amount;
}

export function receiptCharge({ model, prices, usage, delivered, reserved, cost }: Charged): ReceiptCharge {
  const lines = delivered ? linesOf(prices, usage).filter(({ quantity }) => quantity > 0) : [];
  const summed = lines.map(({ quantity, price }) => [quantity, price] as const);
  return {
    model,
    ...(prices.serviceTier === undefined ? {} : { service_tier: prices.serviceTier }),
    ...(prices.longContext === undefined ? {} : { long_context: prices.longContext }),
    lines: lines.map(({ item, quantity, price, per }) => ({
      item,
      quantity,
      unit_price_usd: usdFromPrice(price, per),
      amount_usd: exactUsdText(exactSum([[quantity, price]])),
    })),
    sum_usd: exactUsdText(exactSum(summed)),
    rounded_usd: toUsd(roundUpTo(costOf(summed), prices.step)),
    reserved_usd: toUsd(reserved),
    cost_usd: toUsd(cost),
  };
}

interface UnitsCharged extends Pick<Charged, "reserved" | "cost"> {
  prices: MediaPrices | AudioPrices;
  /** The billed quantity, in the unit of the prices; 0: nothing was made. */
  units: number;
}

/** Of a media job or of audio: what was delivered, at the prices of its submit or admission. */
export function unitsReceiptCharge({ prices, units, reserved, cost }: UnitsCharged): ReceiptCharge {
  const lines = isAudio(prices) ? (units === 0 ? [] : [audioCostLine({ prices, units })]) : mediaCostLines(prices, madeOf(prices, units));
  return {
    model: prices.model,
    lines: lines.map((line) => ({
      item: line.item,
      quantity: line.quantity,
      unit_price_usd: usdFromPrice(line.price),
      amount_usd: exactRateText([line]),
    })),
    sum_usd: exactRateText(lines),
    rounded_usd: toUsd(costOfRates(lines)),
    reserved_usd: toUsd(reserved),
    cost_usd: toUsd(cost),
  };
}

/** Seconds of video and of music. */
function isAudio(prices: MediaPrices | AudioPrices): prices is AudioPrices {
  return prices.unit === "minute" || prices.unit === "character" || prices.unit === "song" || prices.unit === "call";
}

function madeOf({ unit }: Pick<MediaPrices, "unit">, units: number): Made {
  const count = unit === "image" ? units : Math.min(1, Math.ceil(units));
  return { count, pixels: unit === "megapixel" ? Math.round(units * Number(million)) : 0, seconds: unit === "second" ? units : 0 };
}

interface Line {
  item: "input" | "cache_read" | "cache_write" | "cache_write_1h" | "output" | ServerTool | "request";
  quantity: number;
  price: Price;
  /** The price is shown for so many. */
  per: bigint;
}

function linesOf({ input, output, cached, cacheWrite, cacheWriteHour, perRequest, toolCalls = {} }: TokenPrices, usage: Usage): Line[] {
  const { cacheWriteHour: hour = 0, toolCalls: calls = noToolCalls } = usage;
  return [
    { item: "input", quantity: usage.input, price: input, per: million },
    { item: "cache_read", quantity: usage.cacheRead, price: cached ?? input, per: million },
    { item: "cache_write", quantity: usage.cacheWrite - hour, price: cacheWrite, per: million },
    { item: "cache_write_1h", quantity: hour, price: cacheWriteHour, per: million },
    { item: "output", quantity: usage.output, price: output, per: million },
    ...serverToolNames.map((tool) => ({ item: tool, quantity: calls[tool] ?? 0, price: toolCalls[tool] ?? 0n, per: 1n })),
    { item: "request", quantity: perRequest === 0n ? 0 : 1, price: priceFromAmount(perRequest), per: 1n },
  ];
}
