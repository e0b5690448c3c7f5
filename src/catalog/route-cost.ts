// What the catalog file's routes cost the operator: read as integers, checked against how their model is billed, and compared with its price.
import type { RouteCost } from "../providers/types.ts";
import { priceFromUsd } from "../money.ts";
import type { CatalogFile, Fault, FileModel, FilePricing, FileRouteCost, Path } from "./file.ts";
import { byTool, serverToolNames, serverTools } from "../usage.ts";
import { decimalFaults, millionths, tierFaults, withWrites } from "./prices.ts";

type CostKey = Exclude<keyof FileRouteCost, "long_context" | "service_tiers">;

/** By the key of what they have to pay for. */
type Prices = Partial<Record<CostKey, number>>;

const perMillion = 1_000_000n;
const perThousand = 1_000n;

export function readCost(cost: FileRouteCost): RouteCost {
  const { long_context: long, service_tiers: tiers } = cost;
  return {
    ...readRates(cost),
    request: priceFromUsd(cost.per_request ?? 0),
    toolCalls: byTool((tool) => priceFromUsd(cost[serverTools[tool].price] ?? 0)),
    image: priceFromUsd(cost.per_image ?? 0),
    second: priceFromUsd(cost.per_second ?? 0),
    minute: priceFromUsd(cost.per_minute ?? 0),
    character: priceFromUsd(cost.per_1k_chars ?? 0, perThousand),
    ...(tiers === undefined ? {} : { tiers: new Map(Object.entries(tiers).map(([tier, multiple]) => [tier, millionths(multiple)])) }),
    ...(long === undefined ? {} : { long: { ...readRates({ ...long, cached: long.cached ?? long.input }), above: long.above } }),
  };
}

type TokenCosts = Pick<FileRouteCost, "input" | "output" | "cached" | "cache_write" | "cache_write_1h">;

function readRates({ input = 0, output = 0, cached = input, cache_write = input, cache_write_1h = cache_write }: TokenCosts) {
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
  "per-token": [
    "input",
    "output",
    "cached",
    "cache_write",
    "cache_write_1h",
    "per_request",
    ...serverToolNames.map((tool) => serverTools[tool].price),
  ],
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
  return routes.flatMap(({ cost = {} }, index) => {
    const place = [...path, "routes", index, "cost"];
    const figures = figuresOf(cost);
    const perToken = figures.filter(({ key }) => tokenKeys.has(key)).map(({ usd }) => usd);
    return [
      ...figures.flatMap(({ keys, key, usd }) => {
        const at = [...place, ...keys];
        const decimals = tokenKeys.has(key) ? 6 : key === "per_1k_chars" ? 9 : 12;
        return [...decimalFaults(usd, decimals, at), ...(isBilled(pricing, key) ? [] : [misplaced(pricing!, at)])];
      }),
      ...(cost.service_tiers !== undefined && !isBilled(pricing, "input") ? [misplaced(pricing!, [...place, "service_tiers"])] : []),
      ...tierFaults(cost.service_tiers ?? {}, perToken, [...place, "service_tiers"]),
    ];
  });
}

function isBilled(pricing: FilePricing | undefined, key: CostKey): boolean {
  return pricing === undefined || keysOf[pricing.mode].includes(key);
}

function misplaced({ mode }: FilePricing, path: Path): Fault {
  return { path, message: `a model billed ${mode} costs ${keysOf[mode].join(" or ")}` };
}

/** `keys`: where the figure stands below `cost`. */
function figuresOf({
  long_context: long = undefined,
  service_tiers: _tiers,
  ...usual
}: FileRouteCost): { keys: string[]; key: CostKey; usd: number }[] {
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
    const own = lossesOf(model.pricing, model).map(({ route, key, price, cost, terms }) => ({
      path: [...path, "routes", route, "cost", ...keysAt(terms, key)],
      message: `${model.id} is sold below cost: its price for ${key}${wordsOf(terms)} is ${price} USD, this route's cost ${cost}`,
    }));
    const asFallback = (model.fallbacks ?? []).flatMap((id, place) => {
      const other = byId.get(id);
      if (other?.pricing === undefined || other.state?.retired || other.state?.paused) return [];
      const named = ({ route, key, terms }: Loss) => `${route} ${key}${wordsOf(terms)}`;
      const alone = new Set(lossesOf(other.pricing, other).map(named));
      return lossesOf(model.pricing!, other)
        .filter((loss) => !alone.has(named(loss))) // reported at the fallback itself
        .map(({ key, price, cost, routeId, terms }) => ({
          path: [...path, "fallbacks", place],
          message: `${model.id} is sold below cost when ${id} answers, which is never charged above ${model.id}: its price for ${key}${wordsOf(terms)} is ${price} USD, the cost of ${routeId} ${cost}`,
        }));
    });
    return [...own, ...unnamedCosts(model, path), ...asFallback];
  });
}

