// What a token-billed call costs: pure functions of a price snapshot and a measured usage, of which no more is charged than window and output
// allow. One rounding, up, at the end.
import { pricesAsLogged } from "../catalog/prepare.ts";
import { type Model, ownTiers, type PricesAsLogged, type TokenPrices, type TokenRates, type TokenTerms } from "../catalog/types.ts";
import { affordableUnits, type Amount, amountOf, type CostLine, million, type Price, roundUpTo } from "../money.ts";
import { byTool, noToolCalls, type ToolCalls, toolsIn, type Usage } from "../usage.ts";

/** What the prices of a call depend on. */
interface PricedCall {
  /** Tokens of its prompt, cached ones included. */
  prompt: number;
  /** The service tier that is charged; null: none. */
  tier: string | null;
  /** Calls of tools that the provider may run for it. */
  toolCalls: ToolCalls;
}

/** The terms' own prices where nothing changes them. */
export function pricesOf(terms: TokenTerms, { prompt, tier, toolCalls }: PricedCall): TokenPrices {
  const { prices, longContext } = terms;
  const isLong = longContext !== null && prompt > longContext.above;
  const atLength = isLong ? { ...prices, ...ratesOf(longContext), longContext: true as const } : prices;
  return withTools(terms, atTier(terms, atLength, tier), toolCalls);
}

/** The most that any token of the call can cost, if its prompt has at most so many: a shorter one may cost the usual prices. */
export function dearestPricesOf(terms: TokenTerms, { prompt, tier, toolCalls }: PricedCall): TokenPrices {
  const { prices, longContext } = terms;
  const mayBeLong = longContext !== null && prompt > longContext.above;
  return withTools(terms, atTier(terms, mayBeLong ? { ...prices, ...dearer(prices, longContext) } : prices, tier), toolCalls);
}

/** The same of the dearest tier that it may be charged at: what is held. */
export function heldPricesOf(terms: TokenTerms, call: PricedCall): TokenPrices {
  return dearestPricesOf(terms, { ...call, tier: dearestTier(terms, call.tier) });
}

/** Of those that `chargedTier` may give. */
function dearestTier({ serviceTiers }: TokenTerms, asked: string | null): string | null {
  if (asked === null || ownTiers.has(asked)) return asked;
  return (serviceTiers.get(asked) ?? million) < million ? null : asked;
}

function withTools({ serverTools }: TokenTerms, prices: TokenPrices, calls: ToolCalls): TokenPrices {
  if (calls === noToolCalls) return prices;
  return { ...prices, toolCalls: byTool((tool) => (calls[tool] === undefined ? undefined : serverTools[tool]?.each)) };
}

function atTier({ serviceTiers }: TokenTerms, prices: TokenPrices, tier: string | null): TokenPrices {
  const multiple = tier === null ? undefined : serviceTiers.get(tier);
  if (tier === null || multiple === undefined) return prices;
  const times = (price: Price) => (price * multiple) / million; // exact: src/catalog/prices.ts
  const { input, output, cached, cacheWrite, cacheWriteHour } = prices;
  return {
    ...prices,
    input: times(input),
    output: times(output),
    cached: cached === null ? null : times(cached),
    cacheWrite: times(cacheWrite),
    cacheWriteHour: times(cacheWriteHour),
    serviceTier: tier,
  };
}

