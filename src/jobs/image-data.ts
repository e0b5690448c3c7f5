// The images of a finished job as OpenAI's clients read them: an address each, or the bytes themselves.
import { buffer } from "node:stream/consumers";
import type { components } from "../../generated/api.d.ts";
import { inSlot, openSlots } from "../concurrency/slots.ts";
import type { Context } from "../context.ts";
import { fileUrl } from "./show-job.ts";
import type { JobFile } from "./types.ts";

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
