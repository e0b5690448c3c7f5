// What every call of a model needs and only the catalog decides: its candidates, its prices and how records show them. Computed once.
import { type Amount, amountFromUsd, million, toUsd, usdFromPrice } from "../money.ts";
import type { Route } from "../providers/types.ts";
import type { Candidate, Layer, Model, ModelType, Pricing, TokenPrices, TokenTerms } from "./types.ts";

export function withCandidates(model: Omit<Model, "candidates" | "standIns">): Model {
  const prepared: Model = Object.assign(model, { candidates: [], standIns: [] });
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
  const { input, cached, perRequest } = pricing;
  // Decisions: input is rounded up to 0.0001 USD, output is free whatever the file says.
  const isDecision = type === "decisions";
  const prices: TokenPrices = {
    ...{ input, cached, perRequest },
    output: isDecision ? 0n : pricing.output,
    step: isDecision ? decisionStep : 1n,
  };
  const perMillion = (price: bigint) => usdFromPrice(price, million);
  return {
    prices,
    logged: {
      model: id,
      input: String(input),
      output: String(prices.output),
      cached: cached === null ? null : String(cached),
      per_request: String(perRequest),
      ...(isDecision ? { step: String(decisionStep) } : {}),
    },
    costBasis: {
      input: perMillion(input),
      output: perMillion(prices.output),
      cached: cached === null ? null : perMillion(cached),
      per_request: toUsd(perRequest),
    },
  };
}

const decisionStep = amountFromUsd(0.0001) as Amount;
