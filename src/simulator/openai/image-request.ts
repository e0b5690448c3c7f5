// What both image operations read of a request, with the refusals of the real API.
import { imageSize } from "image-size";
import type { Directives } from "../directive-list.ts";
import { type ImageFormat, readFormat } from "../made/image.ts";
import type { SentPart } from "../protocol.ts";
import { readForm, type SentFile } from "../read-form.ts";
import { type Fields, type Refusal, refuse, Refused } from "../request-fields.ts";
import { digest } from "../seed.ts";

export type Quality = "low" | "medium" | "high";

export interface ImageRequest {
  prompt: string;
  count: number;
  width: number;
  height: number;
  quality: Quality;
  format: ImageFormat;
  /** dall-e's way: addresses, unless base64 was asked for. */
  asUrls: boolean;
}

const countMax = 10;
const promptMax = 32_000;
const sideMin = 16;
const sideMax = 4096;
/** What older names mean, and what `auto` comes to. */
const qualities: Record<string, Quality> = {
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
  auto: "medium",
  standard: "medium",
  hd: "high",
};
const formats = ["png", "jpeg", "webp"];
const known = new Set(
  (
    "model prompt n size quality background output_format output_compression moderation user stream partial_images " +
    "response_format style image image[] mask input_fidelity"
  ).split(" "),
);

/** Fields of a form are texts, numbers too. */
export function readImageRequest(name: string, directives: Directives, fields: Fields): ImageRequest {
  const unknown = Object.keys(fields).find((field) => !known.has(field));
  if (unknown !== undefined) refuse(unknown, `Unknown parameter: '${unknown}'.`, "unknown_parameter");
  const isOlder = name.includes("dall-e");
  const { response_format: format = null } = fields;
  if (format !== null && !isOlder) refuse("response_format", "Unknown parameter: 'response_format'.", "unknown_parameter");
  if (fields["stream"] === true || fields["stream"] === "true")
    refuse("stream", "The simulator doesn't stream images.", "unsupported_value");
  const [width, height] = readSize(fields["size"]);
  return {
    prompt: readPrompt(fields["prompt"]),
    count: readCount(fields["n"]),
    width: directives.width ?? width,
    height: directives.height ?? height,
    quality: readChoice(fields, "quality", qualities),
    format: readOutputFormat(fields["output_format"]),
    asUrls: directives.imageUrls !== undefined || (isOlder && format !== "b64_json"),
  };
}

function readPrompt(prompt: unknown): string {
  if (prompt === undefined || prompt === null) refuse("prompt", "Missing required parameter: 'prompt'.", "missing_required_parameter");
  if (typeof prompt !== "string" || prompt === "") refuse("prompt", "Invalid 'prompt': expected a text that isn't empty.", "invalid_value");
  if (prompt.length > promptMax) {
    refuse("prompt", `Invalid 'prompt': string too long. Expected at most ${promptMax} characters.`, "string_above_max_length");
  }
  return prompt;
}

function readCount(sent: unknown): number {
  if (sent === undefined || sent === null) return 1;
  const count = typeof sent === "string" ? Number(sent) : sent;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1 || count > countMax) {
    refuse("n", `Invalid 'n': expected a whole number from 1 to ${countMax}.`, "invalid_value");
  }
  return count;
}

function readSize(size: unknown): readonly [number, number] {
  if (size === undefined || size === null || size === "auto") return [1024, 1024];
  const match = typeof size === "string" ? /^(\d{2,4})x(\d{2,4})$/.exec(size) : null;
  const [width, height] = [Number(match?.[1]), Number(match?.[2])];
  if (!(Math.min(width, height) >= sideMin && Math.max(width, height) <= sideMax)) {
    refuse("size", `Invalid value: ${JSON.stringify(size)}. Expected WIDTHxHEIGHT or 'auto'.`, "invalid_value");
  }
  return [width, height];
}

function readOutputFormat(format: unknown): ImageFormat {
  if (format !== undefined && format !== null && !formats.includes(format as string)) {
    refuse("output_format", `Invalid value: ${JSON.stringify(format)}. Supported values are: ${formats.join(", ")}.`, "invalid_value");
  }
  return readFormat(format);
}

function readChoice(fields: Fields, field: string, choices: Record<string, Quality>): Quality {
  const sent = fields[field] ?? "auto";
  const chosen = typeof sent === "string" && Object.hasOwn(choices, sent) ? choices[sent] : undefined;
  return (
    chosen ??
    refuse(field, `Invalid value: ${JSON.stringify(sent)}. Supported values are: ${Object.keys(choices).join(", ")}.`, "invalid_value")
  );
}

/** Image moderation's error, in place of a chat's content filter. */
export function rewordForImages(refusal: Refusal): Refusal {
  if (refusal.code === "content_filter" || refusal.code === "content_policy_violation") {
    const message = "Your request was rejected by the safety system. safety_violations=[sexual].";
    return { ...refusal, type: "image_generation_user_error", code: "moderation_blocked", param: null, message };
  }
  if (refusal.code === "unsupported_value")
    return { ...refusal, code: "invalid_value", param: "size", message: "Invalid value for 'size'." };
  if (refusal.code === "context_length_exceeded") {
    return { ...refusal, code: "string_above_max_length", param: "prompt", message: "Invalid 'prompt': string too long." };
  }
  return refusal;
}

// The multipart form of an edit: its fields, and its images checked as the real API checks them.

export interface SentImage {
  /** Identifies the image, for determinism. */
  seed: string;
  width: number;
  height: number;
}

const imagesMax = 16;
const types = ["image/png", "image/jpeg", "image/webp"];

/** Refuses a body that is no form, and a form without an image. */
export function readImageForm(body: Buffer, contentType: string): { fields: Fields; images: SentImage[]; parts: readonly SentPart[] } {
  const { fields, files, parts } = readForm(body, contentType);
  const images: SentImage[] = [];
  for (const file of files) {
    const image = readImage(file, images.length);
    if (file.name === "image" || file.name === "image[]") images.push(image);
    else if (file.name !== "mask") refuse(file.name, `Unknown parameter: '${file.name}'.`, "unknown_parameter");
  }
  if (images.length === 0) refuse("image", "Missing required parameter: 'image'.", "missing_required_parameter");
  if (images.length > imagesMax) refuse("image", `Invalid 'image': expected at most ${imagesMax} images.`, "array_above_max_length");
  return { fields: Object.fromEntries(fields), images, parts };
}

function readImage({ contentType: type, bytes }: SentFile, index: number): SentImage {
  if (!types.includes(type)) {
    const message = `Invalid file 'image': unsupported mimetype ('${type}'). Supported file formats are ${types.join(", ")}.`;
    refuse("image", message, "unsupported_file_mimetype");
  }
  try {
    const { width, height, type: found } = imageSize(bytes);
    if (["png", "jpg", "webp"].includes(found ?? "")) return { seed: digest(bytes.toString("latin1")), width, height };
  } catch {
    // Not an image: refused like a file of another kind.
  }
  throw new Refused({
    status: 400,
    type: "image_generation_user_error",
    code: "invalid_image_file",
    param: "image",
    message: `Invalid image file or mode for image ${index + 1}, please check your image file.`,
  });
}
