// The multipart form of an edit: its fields, and its pictures checked as the real API checks them.
import { imageSize } from "image-size";
import type { SentPart } from "../protocol.ts";
import { readForm, type SentFile } from "../read-form.ts";
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
