// Turns the catalog file's prices into integers, and finds their faults: a mode that the type isn't billed in, decimals that can't be
// held exactly. src/pricing computes what a call costs.
import { type Amount, exactUsdText, million, parseUsd, priceFromUsd } from "../money.ts";
import type { Fault, FileModel, FilePricing, Path } from "./file.ts";
import { byTool, serverToolNames, serverTools } from "../usage.ts";
import { ownTiers, type ModelRow, type Pricing, type TokenRates } from "./types.ts";

type Mode = FilePricing["mode"];

const perMillion = 1_000_000n;

/** Throws nothing on a pricing that priceFaults lets through. */
export function readPricing(pricing: FilePricing): Pricing {
  switch (pricing.mode) {
    case "per-token":
      return {
        mode: "per-token",
        ...readRates({ ...pricing, output: pricing.output ?? 0 }),
        serviceTiers: new Map(Object.entries(pricing.service_tiers ?? {}).map(([tier, multiple]) => [tier, millionths(multiple)])),
        batch: pricing.batch === undefined ? null : millionths(pricing.batch),
        responseCache: pricing.response_cache === undefined ? null : millionths(pricing.response_cache),
        longContext:
          pricing.long_context === undefined ? null : { ...readLong(pricing, pricing.long_context), above: pricing.long_context.above },
        perRequest: amountFromUsd(pricing.per_request ?? 0),
        serverTools: byTool((tool) => {
          const { price, max } = serverTools[tool];
          const usd = pricing[price];
          return usd === undefined ? undefined : { each: priceFromUsd(usd), max: pricing[max] ?? null };
        }),
      };
    case "per-image":
      return { mode: "per-image", perImage: priceFromUsd(pricing.usd_per_image) };
    case "per-quality": {
      const [low, medium, high] = [pricing.tiers.low, pricing.tiers.medium, pricing.tiers.high].map((usd) => priceFromUsd(usd)) as [
        bigint,
        bigint,
        bigint,
      ];
      return { mode: "per-quality", low, medium, high, defaultQuality: pricing.default_quality ?? "medium" };
    }
    case "per-megapixel":
      return {
        mode: "per-megapixel",
        base: priceFromUsd(pricing.base_usd),
        extraPerMegapixel: priceFromUsd(pricing.extra_per_mp_usd),
        note: pricing.note || "first megapixel, then each further one",
      };
    case "per-second":
      return { mode: "per-second", perSecond: priceFromUsd(pricing.usd_per_second) };
    case "per-minute":
      return { mode: "per-minute", perMinute: priceFromUsd(pricing.usd_per_minute), minBillableMinutes: pricing.min_billable_minutes ?? 1 };
    case "per-1k-chars":
      return { mode: "per-1k-chars", perCharacter: priceFromUsd(pricing.usd_per_1k_chars, 1_000n) };
    case "per-song":
      return { mode: "per-song", perSong: priceFromUsd(pricing.usd_per_song) };
    case "per-call":
      return { mode: "per-call", perCall: priceFromUsd(pricing.usd_per_call) };
  }
}

type TokenFigures = Extract<FilePricing, { mode: "per-token" }>;
type LongFigures = NonNullable<TokenFigures["long_context"]>;

function readRates(figures: Pick<TokenFigures, "input" | "cached" | "cache_write" | "cache_write_1h"> & { output: number }): TokenRates {
  const { input, output, cached, cache_write = input, cache_write_1h = cache_write } = figures;
  return {
    input: priceFromUsd(input, perMillion),
    output: priceFromUsd(output, perMillion),
    cached: cached == null ? null : priceFromUsd(cached, perMillion),
    cacheWrite: priceFromUsd(cache_write, perMillion),
    cacheWriteHour: priceFromUsd(cache_write_1h, perMillion),
  };
}

function readLong(usual: TokenFigures, long: LongFigures): TokenRates {
  return readRates(withWrites(usual, long));
}

/** A write costs what it usually does, but no less than the input of a long prompt. */
export function withWrites({ input, cache_write: write = input, cache_write_1h: hour = write }: TokenFigures, long: LongFigures) {
  const { cache_write = Math.max(write, long.input) } = long;
  return { ...long, cache_write, cache_write_1h: long.cache_write_1h ?? Math.max(hour, cache_write) };
}

/** Of a multiple that its check lets through. */
export function millionths(multiple: number): bigint {
  return BigInt(Math.round(multiple * 1e6));
}

