// Turns a request for images into a plan: every rule of a field that depends on the model, and the amount to hold.
import type { Resolved } from "../catalog/resolve.ts";
import type { Model, Pricing, Quality } from "../catalog/types.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { type Amount, parseUsd } from "../money.ts";
import { type AddressPolicy, assertNestedAddresses, readSourceAddress } from "../network/address.ts";
import { mediaCost, mediaPricesOf } from "../pricing/media-cost.ts";
import type { PixelSize } from "../providers/verbs/media.ts";
import { readExtra } from "./extra-fields.ts";
import type { JobPlan } from "./types.ts";

/** Fields of the right types; null and undefined: absent. */
export interface ImageFields extends ReferenceFields {
  prompt?: string | null;
  n?: number | null;
  size?: string | null;
  quality?: string | null;
  extra?: Record<string, unknown> | null;
}

/**
 * `prompt` is already validated. `uploaded`: images that came with the request, in place of addresses. Fails with invalid_parameter,
 * image_url_required or too_many_references.
 */
export function imagePlan(
  policy: AddressPolicy,
  { model, alias }: Resolved,
  fields: ImageFields & { prompt: string },
  uploaded: number | null = null,
): JobPlan {
  const { pricing, media } = model;
  const { size, aspect, asked } = snapSize(model, fields.size);
  const quality = qualityOf(pricing, fields.quality);
  const references = uploaded === null ? readReferences(model, fields, policy) : [];
  if (uploaded !== null) assertReferences(model, "image", uploaded);
  const hasReferences = references.length > 0 || uploaded !== null;
  const count = pricing.mode === "per-megapixel" ? 1 : countOf(fields.n);
  const extra = readExtra(fields.extra, model);
  assertNestedAddresses(extra, "extra", policy);
  const prices = mediaPricesOf(model, { quality, references: hasReferences ? media.referencePrice : 0n });
  return {
    model,
    alias,
    request: {
      kind: "image",
      order: { prompt: fields.prompt, count, size, aspect, quality, references, extra },
    },
    prices,
    estimated: lesser(mediaCost(prices, { count, pixels: pixelsOf(asked), seconds: 0 }), holdMax),
  };
}

/** In USD: more than any balance, so that it is refused, and little enough for the ledger to compute with. */
const holdMax = parseUsd("10000000000") as Amount;

function lesser(one: Amount, other: Amount): Amount {
  return one < other ? one : other;
}

/** A requested size may have more pixels than a number can count. */
function pixelsOf({ width, height }: PixelSize): number {
  return Math.min(width * height, Number.MAX_SAFE_INTEGER);
}

const countMax = 4;

/** Truncated and clamped, never refused. */
function countOf(n: number | null | undefined): number {
  return Math.min(Math.max(Math.trunc(n ?? 1), 1), countMax);
}

const qualities: Readonly<Record<string, Quality>> = { low: "low", medium: "medium", high: "high", standard: "medium", hd: "high" };

/** Null for models whose price it does not affect: they ignore the field. */
function qualityOf(pricing: Pricing, given: string | null | undefined): Quality | null {
  if (pricing.mode !== "per-quality") return null;
  if (given === undefined || given === null || given === "auto") return pricing.defaultQuality;
  if (!Object.hasOwn(qualities, given)) failParameter("quality", "it must be low, medium, high, auto, standard or hd");
  return qualities[given]!;
}

// The reference images of an image request (docs/behaviour/media-jobs.md#sources): ignored by models that read none, required by the edit model,
// bounded by the model's maximum.

interface ReferenceFields {
  image_url?: string | null;
  /** Replaces `image_url` unless it is empty. */
  image_urls?: readonly string[] | null;
}

/** Fails with image_url_required, too_many_references or invalid_parameter. */
export function readReferences(
  { id, media }: Pick<Model, "id" | "media">,
  { image_url: one, image_urls: several }: ReferenceFields,
  policy: AddressPolicy,
): string[] {
  if (!media.takesImages) return [];
  const given = several !== undefined && several !== null && several.length > 0 ? several : null;
  const addresses = given ?? (one === undefined || one === null ? [] : [one]);
  if (media.requiresImage && addresses.length === 0) fail("image_url_required", { param: "image_url", text: { model: id } });
  assertReferences({ id, media }, "image_urls", addresses.length);
  return addresses.map((address, index) => readSourceAddress(address, given === null ? "image_url" : `image_urls[${index}]`, policy));
}

function assertReferences({ id, media: { maxReferences: max } }: Pick<Model, "id" | "media">, param: string, count: number): void {
  if (count > max) fail("too_many_references", { param, text: { count, model: id, max } });
}

