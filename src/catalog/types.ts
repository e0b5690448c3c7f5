// The loaded catalog: plain values, every default filled in, every reference resolved. Types only; load.ts reads the file,
// spec/catalog/catalog-file.tsp says what each of its keys means.
import type { components } from "../../generated/api.d.ts";
import type { ServerTool } from "../../generated/withheld-fields.ts";
import type { Amount, Price } from "../money.ts";
import type { PixelSize } from "../providers/verbs/media.ts";
import type { Provider, Route } from "../providers/types.ts";

export type { RouteCost } from "../providers/types.ts";

/** The row as answers show it. */
export type ModelRow = components["schemas"]["ModelRow"];

/** As answers show it. */
export type PriceChange = components["schemas"]["PriceChange"];

/** The row as answers show it. */
export type Tier = components["schemas"]["TierRow"];

export type ModelType = ModelRow["type"];

export interface Catalog {
  /** Every model of the file, paused and retired ones included, in the file's order. */
  models: ReadonlyMap<string, Model>;
  /** Alias to model id. An alias never points to another alias and is never a model's id. */
  aliases: ReadonlyMap<string, string>;
  providers: ReadonlyMap<string, Provider>;
  /** The model used where a request names none; null: no active model of that kind. */
  defaults: Readonly<Record<DefaultKind, Model | null>>;
  /** Tier 0 to 4. */
  tiers: readonly Tier[];
  /** What GET /v1/models shows: active, of a type that lists models, in the file's order. */
  listed: readonly Model[];
  /** Newest first; none where no database was asked. */
  priceChanges: readonly PriceChange[];
  source: CatalogSource;
}

/** What a catalog was made from. */
export interface CatalogSource {
  text: string;
  /** Null: the text came from elsewhere. */
  path: string | null;
  loadedAt: Date;
  /** Of those that were applied (versions.ts); 0: the file, and none was ever applied. */
  version: number;
}

export type DefaultKind = "speech" | Capability;

/** The capability of a speech model that isn't text to speech. */
type Capability = "music" | "sfx" | "voice-clone" | "voice-design";

export type VoiceFamily = "provider_a" | "provider_b";

export type ModelState = { kind: "active" } | { kind: "paused" } | { kind: "retired"; replacement: string | null };

export interface Model {
  id: string;
  type: ModelType;
  row: ModelRow;
  /** In force now. */
  pricing: Pricing;
  /** Without a promotion; the same object as `pricing` while none runs. */
  listPricing: Pricing;
  /** In the order in which they are tried; empty only where the model isn't active. */
  routes: readonly Route[];
  /** Some of its routes have a weight: their order depends on the request. */
  weighted: boolean;
  /** What sorts its routes; null: nothing. */
  routeBy: RouteSort | null;
  /** Its routes for a request that names it. */
  candidates: readonly Candidate[];
  /** Its routes for a request that names another model. */
  standIns: readonly Candidate[];
  /** Null where it isn't billed by token. */
  tokens: TokenTerms | null;
  /** Ids of fallback models, in their order. */
  fallbacks: readonly string[];
  state: ModelState;
  /** Null on text to speech and on every other type. */
  capability: Capability | null;
  /** Text to speech only. */
  voiceFamily: VoiceFamily | null;
  defaultVoice: string | null;
  /** Thinking can't be switched off: `none` and `minimal` run at `low`. */
  reasoningAlwaysOn: boolean;
  supports: { tools: boolean; structuredOutputs: boolean; reasoning: boolean; vision: boolean; caching: boolean };
  /** Tokens; 0 where the type has none. */
  contextWindow: number;
  /** The most tokens that it makes of one image. */
  imageTokensMax: number;
  maxOutputTokens: number;
  /** The gateway sets `maxOutputTokens`: the provider doesn't know it, so it always goes upstream as the cap. */
  outputLimited: boolean;
  freeTier: boolean;
  media: MediaRules;
}

/** 0: the model's first route. 1: same model, other provider. 2: same model, reduced precision. 3: other model. */
export type Layer = 0 | 1 | 2 | 3;

export type RouteSort = components["schemas"]["RoutingSort"];

/** How the routes of a call were put in order, for the log. */
export type RouteChoice = components["schemas"]["RouteChoice"];

/** A route that a request may try. */
export interface Candidate {
  model: Model;
  route: Route;
  /** provider/upstream model */
  routeId: string;
  layer: Layer;
  /** On the first of candidates that more than the catalog's order chose. */
  choice?: RouteChoice | undefined;
}

