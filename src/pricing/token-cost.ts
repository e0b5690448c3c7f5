// What a token-billed call costs: pure functions of a price snapshot and a measured usage. One rounding, up, at the end.
import type { Model } from "../catalog/types.ts";
import { affordableUnits, type Amount, amountFromUsd, amountOf, type Price, roundUpTo } from "../money.ts";
import type { Usage } from "../usage.ts";

/** The prices of a token-billed model: a snapshot at admission, which later price changes don't touch. */
export interface TokenPrices {
  input: Price;
  output: Price;
  /** Of tokens read from the model's prompt cache; null: they cost what input costs. */
  cached: Price | null;
  /** Flat fee of a search model. */
  perRequest: Amount;
  /** A charge is rounded up to a multiple of this: 1, and 0.0001 USD for decisions. */
  step: Amount;
}

/** Of a token-billed model; the catalog's check lets no other mode through for these types. */
export function tokenPricesOf({ id, type, pricing }: Model): TokenPrices {
  if (pricing.mode !== "per-token") throw new Error(`${id} is not billed by token`);
  // Decisions: input is rounded up to 0.0001 USD, output is free whatever the file says.
  return type === "decisions" ? { ...pricing, output: 0n, step: decisionStep } : { ...pricing, step: 1n };
}

const decisionStep = amountFromUsd(0.0001) as Amount;

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
