// What the catalog file's routes cost the operator: read as integers, checked against how their model is billed, and compared with its price.
import type { RouteCost } from "../providers/types.ts";
import { priceFromUsd } from "../money.ts";
import type { CatalogFile, Fault, FileModel, FilePricing, FileRouteCost, Path } from "./file.ts";
import { decimalFaults } from "./prices.ts";

type CostKey = Exclude<keyof FileRouteCost, "long_context">;

const perMillion = 1_000_000n;
const perThousand = 1_000n;

export function readCost(cost: FileRouteCost): RouteCost {
  const { long_context: long } = cost;
  return {
    ...readRates(cost),
    request: priceFromUsd(cost.per_request ?? 0),
    webSearch: priceFromUsd(cost.per_web_search ?? 0),
    image: priceFromUsd(cost.per_image ?? 0),
    second: priceFromUsd(cost.per_second ?? 0),
    minute: priceFromUsd(cost.per_minute ?? 0),
    character: priceFromUsd(cost.per_1k_chars ?? 0, perThousand),
    ...(long === undefined ? {} : { long: { ...readRates({ ...long, cached: long.cached ?? long.input }), above: long.above } }),
  };
}

function readRates({
  input = 0,
  output = 0,
  cached = input,
  cache_write = input,
  cache_write_1h = cache_write,
}: Omit<FileRouteCost, "long_context">) {
  return {
    input: priceFromUsd(input, perMillion),
    output: priceFromUsd(output, perMillion),
    cacheRead: priceFromUsd(cached, perMillion),
    cacheWrite: priceFromUsd(cache_write, perMillion),
    cacheWriteHour: priceFromUsd(cache_write_1h, perMillion),
  };
}

/** What is measured of a call depends on how its model is billed: only that can be multiplied with a cost. */
const keysOf: Record<FilePricing["mode"], readonly CostKey[]> = {
  "per-token": ["input", "output", "cached", "cache_write", "cache_write_1h", "per_request", "per_web_search"],
  "per-image": ["per_image", "per_request"],
  "per-quality": ["per_image", "per_request"],
  "per-megapixel": ["per_image", "per_request"],
  "per-second": ["per_second", "per_request"],
  "per-minute": ["per_minute", "per_request"],
  "per-1k-chars": ["per_1k_chars", "per_request"],
  "per-song": ["per_request"],
  "per-call": ["per_request"],
};

const tokenKeys = new Set<CostKey>(["input", "output", "cached", "cache_write", "cache_write_1h"]);

export function costFaults({ pricing, routes = [] }: FileModel, path: Path): Fault[] {
  return routes.flatMap(({ cost = {} }, index) =>
    figuresOf(cost).flatMap(({ keys, key, usd }) => {
      const at = [...path, "routes", index, "cost", ...keys];
      const decimals = tokenKeys.has(key) ? 6 : key === "per_1k_chars" ? 9 : 12;
      const faults = decimalFaults(usd, decimals, at);
      if (pricing === undefined || keysOf[pricing.mode].includes(key)) return faults;
      return [...faults, { path: at, message: `a model billed ${pricing.mode} costs ${keysOf[pricing.mode].join(" or ")}` }];
    }),
  );
}

/** `keys`: where the figure stands below `cost`. */
function figuresOf({ long_context: long = undefined, ...usual }: FileRouteCost): { keys: string[]; key: CostKey; usd: number }[] {
  const { above: _above, ...rates } = long ?? { above: 0 };
  return [
    ...Object.entries(usual).map(([key, usd]) => ({ keys: [key], key: key as CostKey, usd })),
    ...Object.entries(rates).flatMap(([key, usd]) => (usd === null ? [] : [{ keys: ["long_context", key], key: key as CostKey, usd }])),
  ];
}

