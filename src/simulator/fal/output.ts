// What a finished work tells: its pictures, its clip or its song, where their files are, and what the knobs leave out of it.
import { clipFacts, makeClip } from "../made/mp4.ts";
import { makePicture, type MadeFile } from "../made/picture.ts";
import { makeSvg } from "../made/svg.ts";
import type { Fields } from "../request-fields.ts";
import { makeSound } from "../sound/make-sound.ts";
import type { Order } from "./order.ts";
import { durationMs, type Work } from "./works.ts";

const songFormat = { encoding: "mp3", sampleRate: 44_100, kbps: 128 } as const;

/** The file of an order at its place; null where it has none there. The same order makes the same bytes. */
export async function makeFile(work: Work, order: Order, index: number): Promise<MadeFile | null> {
  if (index >= countOf(work, order)) return null;
  const seed = `${order.seed}:${order.prompt}:${index}`;
  switch (order.kind) {
    case "song":
      return { ...(await makeSound(songFormat, order.seconds, seed)), extension: "mp3" };
    case "clip":
      return { bytes: await makeClip(order.aspect, order.seconds), contentType: "video/mp4", extension: "mp4" };
    case "vector":
      return { bytes: makeSvg(order.width, order.height, order.prompt, seed), contentType: "image/svg+xml", extension: "svg" };
    case "picture":
      return makePicture(order.format, order.width, order.height, isBlack(work, index) ? null : seed);
  }
}

export async function renderOutput(work: Work, order: Order, base: string): Promise<Fields> {
  const { knobs } = work;
  const files: Fields[] = [];
  for (let index = 0; index < countOf(work, order); index += 1) files.push(await renderFile(work, order, index, base));
  if (order.kind === "song") return { ...(knobs.noAudio ? {} : { audio: files[0] ?? null }), seed: order.seed };
  if (order.kind === "clip") return { video: files[0] ?? null, seed: order.seed };
  const pictures = knobs.oneImage ? { image: files[0] ?? null } : { images: files };
  const black = files.map((_, index) => isBlack(work, index));
  return {
    ...pictures,
    seed: order.seed,
    timings: { inference: durationMs(knobs) / 1000 },
    has_nsfw_concepts: black,
    prompt: order.prompt,
  };
}

async function renderFile(work: Work, order: Order, index: number, base: string): Promise<Fields> {
  const { knobs } = work;
  const file = (await makeFile(work, order, index))!;
  const name = `${index}.${file.extension}`;
  const factor = knobs.wrongSize ? 2 : 1;
  const clip = order.kind === "clip" ? clipFacts(order.aspect, order.seconds) : null;
  const { width, height } = clip ?? order;
  return {
    url: knobs.fileData ? `data:${file.contentType};base64,${file.bytes.toString("base64")}` : `${base}/files/${work.id}/${name}`,
    ...(knobs.noType ? {} : { content_type: file.contentType }),
    file_name: name,
    file_size: file.bytes.length,
    ...(knobs.noSize || order.kind === "song" ? {} : { width: width * factor, height: height * factor }),
    ...(clip === null || knobs.noDuration ? {} : { duration: clip.seconds, fps: clip.fps }),
  };
}

/** What the safety checker took is shown black. */
function isBlack({ knobs }: Work, index: number): boolean {
  return knobs.jobNsfw !== undefined || index < (knobs.nsfwImages ?? 0);
}

function countOf({ knobs }: Work, order: Order): number {
  return knobs.images ?? (knobs.oneImage || order.kind === "clip" || order.kind === "song" ? 1 : order.count);
}
