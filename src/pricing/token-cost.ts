// What a token-billed call costs: pure functions of a price snapshot and a measured usage. One rounding, up, at the end.
import type { TokenPrices } from "../catalog/types.ts";
import { affordableUnits, type Amount, amountOf, type Price, roundUpTo } from "../money.ts";
import type { Usage } from "../usage.ts";

interface TokenCost {
  cost: Amount;
  /** What prompt caching saved, never below 0. */
  cacheDiscount: Amount;
}

export function tokenCost(prices: TokenPrices, usage: Usage): TokenCost {
  const cached = prices.cached ?? prices.input;
  const cost = chargeOf(
    prices,
    BigInt(usage.input + usage.cacheWrite) * prices.input + BigInt(usage.cacheRead) * cached + BigInt(usage.output) * prices.output,
  );
  const saved = cached < prices.input ? amountOf(BigInt(usage.cacheRead) * (prices.input - cached)) : 0n;
  return { cost, cacheDiscount: saved };
}

/** The most that `inputTokens` and `outputTokens` can cost: nothing is assumed to be cached. */
export function tokenCostBound(prices: TokenPrices, inputTokens: number, outputTokens: number): Amount {
  return chargeOf(prices, BigInt(inputTokens) * dearestInput(prices) + BigInt(outputTokens) * prices.output);
}

/** How many output tokens `amount` still pays for after `inputTokens`; negative where it doesn't even pay for those. */
export function affordableOutputTokens(prices: TokenPrices, inputTokens: number, amount: Amount): number {
  const chargeable = amount - (amount % prices.step);
  return Number(affordableUnits(chargeable - prices.perRequest, prices.output, [[inputTokens, dearestInput(prices)]]));
}

/** Rounding up to a multiple twice equals rounding up to the coarser multiple once. */
function chargeOf({ perRequest, step }: TokenPrices, sum: Price): Amount {
  return roundUpTo(perRequest + amountOf(sum), step);
}

function dearestInput({ input, cached }: TokenPrices): Price {
  return cached !== null && cached > input ? cached : input;
}
