// Prices that follow from costs: a file with `markup_percent` names no price for most models. They are filled in before anything reads them.
import type { CatalogFile, FileModel, FilePricing, FileRouteCost } from "./file.ts";
import { tierFaults } from "./prices.ts";

/** Models without a price get one where each of their routes says what it costs; the others stay as they are, and are faults. */
export function withMarkup(file: CatalogFile): CatalogFile {
  const { markup_percent: percent } = file;
  if (percent === undefined) return file;
  const priced = (model: FileModel): FileModel => {
    const pricing = model.pricing ?? priceOf(model, percent);
    return pricing === undefined ? model : { ...model, pricing };
  };
  return { ...file, models: file.models.map(priced) };
}

function priceOf({ type, capability, routes = [] }: FileModel, percent: number): FilePricing | undefined {
  const costs = routes.map(({ cost }) => cost ?? {});
  /** Of the dearest route, marked up; undefined: not every route names it. */
  const dearest = (of: (cost: FileRouteCost) => number | undefined, decimals: number): number | undefined => {
    const figures = costs.map(of);
    if (figures.length === 0 || figures.some((usd) => usd === undefined)) return undefined;
    return markedUp(Math.max(...(figures as number[])), percent, decimals);
  };
  switch (type) {
    case "language":
    case "embedding":
    case "reranking":
      return tokenPrice(costs, dearest);
    case "image":
      return of(
        "per-image",
        "usd_per_image",
        dearest((cost) => cost.per_image, 12),
      );
    case "video":
      return of(
        "per-second",
        "usd_per_second",
        dearest((cost) => cost.per_second, 12),
      );
    case "transcription":
      return of(
        "per-minute",
        "usd_per_minute",
        dearest((cost) => cost.per_minute, 12),
      );
    case "speech":
      if (capability === "music")
        return of(
          "per-second",
          "usd_per_second",
          dearest((cost) => cost.per_second, 12),
        );
      return capability === undefined
        ? of(
            "per-1k-chars",
            "usd_per_1k_chars",
            dearest((cost) => cost.per_1k_chars, 9),
          )
        : undefined;
    default:
      return undefined;
  }
}

type Dearest = (of: (cost: FileRouteCost) => number | undefined, decimals: number) => number | undefined;
type Rates = Pick<FileRouteCost, "input" | "output" | "cached" | "cache_write" | "cache_write_1h">;

function tokenPrice(costs: readonly FileRouteCost[], dearest: Dearest): FilePricing | undefined {
  if (costs.some(({ input }) => input === undefined)) return undefined;
  const rates = ratesOf(costs, (cost) => cost, dearest);
  if (rates.input === undefined) return undefined;
  const perRequest = costs.some(({ per_request }) => per_request !== undefined);
  const long = costs.some(({ long_context }) => long_context !== undefined) ? longPrice(costs, dearest) : undefined;
  return {
    mode: "per-token",
    ...rates,
    input: rates.input,
    ...(perRequest ? { per_request: dearest((cost) => cost.per_request ?? 0, 8)! } : {}),
    ...(long === undefined ? {} : { long_context: long }),
    ...tiersOf(costs, [...Object.values(rates), ...Object.values(long ?? {})]),
  };
}

/**
 * Those that every route has, at the dearest multiple. One that would make a price inexact is not sold, nor a cheaper one: that may take minutes,
 * longer than providers have time for unless their operator says so.
 */
function tiersOf(costs: readonly FileRouteCost[], prices: readonly number[]): Pick<FilePricing & { mode: "per-token" }, "service_tiers"> {
  const tiers = Object.keys(costs[0]?.service_tiers ?? {}).flatMap((tier) => {
    const multiples = costs.map(({ service_tiers: own = {} }) => own[tier]);
    if (multiples.includes(undefined)) return [];
    const multiple = Math.max(...(multiples as number[]));
    return multiple < 1 || tierFaults({ [tier]: multiple }, prices, []).length > 0 ? [] : [[tier, multiple] as const];
  });
  return tiers.length === 0 ? {} : { service_tiers: Object.fromEntries(tiers) };
}

/** From the shortest prompt that is long anywhere; a route without such prices costs the usual there. */
function longPrice(costs: readonly FileRouteCost[], dearest: Dearest) {
  const { input, output, ...more } = ratesOf(costs, (cost) => withoutNull(cost.long_context ?? cost), dearest);
  const above = Math.min(...costs.map(({ long_context }) => long_context?.above ?? Number.POSITIVE_INFINITY));
  return { above, input: input!, output: output ?? 0, ...more };
}

function withoutNull({ cached, ...rates }: { cached?: number | null } & Omit<Rates, "cached">): Rates {
  return cached == null ? rates : { ...rates, cached };
}

/** A cache that no route prices has no price; one that some do counts as input at the others. */
function ratesOf(costs: readonly FileRouteCost[], part: (cost: FileRouteCost) => Rates, dearest: Dearest): Rates {
  const parts = costs.map(part);
  const rate = (key: keyof Rates, fallback: (rates: Rates) => number | undefined): Rates =>
    parts.every((rates) => rates[key] === undefined) ? {} : { [key]: dearest((cost) => part(cost)[key] ?? fallback(part(cost)), 6) };
  const write = ({ cache_write, input }: Rates) => cache_write ?? input;
  return {
    ...rate("input", () => undefined),
    ...rate("output", () => 0),
    ...rate("cached", ({ input }) => input),
    ...rate("cache_write", ({ input }) => input),
    ...rate("cache_write_1h", write),
  };
}

function of(mode: string, key: string, usd: number | undefined): FilePricing | undefined {
  return usd === undefined ? undefined : ({ mode, [key]: usd } as FilePricing);
}

/** Rounded up to so many decimals, in integers: 10 percent on 0.1 is 0.11. */
export function markedUp(usd: number, percent: number, decimals: number): number {
  const whole = 1_000_000n; // a percentage has four decimals
  const factor = whole + BigInt(Math.round(percent * 10_000));
  const units = BigInt(usd.toFixed(decimals).replace(".", "")) * factor;
  const text = ((units + whole - 1n) / whole).toString().padStart(decimals + 1, "0");
  return Number(`${text.slice(0, -decimals)}.${text.slice(-decimals)}`);
}