// The size of an image: the requested size becomes the nearest of six aspects, in the model's own resolution for it
// (docs/behaviour/media-jobs.md#sizes).

interface SnappedSize {
  /** Sent to the provider. */
  size: PixelSize;
  /** The aspect of `size`; null: neither one of the six nor the model's own. */
  aspect: string | null;
  /** The size that a price by the megapixel is held for: as requested, or the model's default. */
  asked: PixelSize;
}

/** Resolutions for models without their own: about a megapixel each, in multiples of 64. */
const builtIn: Readonly<Record<string, PixelSize>> = {
  "1:1": { width: 1024, height: 1024 },
  "16:9": { width: 1344, height: 768 },
  "9:16": { width: 768, height: 1344 },
  "4:3": { width: 1152, height: 896 },
  "3:4": { width: 896, height: 1152 },
  "21:9": { width: 1536, height: 640 },
};
const aspects = Object.keys(builtIn);
/** Distances are differences of the ratios' natural logarithms; beyond this one a ratio is far from an aspect. */
const farDistance = 0.25;
/** Up to this distance a size of the model's own counts as that aspect: 1365x1024 is 4:3. */
const sameDistance = 0.03;

/** Fails with invalid_parameter for a size that is not in the model's list. */
export function snapSize({ id, media }: Pick<Model, "id" | "media">, text: string | null | undefined): SnappedSize {
  const asked = text === null || text === undefined ? null : readSize(text);
  if (media.allowedSizes.length > 0) return listedSize(id, media, { text, asked });
  const near = asked === null ? null : nearestAspect(asked, farDistance);
  const aspect = near !== null && sizesOf(media)[near] !== undefined ? near : media.defaultAspect;
  const size = sizeOf(media, aspect);
  return { size, aspect, asked: asked ?? size };
}

type MediaRules = Model["media"];

function listedSize(id: string, media: MediaRules, given: { text: string | null | undefined; asked: PixelSize | null }): SnappedSize {
  const { text, asked } = given;
  const listed = media.allowedSizes.flatMap((size) => readSize(size) ?? []);
  if (asked !== null && listed.some((size) => isSame(size, asked))) return exactly(asked);
  const isDefault = text === null || text === undefined || (text === "auto" && media.allowedSizes.includes("auto"));
  if (!isDefault) failParameter("size", `${id} takes ${media.allowedSizes.join(", ")}`);
  const usual = sizeOf(media, media.defaultAspect);
  return exactly(listed.find((size) => isSame(size, usual)) ?? listed[0] ?? usual);
}

function exactly(size: PixelSize): SnappedSize {
  return { size, aspect: nearestAspect(size, sameDistance), asked: size };
}

/** Null: not `WIDTHxHEIGHT`, which means the model's default rather than an error. */
function readSize(text: string): PixelSize | null {
  const match = /^([1-9]\d*)x([1-9]\d*)$/.exec(text);
  if (match === null) return null;
  const [width, height] = [match[1]!, match[2]!];
  const surplus = Math.max(0, Math.max(width.length, height.length) - digitsMax);
  return { width: sideOf(width, surplus), height: sideOf(height, surplus) };
}

/** The product of two sides of so many digits is still a number. Longer sides lose as many digits each, which keeps the ratio. */
const digitsMax = 150;

function sideOf(digits: string, surplus: number): number {
  return Number(digits.slice(0, Math.max(1, digits.length - surplus)));
}

function nearestAspect({ width, height }: PixelSize, within: number): string | null {
  const distances = aspects.map((aspect) => ({ aspect, distance: Math.abs(Math.log(width / height / ratioOf(aspect))) }));
  const { aspect, distance } = distances.reduce((best, other) => (other.distance < best.distance ? other : best));
  return distance > within ? null : aspect;
}

function ratioOf(aspect: string): number {
  const [width, height] = aspect.split(":").map(Number) as [number, number];
  return width / height;
}

function sizesOf(media: MediaRules): Readonly<Record<string, PixelSize>> {
  return media.sizes ?? builtIn;
}

/** An operator's default aspect may be none of the six; then it gets about a megapixel. */
function sizeOf(media: MediaRules, aspect: string): PixelSize {
  const known = sizesOf(media)[aspect];
  if (known !== undefined) return known;
  const ratio = ratioOf(aspect);
  const side = (length: number) => Math.max(64, Math.round(length / 64) * 64);
  return { width: side(1024 * Math.sqrt(ratio)), height: side(1024 / Math.sqrt(ratio)) };
}

function isSame(one: PixelSize, other: PixelSize): boolean {
  return one.width === other.width && one.height === other.height;
}
