// The sum of a charge, line by line and exact, so that a customer can recompute it. What a call costs is token-cost.ts;
// test/pricing holds the two against each other.
import type { components } from "../../generated/api.d.ts";
import { type Amount, costOf, exactUsdText, type Price, toUsd, usdFromPrice } from "../money.ts";
import type { Usage } from "../usage.ts";
import type { TokenPrices } from "./token-cost.ts";

export type ReceiptCharge = components["schemas"]["ReceiptCharge"];

export interface Charged {
  /** Whose prices count. */
  model: string;
  prices: TokenPrices;
  usage: Usage;
  /** False: it failed, or its client left before anything was delivered. Then nothing is added up. */
  delivered: boolean;
  reserved: Amount;
  cost: Amount;
}

export function receiptCharge({ model, prices, usage, delivered, reserved, cost }: Charged): ReceiptCharge {
  const lines = delivered ? linesOf(prices, usage).filter(({ quantity }) => quantity > 0) : [];
  const sum = lines.reduce((total, { quantity, price }) => total + BigInt(quantity) * price, 0n);
  return {
    model,
    lines: lines.map(({ item, quantity, price, per }) => ({
      item,
      quantity,
      unit_price_usd: usdFromPrice(price, per),
      amount_usd: exactUsdText(BigInt(quantity) * price),
    })),
    sum_usd: exactUsdText(sum),
    rounded_usd: toUsd(costOf([[1, sum]])),
    reserved_usd: toUsd(reserved),
    cost_usd: toUsd(cost),
  };
}

interface Line {
  item: "input" | "cache_read" | "cache_write" | "output" | "request";
  quantity: number;
  price: Price;
  /** The price is shown for so many. */
  per: bigint;
}

const million = 1_000_000n;
/** A Price is finer than an Amount by four decimals (src/money.ts). */
const pricesPerAmount = 10_000n;

function linesOf({ input, output, cached, perRequest }: TokenPrices, usage: Usage): Line[] {
  return [
    { item: "input", quantity: usage.input, price: input, per: million },
    { item: "cache_read", quantity: usage.cacheRead, price: cached ?? input, per: million },
    { item: "cache_write", quantity: usage.cacheWrite, price: input, per: million },
    { item: "output", quantity: usage.output, price: output, per: million },
    { item: "request", quantity: perRequest === 0n ? 0 : 1, price: perRequest * pricesPerAmount, per: 1n },
  ];
}
