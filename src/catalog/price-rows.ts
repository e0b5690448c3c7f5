// The rows of GET /v1/pricing and of the older list per token (docs/behaviour/endpoints.md#pricing-rows).
// Pure: listed models in, rows out. src/pricing computes what a request really costs.
import type { components } from "../../generated/api.d.ts";
import { type Price, usdFromPrice } from "../money.ts";
import type { MediaRules, Model } from "./types.ts";

type PricingCatalog = components["schemas"]["PricingCatalog"];
type LegacyPriceList = components["schemas"]["LegacyPriceList"];
type TextPriceRow = components["schemas"]["TextPriceRow"];
type MediaPriceRow = components["schemas"]["MediaPriceRow"];
type Modality = components["schemas"]["Modality"];

/** The typical call that `usd_per_call` prices (docs/behaviour/endpoints.md#pricing-rows); the music's length is the endpoint's default. */
const typical = { videoSec: 5, musicSec: 30n, characters: 1000n };
/** Limits section: music of 1,000 to 300,000 ms. */
const musicSec = { min: 1, max: 300 };

export function pricingCatalog(listed: readonly Model[]): PricingCatalog {
  const sorted = listed.toSorted(byId);
  const text = sorted.flatMap((model) => textPriceRow(model) ?? []);
  const media = sorted.flatMap((model) => mediaPriceRow(model) ?? []);
  return { object: "pricing.catalog", text_count: text.length, media_count: media.length, text, media };
}

export function legacyPriceList(listed: readonly Model[]): LegacyPriceList {
  return { object: "list", data: listed.toSorted(byId).map(legacyPriceRow) };
}

/** Compares by code unit, so that every machine sorts alike. */
function byId(one: Model, other: Model): number {
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

function textPriceRow({ id, row, pricing }: Model): TextPriceRow | undefined {
  if (pricing.mode !== "per-token") return undefined;
  const { cache_write, cache_write_1h, service_tiers, batch, response_cache, long_context, per_web_search, per_web_fetch } = row.pricing;
  return {
    id,
    name: row.name,
    input_per_1m: row.pricing.input,
    output_per_1m: row.pricing.output,
    list_input_per_1m: row.list_price.input,
    list_output_per_1m: row.list_price.output,
    cached_input_per_1m: row.pricing.cached,
    ...(cache_write === undefined ? {} : { cache_write_per_1m: cache_write }),
    ...(cache_write_1h === undefined ? {} : { cache_write_1h_per_1m: cache_write_1h }),
    ...(service_tiers === undefined ? {} : { service_tiers }),
    ...(batch === undefined ? {} : { batch }),
    ...(response_cache === undefined ? {} : { response_cache }),
    ...(long_context === undefined ? {} : { long_context }),
    ...(per_web_search === undefined ? {} : { per_web_search }),
    ...(per_web_fetch === undefined ? {} : { per_web_fetch }),
  };
}

/** `per-song` and `per-call` appear on no row, even where such a model is served. */
function mediaPriceRow(model: Model): MediaPriceRow | undefined {
  const { pricing } = model;
  const head = { id: model.id, name: model.row.name, modality: modalityOf(model) };
  switch (pricing.mode) {
    case "per-image": {
      const usd_per_image = usdFromPrice(pricing.perImage);
      return { ...head, pricing_mode: pricing.mode, usd_per_call: usd_per_image, detail: { usd_per_image } };
    }
    case "per-quality": {
      const tiers = { low: usdFromPrice(pricing.low), medium: usdFromPrice(pricing.medium), high: usdFromPrice(pricing.high) };
      const default_quality = pricing.defaultQuality;
      return { ...head, pricing_mode: pricing.mode, usd_per_call: tiers[default_quality], detail: { tiers, default_quality } };
    }
    case "per-megapixel": {
      const base_usd = usdFromPrice(pricing.base);
      const detail = { base_usd, extra_per_mp_usd: usdFromPrice(pricing.extraPerMegapixel), note: pricing.note };
      const extra = (pricing.extraPerMegapixel * pixelsBeyondFirst(model.media)) / 1_000_000n;
      return { ...head, pricing_mode: pricing.mode, usd_per_call: usdFromPrice(pricing.base + extra), detail };
    }
    case "per-second":
      return { ...head, pricing_mode: pricing.mode, ...perSecond(model, pricing.perSecond) };
    case "per-minute": {
      const detail = { usd_per_minute: usdFromPrice(pricing.perMinute), min_billable_minutes: pricing.minBillableMinutes };
      const minutes = BigInt(Math.ceil(Math.max(1, pricing.minBillableMinutes)));
      return { ...head, pricing_mode: pricing.mode, usd_per_call: usdFromPrice(pricing.perMinute, minutes), detail };
    }
    case "per-1k-chars": {
      const usd_per_1k_chars = usdFromPrice(pricing.perCharacter, typical.characters);
      return { ...head, pricing_mode: pricing.mode, usd_per_call: usd_per_1k_chars, detail: { usd_per_1k_chars } };
    }
    default:
      return undefined;
  }
}

/** Of the size that a request without one gets, beyond the megapixel that `base` pays; the built-in sizes are of one megapixel. */
function pixelsBeyondFirst({ sizes, defaultAspect }: MediaRules): bigint {
  const size = sizes?.[defaultAspect];
  return size === undefined ? 0n : BigInt(Math.max(0, size.width * size.height - 1_000_000));
}

function perSecond({ type, media }: Model, price: Price): Pick<components["schemas"]["PerSecondRow"], "usd_per_call" | "detail"> {
  const isVideo = type === "video";
  return {
    usd_per_call: isVideo ? usdFromPrice((price * videoMs(media)) / 1000n) : usdFromPrice(price, typical.musicSec),
    detail: {
      usd_per_second: usdFromPrice(price),
      usd_per_second_with_audio: null,
      min_seconds: isVideo ? (media.durations[0] ?? null) : musicSec.min,
      max_seconds: isVideo ? (media.durations.at(-1) ?? null) : musicSec.max,
    },
  };
}

/** A length that no request may have is not typical. */
function videoMs({ durations, defaultDurationSec }: MediaRules): bigint {
  const allowed = durations.length === 0 || durations.includes(typical.videoSec);
  return BigInt(Math.round((allowed ? typical.videoSec : defaultDurationSec) * 1000));
}

function modalityOf({ type }: Model): Modality {
  return type === "image" || type === "video" ? type : "audio";
}

function legacyPriceRow({ id, pricing }: Model): LegacyPriceList["data"][number] {
  if (pricing.mode !== "per-token")
    return { model: id, input_per_token: 0, output_per_token: 0, cached_input_per_token: null, placeholder: true };
  return {
    model: id,
    input_per_token: usdFromPrice(pricing.input),
    output_per_token: usdFromPrice(pricing.output),
    cached_input_per_token: pricing.cached === null ? null : usdFromPrice(pricing.cached),
    placeholder: false,
  };
}