function ratesOf({ input, output, cached, cacheWrite, cacheWriteHour }: TokenRates): TokenRates {
  return { input, output, cached, cacheWrite, cacheWriteHour };
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
 * The tier that a call is charged at: what the upstream says that it served, which may be the usual one in place of a cheaper one, but none
 * that is dearer than both. Null: the usual prices, also where the model has no price for the tier.
 */
export function chargedTier(terms: TokenTerms, asked: string | null, served: string | undefined): string | null {
  const { serviceTiers } = terms;
  // No upstream serves the gateway's own as another tier, or another tier as one of them.
  if (asked !== null && ownTiers.has(asked)) return serviceTiers.has(asked) ? asked : null;
  const wanted = asked === null ? undefined : serviceTiers.get(asked);
  if (wanted === undefined) return null;
  if (served === undefined || ownTiers.has(served)) return asked;
  const multiple = serviceTiers.get(served);
  if (multiple === undefined) return served === "auto" ? asked : null; // auto names no tier, but leaves the choice to the upstream
  return multiple <= (wanted < million ? million : wanted) ? served : dearestTier(terms, asked);
}

interface TokenCost {
  cost: Amount;
  /** What prompt caching saved, never below 0. */
  cacheDiscount: Amount;
}

export function tokenCost(prices: TokenPrices, usage: Usage): TokenCost {
  const cached = prices.cached ?? prices.input;
  const { cacheWriteHour: hour = 0, toolCalls = noToolCalls } = usage;
  const cost = chargeOf(
    prices,
    BigInt(usage.input) * prices.input +
      BigInt(usage.cacheRead) * cached +
      BigInt(usage.cacheWrite - hour) * prices.cacheWrite +
      BigInt(hour) * prices.cacheWriteHour +
      BigInt(usage.output) * prices.output +
      sumOfLines(toolLines(prices, toolCalls)),
  );
  const saved = cached < prices.input ? amountOf(BigInt(usage.cacheRead) * (prices.input - cached)) : 0n;
  return { cost, cacheDiscount: saved };
}

/** What a call takes in at most, beside its output. */
interface Intake {
  inputTokens: number;
  toolCalls: ToolCalls;
}

/** The most that it and `outputTokens` can cost, however the input is cached. */
export function tokenCostBound(prices: TokenPrices, intake: Intake, outputTokens: number): Amount {
  return chargeOf(prices, sumOfLines(intakeLines(prices, intake)) + BigInt(outputTokens) * prices.output);
}

/** How many output tokens `amount` still pays for after the intake; negative where it doesn't even pay for that. */
export function affordableOutputTokens(prices: TokenPrices, intake: Intake, amount: Amount): number {
  const chargeable = amount - (amount % prices.step);
  return Number(affordableUnits(chargeable - prices.perRequest, prices.output, intakeLines(prices, intake)));
}

function intakeLines(prices: TokenPrices, { inputTokens, toolCalls }: Intake): CostLine[] {
  return [[inputTokens, dearestInput(prices)], ...toolLines(prices, toolCalls)];
}

function toolLines({ toolCalls: prices = {} }: TokenPrices, calls: ToolCalls): CostLine[] {
  return calls === noToolCalls ? [] : toolsIn(calls).map((tool) => [calls[tool]!, prices[tool] ?? 0n]);
}

function sumOfLines(lines: readonly CostLine[]): Price {
  return lines.reduce((sum, [units, price]) => sum + BigInt(units) * price, 0n);
}

/** Rounding up to a multiple twice equals rounding up to the coarser multiple once. */
function chargeOf({ perRequest, step }: TokenPrices, sum: Price): Amount {
  return roundUpTo(perRequest + amountOf(sum), step);
}

function dearestInput({ input, cached, cacheWrite, cacheWriteHour }: TokenPrices): Price {
  return max(max(input, cached ?? input), max(cacheWrite, cacheWriteHour));
}

function max(one: Price, other: Price): Price {
  return one > other ? one : other;
}

/** What is charged at most, whatever an upstream reports. */
export interface UsageBounds {
  /** The context window, times how often it is filled. */
  inputMax: number;
  /** The longest answer, times the answers that were asked for. */
  outputMax: number;
  /** The most calls of a provider's tools for all answers. */
  toolCallsMax: ToolCalls;
}

/** The part of a usage that a model can have had; the same object where that is all of it. The dearest input is taken away first. */
export function withinBounds(usage: Usage, { inputMax, outputMax, toolCallsMax }: UsageBounds): Usage {
  const { toolCalls = noToolCalls } = usage;
  // Those that were not asked for are not charged.
  const tooManyCalls = toolCallsMax !== noToolCalls && toolsIn(toolCallsMax).some((tool) => (toolCalls[tool] ?? 0) > toolCallsMax[tool]!);
  let above = usage.input + usage.cacheWrite + usage.cacheRead - inputMax;
  if (above <= 0 && usage.output <= outputMax && !tooManyCalls) return usage;
  const lowered = {
    ...usage,
    output: Math.min(usage.output, outputMax),
    ...(tooManyCalls ? { toolCalls: lowest(toolCalls, toolCallsMax) } : {}),
  };
  for (const kind of ["input", "cacheWrite", "cacheRead"] as const) {
    const less = Math.min(Math.max(0, above), lowered[kind]);
    lowered[kind] -= less;
    above -= less;
  }
  if (lowered.cacheWriteHour !== undefined) lowered.cacheWriteHour = Math.min(lowered.cacheWriteHour, lowered.cacheWrite);
  return lowered;
}

function lowest(calls: ToolCalls, most: ToolCalls): ToolCalls {
  return byTool((tool) => (calls[tool] === undefined ? undefined : Math.min(calls[tool], most[tool] ?? calls[tool])));
}

interface UsageBill extends TokenCost {
  usage: Usage;
  prices: PricesAsLogged;
}

/** The bill shows usage as it was measured, and charges what window and output allow. */
export function billAt({ id, tokens }: Model, usage: Usage, bounds: UsageBounds, tier: string | null): UsageBill {
  const charged = withinBounds(usage, bounds);
  const terms = tokens!; // the catalog's check lets no other billing through for these types
  const prompt = charged.input + charged.cacheRead + charged.cacheWrite;
  const prices = pricesOf(terms, { prompt, tier, toolCalls: bounds.toolCallsMax });
  const logged = prices === terms.prices ? terms.logged : pricesAsLogged(id, prices, charged.toolCalls);
  return { usage, prices: logged, ...tokenCost(prices, charged) };
}
