// Which size a picture is made in: the size asked for becomes the nearest of six aspects, in the model's own resolution for it
// (gateway-api.md "Images" size, WIRE.md 14 row 24, OPERATOR.md `sizes`, `allowed_sizes`, `default_aspect`).
import type { Model } from "../catalog/types.ts";
import { failParameter } from "../errors/fail.ts";
import type { PixelSize } from "../providers/media.ts";

export interface SnappedSize {
  /** What the model is asked for. */
  size: PixelSize;
  /** The aspect of `size`; null: none of the six, nor the model's own. */
  aspect: string | null;
  /** What a price by the megapixel is held for: the size as it was asked for, or the model's default (OPERATOR.md "Pricing modes"). */
  asked: PixelSize;
}

/** The resolutions of models that say none of their own: about a megapixel each, in multiples of 64. */
const builtIn: Readonly<Record<string, PixelSize>> = {
  "1:1": { width: 1024, height: 1024 },
  "16:9": { width: 1344, height: 768 },
  "9:16": { width: 768, height: 1344 },
  "4:3": { width: 1152, height: 896 },
  "3:4": { width: 896, height: 1152 },
  "21:9": { width: 1536, height: 640 },
};
const aspects = Object.keys(builtIn);
/** Of natural logarithms of two ratios: above it a ratio is far from an aspect. */
const farDistance = 0.25;
/** A size of its own has an aspect where the two are as good as one: 1365x1024 is 4:3. */
const sameDistance = 0.03;

/** Fails with invalid_parameter where the model lists the sizes it takes. */
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

/** Null: no `WIDTHxHEIGHT`, which is no fault but the model's default. */
function readSize(text: string): PixelSize | null {
  const match = /^([1-9]\d*)x([1-9]\d*)$/.exec(text);
  if (match === null) return null;
  const [width, height] = [match[1]!, match[2]!];
  const surplus = Math.max(0, Math.max(width.length, height.length) - digitsMax);
  return { width: sideOf(width, surplus), height: sideOf(height, surplus) };
}

/** Two sides so long still multiply to a number. Longer ones lose as many digits each: the ratio stays, and is more than anybody makes. */
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

/** An operator's default aspect may be none of the six: then about a megapixel of it. */
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