/** What is sold at a price of its own, while a route that says its cost counts it at the usual one. */
function unnamedCosts({ id, pricing, routes = [] }: FileModel, path: Path): Fault[] {
  if (pricing?.mode !== "per-token") return [];
  return routes.flatMap(({ cost }, route) => {
    if (cost === undefined) return [];
    const lacking = [
      ...(pricing.long_context !== undefined && cost.long_context === undefined
        ? [`prompts above ${pricing.long_context.above} tokens`]
        : []),
      ...Object.keys(pricing.service_tiers ?? {})
        .filter((tier) => cost.service_tiers?.[tier] === undefined)
        .map((tier) => `the service tier ${tier}`),
    ];
    return lacking.map((what) => ({
      path: [...path, "routes", route, "cost"],
      message: `${id} has a price for ${what}, and this route names no cost for it: it counts as the usual one`,
    }));
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

/** Each price of `pricing` beside what each route of `model` costs, where the route names a cost: those of no tier, and of prompts that are not long. */
export function comparedPrices(pricing: FilePricing, { routes = [] }: FileModel): Compared[] {
  const prices = Object.entries(pricesOf(pricing)) as [CostKey, number][];
  return routes.flatMap(({ provider, model, cost }, route) =>
    cost === undefined
      ? []
      : prices.map(([key, price]) => ({ route, routeId: `${provider}/${model}`, key, price, cost: costsAt(cost, usual)[key] ?? 0 })),
  );
}

/** Where other figures apply: to prompts above so many tokens, null: to any; in a service tier, null: in none. */
interface Terms {
  above: number | null;
  tier: string | null;
}

const usual: Terms = { above: null, tier: null };

interface Loss extends Compared {
  terms: Terms;
}

/**
 * What `pricing` brings in for less than a route of `model` costs; of long prompts and service tiers only what is no loss in general. A dearer price
 * of one thing may still pay for another.
 */
function lossesOf(pricing: FilePricing, { routes = [] }: FileModel): Loss[] {
  return routes.flatMap(({ provider, model, cost }, route) => {
    if (cost === undefined) return [];
    const found = new Map<CostKey, Loss>();
    for (const terms of termsOf(pricing, cost)) {
      const costs = costsAt(cost, terms);
      for (const [key, price] of Object.entries(pricesAt(pricing, terms)) as [CostKey, number][]) {
        const loss = { route, routeId: `${provider}/${model}`, key, price, cost: costs[key] ?? 0, terms };
        if (loss.price < loss.cost && !found.has(key)) found.set(key, loss);
      }
    }
    return [...found.values()];
  });
}

/** Where price and cost both have figures of their own, or the cost alone for long prompts: what is lacking counts as the usual. */
function termsOf(pricing: FilePricing, { long_context: long, service_tiers: tiers = {} }: FileRouteCost): Terms[] {
  if (pricing.mode !== "per-token") return [usual];
  const bounds = long === undefined ? [] : [long.above, ...(pricing.long_context === undefined ? [] : [pricing.long_context.above])];
  const sold = Object.keys(tiers).filter((tier) => pricing.service_tiers?.[tier] !== undefined);
  return [null, ...sold].flatMap((tier) => [null, ...new Set(bounds)].map((above) => ({ above, tier })));
}

function isLong<Long extends { above: number }>(long: Long | undefined, { above }: Terms): long is Long {
  return long !== undefined && above !== null && above >= long.above;
}

/** Lines of a batch are asked for one by one: the provider bills them as it does any call. */
function pricesAt(pricing: FilePricing, terms: Terms): Prices {
  if (pricing.mode !== "per-token") return pricesOf(pricing);
  const { long_context: long, service_tiers: tiers = {}, batch = 1 } = pricing;
  const prices = pricesOf(isLong(long, terms) ? { ...pricing, ...withWrites(pricing, long) } : pricing);
  return multiplied(prices, terms.tier === null ? Math.min(batch, 1) : tiers[terms.tier]!);
}

/** With the defaults of readCost. */
function costsAt(cost: FileRouteCost, terms: Terms): Prices {
  const { long_context: long, service_tiers: tiers = {}, ...figures } = cost;
  const { input = 0, output = 0, cached, cache_write = input, cache_write_1h = cache_write } = isLong(long, terms) ? long : figures;
  const costs = { ...figures, input, output, cached: cached ?? input, cache_write, cache_write_1h };
  return multiplied(costs, terms.tier === null ? 1 : tiers[terms.tier]!);
}

function multiplied(figures: Prices, multiple: number): Prices {
  const times = ([key, usd]: [string, number]) => [key, tokenKeys.has(key as CostKey) ? Number((usd * multiple).toFixed(12)) : usd];
  return Object.fromEntries(Object.entries(figures).map(times)) as Prices;
}

function wordsOf({ above, tier }: Terms): string {
  return `${tier === null ? "" : ` in the service tier ${tier}`}${above === null ? "" : ` of prompts above ${above} tokens`}`;
}

/** Where the cost stands. */
function keysAt({ above, tier }: Terms, key: CostKey): string[] {
  return tier !== null ? ["service_tiers", tier] : above !== null ? ["long_context"] : [key];
}

/** Of several prices the lowest. */
function pricesOf(pricing: FilePricing): Prices {
  switch (pricing.mode) {
    case "per-token": {
      const { input, output = 0, cached, cache_write = input, cache_write_1h = cache_write, per_request = 0 } = pricing;
      const calls = serverToolNames.flatMap((tool) => {
        const { price } = serverTools[tool];
        return pricing[price] === undefined ? [] : [[price, pricing[price]] as const];
      });
      return { input, output, cached: cached ?? input, cache_write, cache_write_1h, per_request, ...Object.fromEntries(calls) };
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
