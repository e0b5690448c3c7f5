// Turns a request for a video into a plan: its length, its reference files, its settings, and the amount to hold (spec/videos/videos.tsp).
import type { Resolved } from "../catalog/resolve.ts";
import type { Model } from "../catalog/types.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { type AddressPolicy, assertNestedAddresses, readSourceAddress } from "../network/address.ts";
import { mediaCost, mediaPricesOf } from "../pricing/media-cost.ts";
import { readNamedExtra } from "./extra-fields.ts";
import type { JobPlan } from "./types.ts";

/** Fields of the right types; null and undefined: absent. */
export interface VideoFields {
  prompt?: string | null;
  image_url?: string | null;
  audio_url?: string | null;
  duration_s?: number | null;
  aspect_ratio?: string | null;
  extra?: Record<string, unknown> | null;
}

/** Fails with invalid_parameter, invalid_duration or image_url_required. `prompt` is already validated. */
export function videoPlan(policy: AddressPolicy, { model, alias }: Resolved, fields: VideoFields & { prompt: string }): JobPlan {
  const seconds = secondsOf(model, fields.duration_s);
  const aspect = fields.aspect_ratio ?? null;
  if (aspect !== null && !videoAspects.includes(aspect)) failParameter("aspect_ratio", `it must be ${videoAspects.join(" or ")}`);
  const addressOf = (text: string | null | undefined, param: string) =>
    text === undefined || text === null ? null : readSourceAddress(text, param, policy);
  const firstFrame = addressOf(fields.image_url, "image_url");
  if (model.media.requiresImage && firstFrame === null) fail("image_url_required", { param: "image_url", text: { model: model.id } });
  const soundTrack = addressOf(fields.audio_url, "audio_url");
  const references = firstFrame === null ? 0n : model.media.referencePrice;
  const prices = mediaPricesOf(model, { quality: null, references });
  const extra = readNamedExtra(fields.extra, model.media.extraKeys ?? []);
  assertNestedAddresses(extra, "extra", policy);
  return {
    model,
    alias,
    request: { kind: "video", order: { prompt: fields.prompt, firstFrame, soundTrack, seconds, aspect, extra } },
    prices,
    estimated: mediaCost(prices, { count: 1, pixels: 0, seconds }),
  };
}

const videoAspects = ["16:9", "9:16"];
/** The longest, for models that offer any length: far above what video models make. */
const anySecondsMax = 300;

/** The next longer length that the model offers; for models that offer any length, whole milliseconds. */
function secondsOf({ id, media }: Pick<Model, "id" | "media">, given: number | null | undefined): number {
  const { durations, defaultDurationSec } = media;
  if (given === undefined || given === null) return defaultDurationSec;
  const longest = durations.at(-1) ?? anySecondsMax;
  const offered = durations.length === 0 ? "" : `; it makes ${durations.join(", ")} seconds`;
  const refuse = (reason: string) => fail("invalid_duration", { param: "duration_s", text: { param: "duration_s", model: id, reason } });
  if (!(given > 0)) refuse(`it must be more than 0${offered}`);
  if (given > longest) refuse(`it must be at most ${longest}${offered}`);
  return durations.find((seconds) => seconds >= given) ?? Math.ceil(given * 1000) / 1000;
}
