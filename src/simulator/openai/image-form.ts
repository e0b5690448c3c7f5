// The multipart form of an edit: its fields, and its pictures checked as the real API checks them.
import { imageSize } from "image-size";
import type { SentPart } from "../protocol.ts";
import { refuse, Refused } from "../refused.ts";
import type { Fields } from "../request-fields.ts";
import { digest } from "../seed.ts";

export interface SentImage {
  /** What the picture is, for determinism. */
  seed: string;
  width: number;
  height: number;
}

const imagesMax = 16;
const types = ["image/png", "image/jpeg", "image/webp"];

/** Refuses a body that is no form, and a form without a picture. */
export async function readForm(body: Buffer, contentType: string): Promise<{ fields: Fields; images: SentImage[]; parts: SentPart[] }> {
  const entries = await parse(body, contentType);
  const fields: Fields = {};
  const images: SentImage[] = [];
  const parts: SentPart[] = [];
  for (const [name, value] of entries) {
    if (typeof value === "string") {
      fields[name] = value;
      parts.push({ name, text: value, fileName: null, contentType: null, bytes: Buffer.byteLength(value) });
      continue;
    }
    parts.push({ name, text: null, fileName: value.name, contentType: value.type, bytes: value.size });
    const image = readImage(value, Buffer.from(await value.arrayBuffer()), images.length);
    if (name === "image" || name === "image[]") images.push(image);
    else if (name !== "mask") refuse(name, `Unknown parameter: '${name}'.`, "unknown_parameter");
  }
  if (images.length === 0) refuse("image", "Missing required parameter: 'image'.", "missing_required_parameter");
  if (images.length > imagesMax) refuse("image", `Invalid 'image': expected at most ${imagesMax} images.`, "array_above_max_length");
  return { fields, images, parts };
}

/** By the platform's own reader of forms. */
async function parse(body: Buffer, contentType: string): Promise<FormData> {
  if (!contentType.toLowerCase().startsWith("multipart/form-data")) {
    refuse(null, "Unsupported content type: expected 'multipart/form-data'.", "unsupported_content_type");
  }
  try {
    return await new Response(new Uint8Array(body), { headers: { "content-type": contentType } }).formData();
  } catch {
    refuse(null, "We could not parse your multipart form.");
  }
}

function readImage({ type }: File, bytes: Buffer, index: number): SentImage {
  if (!types.includes(type)) {
    const message = `Invalid file 'image': unsupported mimetype ('${type}'). Supported file formats are ${types.join(", ")}.`;
    refuse("image", message, "unsupported_file_mimetype");
  }
  try {
    const { width, height, type: found } = imageSize(bytes);
    if (["png", "jpg", "webp"].includes(found ?? "")) return { seed: digest(bytes.toString("latin1")), width, height };
  } catch {
    // Not a picture: refused like one of another kind.
  }
  throw new Refused({
    status: 400,
    type: "image_generation_user_error",
    code: "invalid_image_file",
    param: "image",
    message: `Invalid image file or mode for image ${index + 1}, please check your image file.`,
  });
}
