// The images of a finished job as OpenAI's clients read them: an address each, or the bytes themselves.
import { buffer } from "node:stream/consumers";
import type { components } from "../../generated/api.d.ts";
import type { Context } from "../context.ts";
import { fileUrl } from "./show-job.ts";
import type { JobFile } from "./types.ts";

type ImageDatum = components["schemas"]["ImageDatum"];

/** Of all images of an answer; more would weigh on the process's memory. */
const bytesMax = 24 * 1024 * 1024;

export async function imageData(
  { media: { store }, publicUrl }: Pick<Context, "media" | "publicUrl">,
  files: readonly JobFile[],
  asBytes: boolean,
): Promise<ImageDatum[]> {
  const urls = files.map((file) => ({ url: fileUrl(publicUrl, file) }));
  if (!asBytes) return urls;
  const sizes = await Promise.all(files.map(({ name }) => store.size(name)));
  const whole = sizes.reduce<number>((sum, size) => sum + (size ?? Infinity), 0);
  if (whole > bytesMax) return urls;
  const data: ImageDatum[] = [];
  for (const [index, { name }] of files.entries()) {
    const file = await store.open(name, null);
    data.push(file === null ? urls[index]! : { b64_json: (await buffer(file.stream)).toString("base64") });
  }
  return data;
}
