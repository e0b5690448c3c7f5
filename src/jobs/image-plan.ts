// A request for pictures as a plan: every field rule that depends on the model, and what is held (gateway-api.md "Images").
import type { Resolved } from "../catalog/resolve.ts";
import { failParameter } from "../errors/fail.ts";
import { type Amount, parseUsd } from "../money.ts";
import { mediaCost, mediaPricesOf } from "../pricing/media-cost.ts";
import type { Pricing, Quality } from "../catalog/types.ts";
import type { PixelSize } from "../providers/media.ts";
import type { AddressPolicy } from "../network/source-address.ts";
import { readExtra } from "./extra-fields.ts";
import { readReferences, type ReferenceFields } from "./references.ts";
import { snapSize } from "./snap-size.ts";
import type { JobPlan } from "./types.ts";

/** Of the right types; null and undefined: not given. */
export interface PictureFields extends ReferenceFields {
  prompt?: string | null;
  n?: number | null;
  size?: string | null;
  quality?: string | null;
  extra?: Record<string, unknown> | null;
}

/** Fails with invalid_parameter, image_url_required or too_many_references. `prompt` was read before. */
export function picturePlan(policy: AddressPolicy, { model, alias }: Resolved, fields: PictureFields & { prompt: string }): JobPlan {
  const { pricing, media } = model;
  const { size, aspect, asked } = snapSize(model, fields.size);
  const quality = qualityOf(pricing, fields.quality);
  const references = readReferences(model, fields, policy);
  const count = pricing.mode === "per-megapixel" ? 1 : countOf(fields.n);
  const prices = mediaPricesOf(model, { quality, references: references.length > 0 ? media.referencePrice : 0n });
  return {
    model,
    alias,
    request: {
      kind: "image",
      order: { prompt: fields.prompt, count, size, aspect, quality, references, extra: readExtra(fields.extra) },
    },
    prices,
    estimated: lesser(mediaCost(prices, { count, pixels: pixelsOf(asked), seconds: 0 }), holdMax),
  };
}

/** USD that nobody has, so that it is refused; the ledger could still count so many. */
const holdMax = parseUsd("10000000000") as Amount;

function lesser(one: Amount, other: Amount): Amount {
  return one < other ? one : other;
}

/** A size may be asked for that has more of them than numbers count. */
function pixelsOf({ width, height }: PixelSize): number {
  return Math.min(width * height, Number.MAX_SAFE_INTEGER);
}

const countMax = 4;

/** Cut off and clamped, never refused (WIRE.md 14 row 22). */
function countOf(n: number | null | undefined): number {
  return Math.min(Math.max(Math.trunc(n ?? 1), 1), countMax);
}

const qualities: Readonly<Record<string, Quality>> = { low: "low", medium: "medium", high: "high", standard: "medium", hd: "high" };

/** Null on models whose price it does not set: they ignore the field. */
function qualityOf(pricing: Pricing, given: string | null | undefined): Quality | null {
  if (pricing.mode !== "per-quality") return null;
  if (given === undefined || given === null || given === "auto") return pricing.defaultQuality;
  if (!Object.hasOwn(qualities, given)) failParameter("quality", "it must be low, medium, high, auto, standard or hd");
  return qualities[given]!;
}