/** Where a call may cost the operator more than it brings in. No fault: it may be meant. */
export function costWarnings({ models }: CatalogFile): Fault[] {
  const byId = new Map(models.map((model) => [model.id, model]));
  return models.flatMap((model, index): Fault[] => {
    if (model.pricing === undefined || model.state?.retired) return [];
    const path = ["models", index];
    const own = lossesOf(model.pricing, model).map(({ route, key, price, cost }) => ({
      path: [...path, "routes", route, "cost", key],
      message: `${model.id} is sold below cost: its price for ${key} is ${price} USD, this route's cost ${cost}`,
    }));
    const asFallback = (model.fallbacks ?? []).flatMap((id, place) => {
      const other = byId.get(id);
      if (other?.pricing === undefined || other.state?.retired || other.state?.paused) return [];
      const alone = new Set(lossesOf(other.pricing, other).map(({ route, key }) => `${route} ${key}`));
      return lossesOf(model.pricing!, other)
        .filter(({ route, key }) => !alone.has(`${route} ${key}`)) // reported at the fallback itself
        .map(({ key, price, cost, routeId }) => ({
          path: [...path, "fallbacks", place],
          message: `${model.id} is sold below cost when ${id} answers, which is never charged above ${model.id}: its price for ${key} is ${price} USD, the cost of ${routeId} ${cost}`,
        }));
    });
    return [...own, ...asFallback];
  });
}

interface Compared {
  /** The route's index. */
  route: number;
  routeId: string;
  key: CostKey;
  price: number;
  cost: number;
}

/** What `pricing` brings in for less than a route of `model` costs. A dearer price of one thing may still pay for another. */
function lossesOf(pricing: FilePricing, model: FileModel): Compared[] {
  return comparedPrices(asInBatches(pricing), model).filter(({ price, cost }) => price < cost);
}

/** Lines of a batch are asked for one by one: the provider bills them as it does any call. */
function asInBatches(pricing: FilePricing): FilePricing {
  if (pricing.mode !== "per-token" || (pricing.batch ?? 1) >= 1) return pricing;
  const times = (usd: number) => Number((usd * pricing.batch!).toFixed(12));
  const { input, output, cached, cache_write, cache_write_1h } = pricing;
  return {
    ...{ ...pricing, input: times(input) },
    ...(output === undefined ? {} : { output: times(output) }),
    ...(cached == null ? {} : { cached: times(cached) }),
    ...(cache_write === undefined ? {} : { cache_write: times(cache_write) }),
    ...(cache_write_1h === undefined ? {} : { cache_write_1h: times(cache_write_1h) }),
  };
}

/** Each price of `pricing` beside what each route of `model` costs, where the route names a cost. */
export function comparedPrices(pricing: FilePricing, { routes = [] }: FileModel): Compared[] {
  const prices = pricesOf(pricing);
  return routes.flatMap(({ provider, model, cost }, route) =>
    cost === undefined
      ? []
      : (Object.keys(prices) as CostKey[]).map((key) => ({
          ...{ route, routeId: `${provider}/${model}`, key, price: prices[key]! },
          cost: costOfKey(cost, key),
        })),
  );
}

/** By the key of what they have to pay for; of several prices the lowest. */
function pricesOf(pricing: FilePricing): Partial<Record<CostKey, number>> {
  switch (pricing.mode) {
    case "per-token": {
      const { input, output = 0, cached, cache_write = input, cache_write_1h = cache_write, per_request = 0, per_web_search } = pricing;
      const searches = per_web_search === undefined ? {} : { per_web_search };
      return { input, output, cached: cached ?? input, cache_write, cache_write_1h, per_request, ...searches };
    }
    case "per-image":
      return { per_image: pricing.usd_per_image };
    case "per-quality":
      return { per_image: Math.min(...Object.values(pricing.tiers)) };
    case "per-megapixel":
      return { per_image: pricing.base_usd };
    case "per-second":
      return { per_second: pricing.usd_per_second };
    case "per-minute":
      return { per_minute: pricing.usd_per_minute };
    case "per-1k-chars":
      return { per_1k_chars: pricing.usd_per_1k_chars };
    case "per-song":
      return { per_request: pricing.usd_per_song };
    case "per-call":
      return { per_request: pricing.usd_per_call };
  }
}

/** With the defaults of readCost. */
function costOfKey({ long_context: _long, ...cost }: FileRouteCost, key: CostKey): number {
  const { input = 0, cached = input, cache_write = input, cache_write_1h = cache_write } = cost;
  return { ...cost, input, cached, cache_write, cache_write_1h }[key] ?? 0;
}