/** The prices of a model row: USD per million tokens; 0 where the model isn't billed by token. */
export function rowPricing(pricing: FilePricing): ModelRow["pricing"] {
  if (pricing.mode !== "per-token") return { mode: pricing.mode, input: 0, output: 0, cached: null, prompt: "0", completion: "0" };
  const { input, output = 0, cached = null, cache_write, cache_write_1h, service_tiers, long_context: long } = pricing;
  const { batch, response_cache, per_web_search, max_web_searches, per_web_fetch, max_web_fetches } = pricing;
  return {
    ...{ mode: "per-token", input, output, cached },
    ...(cache_write === undefined ? {} : { cache_write }),
    ...(cache_write_1h === undefined ? {} : { cache_write_1h }),
    ...(service_tiers === undefined ? {} : { service_tiers }),
    ...(batch === undefined ? {} : { batch }),
    ...(response_cache === undefined ? {} : { response_cache }),
    ...(long === undefined ? {} : { long_context: { ...withWrites(pricing, long), cached: long.cached ?? null } }),
    ...(per_web_search === undefined ? {} : { per_web_search }),
    ...(max_web_searches === undefined ? {} : { max_web_searches }),
    ...(per_web_fetch === undefined ? {} : { per_web_fetch }),
    ...(max_web_fetches === undefined ? {} : { max_web_fetches }),
    ...{ prompt: perToken(input), completion: perToken(output) },
    ...(cached === null ? {} : { input_cache_read: perToken(cached) }),
    ...(cache_write === undefined ? {} : { input_cache_write: perToken(cache_write) }),
    ...(per_web_search === undefined ? {} : { web_search: exactUsdText(priceFromUsd(per_web_search)) }),
  };
}

const perToken = (usd: number) => exactUsdText(priceFromUsd(usd, million));

export function priceFaults(model: FileModel, path: Path): Fault[] {
  const faults: Fault[] = [];
  const { pricing, list_price: list, pricing_mode: mode } = model;
  const served = model.type !== "realtime" && model.type !== "audio-understanding" && !model.state?.paused && !model.state?.retired;
  if (pricing === undefined && served) faults.push({ path, message: '"pricing" is missing' });
  if (pricing !== undefined) {
    const modes = modesOf(model);
    // A model that isn't served may keep a retired mode.
    if (served && !modes.includes(pricing.mode))
      faults.push({
        path: [...path, "pricing", "mode"],
        message: `${kindOf(model)} models are billed ${modes.join(" or ")}, not ${pricing.mode}`,
      });
    if (mode !== undefined && mode !== pricing.mode)
      faults.push({ path: [...path, "pricing_mode"], message: `is ${mode}, but pricing.mode is ${pricing.mode}` });
    faults.push(...figureFaults(model, pricing, [...path, "pricing"]));
  }
  if (list !== undefined) {
    if (list.mode !== pricing?.mode) faults.push({ path: [...path, "list_price", "mode"], message: "must be the mode of pricing" });
    faults.push(...figureFaults(model, list, [...path, "list_price"]));
  }
  if (model.reference_usd !== undefined) faults.push(...decimalFaults(model.reference_usd, 12, [...path, "reference_usd"]));
  return faults;
}

/** Catches a misplaced decimal point: more decimals than money can have (src/money.ts: prices in 1e-12 USD, amounts in 1e-8). */
export function decimalFaults(usd: number, decimals: number, path: Path): Fault[] {
  return Number(usd.toFixed(decimals)) === usd ? [] : [{ path, message: `has more than ${decimals} decimals` }];
}

/** A price of one token in 1e-12 USD leaves six decimals per million, one of a character nine per thousand. */
const decimalsOf: Record<string, number> = {
  ...{ input: 6, output: 6, cached: 6, cache_write: 6, cache_write_1h: 6 },
  ...{ per_request: 8, usd_per_1k_chars: 9 },
};

