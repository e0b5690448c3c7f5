// What every call of a model needs and only the catalog decides: its candidates, its prices and how records show them. Computed once.
import { type Amount, amountFromUsd, million, toUsd, usdFromPrice } from "../money.ts";
import type { Route } from "../providers/types.ts";
import { byTool, noToolCalls, serverTools as namesOf, type ToolCalls, toolsIn } from "../usage.ts";
import {
  batchTier,
  cacheTier,
  type Candidate,
  type Layer,
  type Model,
  type ModelType,
  type PricesAsLogged,
  type Pricing,
  type TokenPrices,
  type TokenTerms,
} from "./types.ts";

export function withCandidates(model: Omit<Model, "weighted" | "candidates" | "standIns">): Model {
  const weighted = model.routes.some(({ weight }) => weight !== undefined);
  const prepared: Model = Object.assign(model, { weighted, candidates: [], standIns: [] });
  const each = (layerOf: (route: Route, index: number) => Layer): Candidate[] =>
    model.routes.map((route, index) => ({
      model: prepared,
      route,
      routeId: `${route.provider.id}/${route.model}`,
      layer: layerOf(route, index),
    }));
  prepared.candidates = each(({ reducedPrecision }, index) => (index === 0 ? 0 : reducedPrecision !== null ? 2 : 1));
  prepared.standIns = each(() => 3);
  return prepared;
}

export function tokenTerms(id: string, type: ModelType, pricing: Pricing): TokenTerms | null {
  if (pricing.mode !== "per-token") return null;
  const { input, cached, cacheWrite, cacheWriteHour, batch, responseCache, longContext, perRequest, serverTools } = pricing;
  const serviceTiers = new Map(pricing.serviceTiers);
  if (batch !== null) serviceTiers.set(batchTier, batch);
  if (responseCache !== null) serviceTiers.set(cacheTier, responseCache);
  // Decisions: input is rounded up to 0.0001 USD, output is free whatever the file says.
  const isDecision = type === "decisions";
  const prices: TokenPrices = {
    ...{ input, cached, cacheWrite, cacheWriteHour, perRequest },
    output: isDecision ? 0n : pricing.output,
    step: isDecision ? decisionStep : 1n,
  };
  const perMillion = (price: bigint) => usdFromPrice(price, million);
  return {
    ...{ prices, serviceTiers, longContext, serverTools },
    logged: Object.freeze(pricesAsLogged(id, prices)),
    costBasis: {
      input: perMillion(input),
      output: perMillion(prices.output),
      cached: cached === null ? null : perMillion(cached),
      per_request: toUsd(perRequest),
    },
  };
}

/** `calls`: those of a provider's tools that are charged. */
export function pricesAsLogged(model: string, prices: TokenPrices, calls = noToolCalls): PricesAsLogged {
  const { input, output, cached, cacheWrite, cacheWriteHour, perRequest, step, serviceTier, longContext, toolCalls } = prices;
  return {
    model,
    input: String(input),
    output: String(output),
    cached: cached === null ? null : String(cached),
    ...(cacheWrite === input ? {} : { cache_write: String(cacheWrite) }),
    ...(cacheWriteHour === cacheWrite ? {} : { cache_write_1h: String(cacheWriteHour) }),
    per_request: String(perRequest),
    ...(serviceTier === undefined ? {} : { service_tier: serviceTier }),
    ...(longContext === undefined ? {} : { long_context: longContext }),
    ...(toolCalls === undefined ? {} : toolsAsLogged(toolCalls, calls)),
    ...(step === 1n ? {} : { step: String(step) }),
  };
}

function toolsAsLogged(prices: NonNullable<TokenPrices["toolCalls"]>, calls: ToolCalls): Partial<PricesAsLogged> {
  const charged = toolsIn(calls).filter((tool) => prices[tool] !== undefined && calls[tool]! > 0);
  return {
    ...byTool((tool) => (prices[tool] === undefined ? undefined : String(prices[tool]))),
    ...Object.fromEntries(charged.map((tool) => [namesOf[tool].calls, calls[tool]])),
  };
}

const decisionStep = amountFromUsd(0.0001) as Amount;
