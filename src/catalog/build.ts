// Turns a catalog file without faults into the catalog: prices as integers, references resolved, defaults filled in.
// Pure: the environment and the simulator's address are handed in.
import { priceFromUsd } from "../money.ts";
import type { Route } from "../providers/types.ts";
import type { PixelSize } from "../providers/verbs/media.ts";
import { defaultAspect } from "./check.ts";
import type { CatalogFile, FileModel, FileRoute } from "./file.ts";
import { tokenTerms, withCandidates } from "./prepare.ts";
import { readPricing } from "./prices.ts";
import { readCost } from "./route-cost.ts";
import { type ProviderSurroundings, readProvider } from "./provider.ts";
import { makeRow } from "./row.ts";
import { shippedTiers } from "./tiers.ts";
import type { Catalog, CatalogSource, DefaultKind, MediaRules, Model, ModelState, Pricing } from "./types.ts";

export function buildCatalog(file: CatalogFile, surroundings: ProviderSurroundings, source: CatalogSource): Catalog {
  const providers = new Map(file.providers.map((provider) => [provider.id, readProvider(provider, surroundings)]));
  const limits = { ...shippedFreeTier, ...file.free_tier };
  const labels = new Map(file.providers.map(({ id, label }) => [id, label]));
  const models = new Map(file.models.map((model) => [model.id, buildModel(model, { providers, labels, limits })]));
  return {
    models,
    aliases: new Map(Object.entries(file.aliases ?? {})),
    providers,
    defaults: defaultsOf(file, [...models.values()]),
    tiers: file.tiers ?? shippedTiers,
    listed: [...models.values()].filter(
      ({ state, type }) => state.kind === "active" && type !== "realtime" && type !== "audio-understanding",
    ),
    priceChanges: [],
    source,
  };
}

interface Parts {
  providers: Catalog["providers"];
  /** By provider. */
  labels: ReadonlyMap<string, string | undefined>;
  limits: FreeTierLimits;
}

function buildModel(model: FileModel, { providers, labels, limits }: Parts): Model {
  const pricing = readPricing(model.pricing ?? { mode: "per-token", input: 0 });
  const freeTier = model.pricing !== undefined && isFree(pricing, limits);
  const row = makeRow(model, { freeTier });
  return withCandidates({
    id: model.id,
    type: model.type,
    row,
    pricing,
    listPricing: model.list_price === undefined ? pricing : readPricing(model.list_price),
    routes: (model.routes ?? []).map((route): Route => ({
      provider: providers.get(route.provider)!,
      model: route.model,
      reducedPrecision: route.reduced_precision ?? null,
      ...(route.weight === undefined ? {} : { weight: route.weight }),
      ...labelOf(route, labels),
      ...(route.completions === true ? { completions: true } : {}),
      thinking: route.thinking ?? "budget",
      cost: route.cost === undefined ? null : readCost(route.cost),
    })),
    routeBy: model.route_by ?? null,
    fallbacks: model.fallbacks ?? [],
    state: stateOf(model),
    capability: model.capability ?? null,
    voiceFamily: model.voice_family ?? null,
    defaultVoice: model.default_voice ?? null,
    reasoningAlwaysOn: model.reasoning_always_on ?? false,
    supports: {
      tools: row.supports_tools,
      structuredOutputs: row.supports_structured_outputs,
      reasoning: row.supports_reasoning,
      vision: row.supports_vision,
      caching: row.supports_caching,
    },
    contextWindow: row.context_window,
    imageTokensMax: model.image_tokens_max ?? anyImageTokensMax,
    maxOutputTokens: Math.min(row.max_output_tokens, row.gateway_output_limit ?? row.max_output_tokens),
    outputLimited: row.gateway_output_limit !== null,
    freeTier,
    media: mediaOf(model, row.input_modalities),
    tokens: tokenTerms(model.id, model.type, pricing),
  });
}

function labelOf(route: FileRoute, labels: Parts["labels"]): Pick<Route, "label"> {
  const label = route.label ?? labels.get(route.provider);
  return label === undefined ? {} : { label };
}

/** GPT-4o mini takes the most: 2,833 tokens, and 5,667 for each of at most eight tiles. Qwen's models take up to 16,384. */
const anyImageTokensMax = 48_169;

function stateOf({ state }: FileModel): ModelState {
  if (state?.retired) return { kind: "retired", replacement: state.replacement ?? null };
  return { kind: state?.paused ? "paused" : "active" };
}

function mediaOf(model: FileModel, reads: readonly string[]): MediaRules {
  const durations = [...(model.durations ?? [])].sort((one, other) => one - other);
  return {
    takesImages: model.requires_image === true || reads.includes("image"),
    requiresImage: model.requires_image ?? false,
    maxReferences: model.max_references ?? 10,
    supportsMask: model.supports_mask ?? false,
    supportsVariations: model.supports_variations ?? false,
    allowedSizes: model.allowed_sizes ?? [],
    referencePrice: priceFromUsd(model.reference_usd ?? 0),
    defaultAspect: model.default_aspect ?? defaultAspect,
    sizes:
      model.sizes === undefined ? null : Object.fromEntries(Object.entries(model.sizes).map(([aspect, size]) => [aspect, pixelsOf(size)])),
    durations,
    defaultDurationSec: model.default_duration_s ?? model.durations?.[0] ?? 5,
    extraKeys: model.extra_keys ?? null,
    withheld: model.withheld ?? [],
    supportsTimestamps: model.supports_timestamps ?? true,
    supportsTranslation: model.supports_translation ?? false,
    supportsStreaming: model.supports_streaming ?? false,
    supportsDiarization: model.supports_diarization ?? false,
  };
}

function pixelsOf(size: string): PixelSize {
  const [width, height] = size.split("x").map(Number) as [number, number];
  return { width, height };
}

/** The model that the file names, when it is active; else the first active one of its kind. */
function defaultsOf({ defaults = {} }: CatalogFile, models: readonly Model[]): Catalog["defaults"] {
  const active = models.filter(({ type, state }) => type === "speech" && state.kind === "active");
  const pick = (kind: DefaultKind) =>
    active.find(({ id }) => id === defaults[kind]) ??
    active.find(({ capability }) => capability === (kind === "speech" ? null : kind)) ??
    null;
  return {
    speech: pick("speech"),
    music: pick("music"),
    sfx: pick("sfx"),
    "voice-clone": pick("voice-clone"),
    "voice-design": pick("voice-design"),
  };
}

// Derives `free_tier` from a published price, so that it follows a price change at once. Admission decides who may call what
// because of it.

/** The file's `free_tier`: USD per million tokens, per image, per minute. */
interface FreeTierLimits {
  input: number;
  output: number;
  per_image: number;
  per_minute: number;
}

/** The limits that apply where the file sets none. */
const shippedFreeTier: FreeTierLimits = { input: 0.1, output: 0.4, per_image: 0.01, per_minute: 0.001 };

/** At or below the limit; images strictly below it ("the sub-cent budget model"). Other modes are never free. */
function isFree(pricing: Pricing, limits: FreeTierLimits): boolean {
  const perMillion = 1_000_000n;
  switch (pricing.mode) {
    case "per-token":
      return pricing.input <= priceFromUsd(limits.input, perMillion) && pricing.output <= priceFromUsd(limits.output, perMillion);
    case "per-image":
      return pricing.perImage < priceFromUsd(limits.per_image);
    case "per-minute":
      return pricing.perMinute <= priceFromUsd(limits.per_minute);
    case "per-quality":
    case "per-megapixel":
    case "per-second":
    case "per-1k-chars":
    case "per-song":
    case "per-call":
      return false;
  }
}