function figureFaults(model: FileModel, pricing: FilePricing, path: Path): Fault[] {
  const faults: Fault[] = [];
  if (pricing.mode === "per-token" && model.type === "language" && pricing.output === undefined)
    faults.push({ path, message: '"output" is missing' });
  const figures: [Path, string, unknown][] = Object.entries(pricing).map(([key, value]) => [[...path, key], key, value]);
  if (pricing.mode === "per-quality")
    figures.push(...Object.entries(pricing.tiers).map(([key, value]): [Path, string, unknown] => [[...path, "tiers", key], key, value]));
  if (pricing.mode === "per-token") {
    figures.push(
      ...Object.entries(pricing.long_context ?? {}).map(([key, value]): [Path, string, unknown] => [
        [...path, "long_context", key],
        key,
        value,
      ]),
    );
    faults.push(...tokenFaults(model, pricing, path));
  }
  for (const [at, key, value] of figures) if (typeof value === "number") faults.push(...decimalFaults(value, decimalsOf[key] ?? 12, at));
  return faults;
}

/** Of prices that only language models have. */
function tokenFaults(model: FileModel, pricing: TokenFigures, path: Path): Fault[] {
  const faults: Fault[] = [];
  const { long_context: long, service_tiers: tiers = {}, batch, response_cache: cache } = pricing;
  const ofTools = serverToolNames.map((tool) => serverTools[tool]);
  const own = [
    "cache_write",
    "cache_write_1h",
    "service_tiers",
    "long_context",
    ...ofTools.flatMap(({ price, max }) => [price, max]),
  ] as const;
  if (model.type !== "language")
    for (const key of own)
      if (pricing[key] !== undefined) faults.push({ path: [...path, key], message: "belongs to language models only" });
  for (const { price, max } of ofTools)
    if (pricing[max] !== undefined && pricing[price] === undefined)
      faults.push({ path: [...path, max], message: `bounds calls that have no price: ${price} is missing` });
  if (long !== undefined && model.context_window !== undefined && long.above >= model.context_window)
    faults.push({ path: [...path, "long_context", "above"], message: `is never exceeded: context_window is ${model.context_window}` });
  const prices = [pricing, ...(long === undefined ? [] : [withWrites(pricing, long)])].flatMap((figures) =>
    [figures.input, figures.output, figures.cached, figures.cache_write, figures.cache_write_1h].filter((price) => price != null),
  );
  if (batch !== undefined && model.type !== "language" && model.type !== "embedding")
    faults.push({ path: [...path, "batch"], message: "belongs to language and embedding models only" });
  faults.push(...tierFaults(tiers, prices, [...path, "service_tiers"]));
  if (batch !== undefined) faults.push(...multipleFaults(batch, prices, [...path, "batch"]));
  if (cache !== undefined) faults.push(...multipleFaults(cache, prices, [...path, "response_cache"]));
  return faults;
}

/** Of multiples by service tier. */
export function tierFaults(tiers: Readonly<Record<string, number>>, prices: readonly number[], path: Path): Fault[] {
  return Object.entries(tiers).flatMap(([tier, multiple]) => {
    const at = [...path, tier];
    const isName = /^[a-z][a-z0-9_-]{0,39}$/.test(tier) && !ownTiers.has(tier);
    return [...(isName ? [] : [{ path: at, message: `"${tier}" is no name of a tier` }]), ...multipleFaults(multiple, prices, at)];
  });
}

function multipleFaults(multiple: number, prices: readonly number[], at: Path): Fault[] {
  const own = decimalFaults(multiple, 6, at);
  if (own.length > 0) return own;
  const inexact = prices.find((price) => decimalFaults(Number((price * multiple).toFixed(12)), 6, at).length > 0);
  return inexact === undefined ? [] : [{ path: at, message: `${multiple} x ${inexact} has more than 6 decimals` }];
}

function modesOf(model: FileModel): readonly Mode[] {
  switch (model.type) {
    case "image":
      return ["per-image", "per-quality", "per-megapixel"];
    case "video":
      return ["per-second"];
    case "transcription":
      return ["per-minute"];
    case "speech":
      return model.capability === undefined ? ["per-1k-chars"] : model.capability === "music" ? ["per-second", "per-song"] : ["per-call"];
    case "language":
    case "embedding":
    case "reranking":
    case "decisions":
    case "audio-understanding":
    case "realtime":
      return ["per-token"];
  }
}

/** How faults name a model. */
export function kindOf({ type, capability }: Pick<FileModel, "type" | "capability">): string {
  return type === "speech" ? (capability ?? "text-to-speech") : type;
}

function amountFromUsd(usd: number): Amount {
  const amount = parseUsd(usd.toFixed(8));
  if (amount === undefined) throw new RangeError(`not an amount: ${usd}`);
  return amount;
}
