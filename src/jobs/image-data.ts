// Images as bytes inside of JSON: those of a finished job as OpenAI's clients read them, and those that a form uploaded as a job keeps them.
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { components } from "../../generated/api.d.ts";
import { inSlot, openSlots } from "../concurrency/slots.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import type { FormFile } from "../operation.ts";
import { fileUrl } from "./show-job.ts";
import type { JobFile, Uploads } from "./types.ts";

type ImageDatum = components["schemas"]["ImageDatum"];

/** Of all images of an answer: encoding more would hold up the process's other requests. */
const bytesMax = 8 * 1024 * 1024;
/** Answers of bytes that are put together at once. */
const encoding = openSlots(2, Infinity);
const waitingMax = 50;

/** Addresses also where bytes are asked for and can't be had: the images are made and paid for. */
export async function imageData(
  { media: { store }, publicUrl, log }: Pick<Context, "media" | "publicUrl" | "log">,
  files: readonly JobFile[],
  { asBytes, signal }: { asBytes: boolean; signal: AbortSignal },
): Promise<ImageDatum[]> {
  const urls = files.map((file) => ({ url: fileUrl(publicUrl, file) }));
  if (!asBytes || encoding.waiting() >= waitingMax) return urls;
  const read = async () => {
    const sizes = await Promise.all(files.map(({ name }) => store.size(name)));
    if (sizes.reduce<number>((sum, size) => sum + (size ?? Infinity), 0) > bytesMax) return urls;
    const data: ImageDatum[] = [];
    for (const [index, { name }] of files.entries()) {
      const file = await store.open(name, null);
      data.push(file === null ? urls[index]! : { b64_json: (await buffer(file.stream)).toString("base64") });
    }
    return data;
  };
  try {
    return await inSlot(encoding, read, signal);
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, "the images of a job could not be read");
    return urls;
  }
}

/** Fails with invalid_parameter for what is no image that providers take. */
export async function imageTypeOf(media: Pick<Context["media"], "referenceTypeOf">, { path, field }: FormFile): Promise<string> {
  return (await media.referenceTypeOf(path)) ?? failParameter(field, "it must be a PNG, JPEG or WebP image");
}

/** As data URLs. Fails with overloaded while others encode theirs. */
export async function readUploads(
  media: Pick<Context["media"], "referenceTypeOf">,
  files: readonly FormFile[],
  signal: AbortSignal,
): Promise<Uploads> {
  if (encoding.waiting() >= waitingMax) fail("overloaded");
  const read = async () => {
    const uploads: Uploads = { images: [] };
    for (const file of files) {
      const url = `data:${await imageTypeOf(media, file)};base64,${(await readFile(file.path)).toString("base64")}`;
      if (file.field === "mask") uploads.mask = url;
      else uploads.images.push(url);
    }
    return uploads;
  };
  return await inSlot(encoding, read, signal);
}
