// POST /images/generations, /images/edits and /images/variations: images that follow from model name, prompt and the image to edit, and the
// files of those that are answered as URLs.
import { readModelId } from "../directives.ts";
import { planFile } from "../made/file-reply.ts";
import { makeImage, readFormat } from "../made/image.ts";
import { countTokens } from "../prose.ts";
import { type Ask, jsonReply, type Plan } from "../protocol.ts";
import { type Fields, readFields, readModel, refuse } from "../request-fields.ts";
import { createdAt, digest } from "../seed.ts";
import { type ImageRequest, type Quality, readImageForm, readImageRequest, rewordForImages, type SentImage } from "./image-request.ts";

/** A square megapixel's; other sizes cost by their pixels. */
const outputTokens: Record<Quality, number> = { low: 272, medium: 1056, high: 4160 };
const squarePixels = 1024 * 1024;
const tokensPerInputImage = 85;
const filesPath = /^\/images\/files\/([^/]+)\/([0-9a-f]{40})-(\d{1,5})x(\d{1,5})\.(png|jpg)$/;

export function planGeneration({ body, base }: Ask): Plan {
  const fields = readFields(body);
  return planImages(fields, [], base);
}

export function planEdit({ body, headers, base }: Ask): Plan {
  const { fields, images, parts } = readImageForm(body, headers["content-type"] ?? "");
  return { ...planImages(fields, images, base), parts };
}

/** One image, and no prompt. */
export function planVariation({ body, headers, base }: Ask): Plan {
  const { fields, images, parts } = readImageForm(body, headers["content-type"] ?? "");
  const surplus = ["prompt", "quality", "mask"].find((name) => parts.some((part) => part.name === name));
  if (surplus !== undefined) refuse(surplus, `Unknown parameter: '${surplus}'.`, "unknown_parameter");
  if (images.length > 1) refuse("image", "Invalid 'image': expected one image.", "array_above_max_length");
  return { ...planImages({ ...fields, prompt: "a variation" }, images, base), parts };
}

/** The file of an address: everything that it is made from stands in it. */
export function findImageFile(path: string): ((ask: Ask) => Plan) | null {
  const match = filesPath.exec(path);
  if (match === null) return null;
  return ({ base, query }) => {
    const [, model, seed, width, height, extension] = match as unknown as [string, string, string, string, string, string];
    const { directives } = readModelId(decodeURIComponent(model));
    const file = makeImage(readFormat(extension), Number(width), Number(height), seed);
    return planFile(file, directives, decodeURIComponent(model), { hop: Number(query.get("hop") ?? 0), here: base + path });
  };
}

function planImages(fields: Fields, images: readonly SentImage[], base: string): Plan {
  const model = readModel(fields);
  const { name, directives } = readModelId(model);
  const request = readImageRequest(name, directives, fields);
  const { width, height, quality, format } = request;
  const seeds = Array.from({ length: directives.images ?? request.count }, (_, index) =>
    digest(JSON.stringify([name, request.prompt, quality, index, ...images.map(({ seed }) => seed)])),
  );
  const data = seeds.map((seed) =>
    request.asUrls
      ? { url: `${base}/images/files/${encodeURIComponent(model)}/${seed}-${width}x${height}.${format === "jpeg" ? "jpg" : "png"}` }
      : { b64_json: makeImage(format, width, height, seed).bytes.toString("base64") },
  );
  const settings = request.asUrls ? {} : { size: `${width}x${height}`, quality, output_format: format, background: "opaque" };
  const usage = directives.noUsage || request.asUrls ? {} : { usage: countUsage(request, data.length, images.length) };
  const reply = jsonReply(200, JSON.stringify({ created: createdAt, data, ...settings, ...usage }));
  return { model, directives, reply, rewordRefusal: rewordForImages, bytes: 0 };
}

function countUsage({ prompt, width, height, quality }: ImageRequest, count: number, imagesSent: number): Fields {
  const text = countTokens(prompt);
  const image = imagesSent * tokensPerInputImage;
  const output = count * Math.ceil((outputTokens[quality] * width * height) / squarePixels);
  return {
    input_tokens: text + image,
    input_tokens_details: { text_tokens: text, image_tokens: image },
    output_tokens: output,
    total_tokens: text + image + output,
  };
}
