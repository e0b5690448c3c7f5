// What a token-billed call costs: pure functions of a price snapshot and a measured usage. One rounding, up, at the end.
import type { Model, TokenPricing, TokenRates } from "../catalog/types.ts";
import { affordableUnits, type Amount, amountOf, million, type Price, roundUpTo } from "../money.ts";
import type { Usage } from "../usage.ts";

/** The prices of one call: a snapshot at admission, which later price changes don't touch. */
export interface TokenPrices extends TokenRates {
  /** Flat fee of a search model. */
  perRequest: Amount;
  /** A charge is rounded up to a multiple of this: 1, and 0.0001 USD for decisions. */
  step: Amount;
  /** The tier whose multiple the prices have; absent: the usual one. */
  serviceTier?: string;
  /** The prices are those of long prompts; absent: they are not. */
  longContext?: true;
}

/** What the prices of a call depend on. */
export interface PricedCall {
  /** Tokens of its prompt, cached ones included. */
  prompt: number;
  /** The service tier that was asked for; null: none. */
  tier: string | null;
}

type Priced = Pick<Model, "id" | "type" | "pricing">;

/** Of a token-billed model; the catalog's check lets no other mode through for these types. */
export function tokenPricesOf(model: Priced, { prompt, tier }: PricedCall = usual): TokenPrices {
  const pricing = tokenPricing(model);
  const long = pricing.longContext !== null && prompt > pricing.longContext.above ? pricing.longContext : null;
  return pricesAt(model, long ?? pricing, tier, long === null ? {} : { longContext: true });
}

const usual: PricedCall = { prompt: 0, tier: null };

/** The most that any token of the call can cost, if its prompt has at most so many: a shorter one may cost the usual prices. */
export function dearestPricesOf(model: Priced, { prompt, tier }: PricedCall): TokenPrices {
  const pricing = tokenPricing(model);
  const { longContext } = pricing;
  const rates = longContext !== null && prompt > longContext.above ? dearer(pricing, longContext) : pricing;
  return pricesAt(model, rates, tier, {});
}

function tokenPricing({ id, type, pricing }: Priced): TokenPricing {
  if (pricing.mode !== "per-token") throw new Error(`${id} is not billed by token`);
  // Decisions: input is rounded up to 0.0001 USD, output is free whatever the file says.
  return type === "decisions" ? { ...pricing, output: 0n } : pricing;
}

const decisionStep: Amount = 10_000n; // 0.0001 USD

function pricesAt(model: Priced, rates: TokenRates, tier: string | null, long: Pick<TokenPrices, "longContext">): TokenPrices {
  const { perRequest, serviceTiers } = tokenPricing(model);
  const multiple = tier === null ? undefined : serviceTiers.get(tier);
  const step = model.type === "decisions" ? decisionStep : 1n;
  const { input, output, cached, cacheWrite, cacheWriteHour } = rates;
  const plain = { input, output, cached, cacheWrite, cacheWriteHour, perRequest, step, ...long };
  if (tier === null || multiple === undefined) return plain;
  const times = (price: Price) => (price * multiple) / million; // exact: src/catalog/prices.ts
  return {
    ...plain,
    input: times(input),
    output: times(output),
    cached: cached === null ? null : times(cached),
    cacheWrite: times(cacheWrite),
    cacheWriteHour: times(cacheWriteHour),
    serviceTier: tier,
  };
}

function dearer(one: TokenRates, other: TokenRates): TokenRates {
  const cached = one.cached === null && other.cached === null ? null : max(one.cached ?? one.input, other.cached ?? other.input);
  return {
    input: max(one.input, other.input),
    output: max(one.output, other.output),
    cached,
    cacheWrite: max(one.cacheWrite, other.cacheWrite),
    cacheWriteHour: max(one.cacheWriteHour, other.cacheWriteHour),
  };
}

/**
 * The tier that a call is charged at: what the upstream says that it served, but never a dearer one than was asked for. Null: the usual
 * prices, also where the model has no price for the tier.
 */
export function chargedTier({ pricing }: Pick<Model, "pricing">, asked: string | null, served: string | undefined): string | null {
  if (pricing.mode !== "per-token" || asked === null) return null;
  const { serviceTiers } = pricing;
  const wanted = serviceTiers.get(asked);
  if (wanted === undefined) return null;
  if (served === undefined) return asked;
  const actual = serviceTiers.get(served) ?? million;
  if (actual >= wanted) return asked;
  return serviceTiers.has(served) ? served : null;
}

interface TokenCost {
  cost: Amount;
  /** What prompt caching saved, never below 0. */
  cacheDiscount: Amount;
}

export function tokenCost(prices: TokenPrices, usage: Usage): TokenCost {
  const cached = prices.cached ?? prices.input;
  const { cacheWriteHour: hour = 0 } = usage;
  const cost = chargeOf(
    prices,
    BigInt(usage.input) * prices.input +
      BigInt(usage.cacheRead) * cached +
      BigInt(usage.cacheWrite - hour) * prices.cacheWrite +
      BigInt(hour) * prices.cacheWriteHour +
      BigInt(usage.output) * prices.output,
  );
  const saved = cached < prices.input ? amountOf(BigInt(usage.cacheRead) * (prices.input - cached)) : 0n;
  return { cost, cacheDiscount: saved };
}

/** The most that `inputTokens` and `outputTokens` can cost, however they are cached. */
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

function dearestInput({ input, cached, cacheWrite, cacheWriteHour }: TokenPrices): Price {
  return [cached ?? input, cacheWrite, cacheWriteHour].reduce(max, input);
}

function max(one: Price, other: Price): Price {
  return one > other ? one : other;
}