/** Rules of image, video and transcription models; neutral values on all others. */
export interface MediaRules {
  /** Reads images: declared as an input modality, or required. Otherwise references are ignored. */
  takesImages: boolean;
  requiresImage: boolean;
  maxReferences: number;
  /** Edits the part of an image that a mask shows. */
  supportsMask: boolean;
  /** Makes variations of an image without a prompt. */
  supportsVariations: boolean;
  /** Sizes that may be asked for; empty: any. */
  allowedSizes: readonly string[];
  /** Added once to a request that carries references. */
  referencePrice: Price;
  defaultAspect: string;
  /** The model's own resolution for an aspect; an aspect that is missing becomes defaultAspect. Null: the built-in sizes. */
  sizes: Readonly<Record<string, PixelSize>> | null;
  /** Seconds that may be asked for, ascending; empty: any. */
  durations: readonly number[];
  defaultDurationSec: number;
  /** Keys of `extra` that are read; null: none of a video's, all of an image's that set no price. */
  extraKeys: readonly string[] | null;
  /** Keys of an image's `extra` that are not read either. */
  withheld: readonly string[];
  /** False: serves text and json only. */
  supportsTimestamps: boolean;
  /** Translates speech to English text. */
  supportsTranslation: boolean;
  /** Streams a transcript while it listens; of other models the whole is replayed as a stream. */
  supportsStreaming: boolean;
  /** Says who speaks. */
  supportsDiarization: boolean;
}

/** Prices are per one unit (token, image, second, minute, character, song, call), so that costOf takes them as they are. */
export type Pricing =
  | TokenPricing
  | { mode: "per-image"; perImage: Price }
  | { mode: "per-quality"; low: Price; medium: Price; high: Price; defaultQuality: Quality }
  /** cost = base + extraPerMegapixel x max(0, pixels - 1,000,000) / 1,000,000 */
  | { mode: "per-megapixel"; base: Price; extraPerMegapixel: Price; note: string }
  | { mode: "per-second"; perSecond: Price }
  | { mode: "per-minute"; perMinute: Price; minBillableMinutes: number }
  | { mode: "per-1k-chars"; perCharacter: Price }
  | { mode: "per-song"; perSong: Price }
  | { mode: "per-call"; perCall: Price };

/** Of one token each. */
export interface TokenRates {
  input: Price;
  output: Price;
  /** Null: cached tokens cost what input costs. */
  cached: Price | null;
  cacheWrite: Price;
  /** Written to the prompt cache for an hour. */
  cacheWriteHour: Price;
}

/** As the file says it. */
export interface TokenPricing extends TokenRates {
  mode: "per-token";
  /** Multiples of every token price, in millionths. */
  serviceTiers: ReadonlyMap<string, bigint>;
  /** The same for lines of a batch; null: they cost what any call costs. */
  batch: bigint | null;
  /** The same for a kept answer; null: answers are not kept. */
  responseCache: bigint | null;
  /** For prompts of more tokens; null: no price depends on their length. */
  longContext: (TokenRates & { above: number }) | null;
  /** Flat fee of a search model; 0 on all others. */
  perRequest: Amount;
  /** Of tools that the provider runs; requests for those without a price are refused. */
  serverTools: Readonly<Partial<Record<ServerTool, ServerToolPrice>>>;
}

interface ServerToolPrice {
  each: Price;
  /** The most that one answer may bring; null: a request has to say how many. */
  max: number | null;
}

/** The name of the price of batches among those of service tiers, in a call's terms and in its row of the usage log. */
export const batchTier = "batch";
/** The same of answers that were kept for repeats of a request. */
export const cacheTier = "response_cache";
/** Tiers that are the gateway's own: no request asks for them and no provider serves them. */
export const ownTiers: ReadonlySet<string> = new Set([batchTier, cacheTier]);

/** The prices of a call, which it keeps from its admission to its end. */
export interface TokenPrices extends TokenRates {
  perRequest: Amount;
  /** A charge is rounded up to a multiple of this: 1, and 0.0001 USD for decisions. */
  step: Amount;
  /** The tier whose multiple the prices have; absent: the usual one. */
  serviceTier?: string;
  /** The prices are those of long prompts; absent: they are not. */
  longContext?: true;
  /** Of one call of each tool that the provider may run for this call; absent: it may run none. */
  toolCalls?: Readonly<Partial<Record<ServerTool, Price>>>;
}

/** How a row of the usage log says prices (src/ledger/usage-log.ts). */
export interface PricesAsLogged {
  model: string;
  input: string;
  output: string;
  cached: string | null;
  cache_write?: string;
  cache_write_1h?: string;
  per_request: string;
  service_tier?: string;
  long_context?: true;
  web_search?: string;
  web_searches?: number;
  web_fetch?: string;
  web_fetches?: number;
  step?: string;
}

/** What a token-billed call costs, and how its row of the usage log says so. */
export interface TokenTerms extends Pick<TokenPricing, "longContext" | "serverTools"> {
  /** Multiples of every token price, in millionths, by service tier; those of batches and of kept answers are tiers here. */
  serviceTiers: ReadonlyMap<string, bigint>;
  /** The usual ones: of no tier, and of a prompt that is not long. */
  prices: TokenPrices;
  logged: PricesAsLogged;
  costBasis: { input: number; output: number; cached: number | null; per_request: number };
}

export type Quality = "low" | "medium" | "high";
