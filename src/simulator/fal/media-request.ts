// What a request to the queue asks for: images, vectors, a video or a song, their size, number and length. Wrong input does not
// make the submit fail: the queue takes any document, and the run fails.
import type { Directives } from "../directive-list.ts";
import { type ImageFormat, readFormat } from "../made/image.ts";
import { type Fields, isFields } from "../request-fields.ts";
import { digest } from "../seed.ts";
import { secondsOfSong } from "../sound/make-sound.ts";
import type { Failure } from "./errors.ts";
import type { FailureType } from "./failure-types.ts";

export interface MediaRequest {
  kind: "image" | "vector" | "video" | "song";
  prompt: string;
  /** Everything drawn follows from it and the prompt. */
  seed: number;
  count: number;
  width: number;
  height: number;
  /** Of an image. */
  format: ImageFormat;
  /** Of a video. */
  aspect: string;
  /** Of a video and of a song. */
  seconds: number;
}

const namedSizes: Record<string, readonly [number, number]> = {
  square_hd: [1024, 1024],
  square: [512, 512],
  portrait_4_3: [768, 1024],
  portrait_16_9: [576, 1024],
  landscape_4_3: [1024, 768],
  landscape_16_9: [1024, 576],
};
const resolutions: Record<string, number> = { "0.5K": 0.5, "1K": 1, "2K": 2, "4K": 4 };
const sideMax = 16_384;
const pixelsMax = 64 * 1024 * 1024;
const imagesMax = 10;
const secondsMax = 600;
const promptMax = 32_000;
/** Words in a name. */
const makesSongs = /\b(?:song|music|audio|sound)/;

/** Thrown inside this file only. */
class Wrong extends Error {
  readonly failure: Failure;

  constructor(type: FailureType, field: string) {
    super(type);
    this.failure = { type, field };
  }
}

/** The request, or why the run will fail. */
export function readMediaRequest(name: string, directives: Directives, input: Fields): MediaRequest | Failure {
  try {
    return readRight(name, directives, input);
  } catch (error) {
    if (error instanceof Wrong) return error.failure;
    throw error;
  }
}

function readRight(name: string, directives: Directives, input: Fields): MediaRequest {
  if (makesSongs.test(name) && !/\bvideo/.test(name)) return readSong(name, directives, input);
  const prompt = readPrompt(input);
  checkReferences(name, input);
  const kind = /\bvideo/.test(name) ? "video" : directives.svg || /\bvector/.test(name) ? "vector" : "image";
  const [width, height] = readSize(input);
  const seed = readSeed(name, prompt, input);
  return {
    kind,
    prompt,
    seed,
    count: readCount(input),
    format: readFormat(input["output_format"]),
    width: directives.width ?? width,
    height: directives.height ?? height,
    aspect: typeof input["aspect_ratio"] === "string" ? input["aspect_ratio"] : "16:9",
    seconds: kind === "video" ? (directives.seconds ?? readSeconds(input["duration"])) : 0,
  };
}

/** As long as its words need; of a prompt, of lyrics, or of both. */
function readSong(name: string, directives: Directives, input: Fields): MediaRequest {
  const lyrics = input["lyrics"] ?? input["lyrics_prompt"] ?? "";
  if (typeof lyrics !== "string") throw new Wrong("missing", "lyrics");
  if (lyrics.length > promptMax) throw new Wrong("string_too_long", "lyrics");
  const prompt = `${lyrics === "" || input["prompt"] !== undefined ? readPrompt(input) : ""}\n${lyrics}`.trim();
  const seed = readSeed(name, prompt, input);
  const seconds = directives.seconds ?? (input["duration"] === undefined ? secondsOfSong(prompt) : readSeconds(input["duration"]));
  return { kind: "song", prompt, seed, count: 1, width: 0, height: 0, format: "png", aspect: "", seconds };
}

function readSeed(name: string, prompt: string, { seed }: Fields): number {
  return Number.isInteger(seed) ? (seed as number) : Number.parseInt(digest(`${name}:${prompt}`).slice(0, 7), 16);
}

function readPrompt({ prompt }: Fields): string {
  if (typeof prompt !== "string" || prompt === "") throw new Wrong("missing", "prompt");
  if ([...prompt].length > promptMax) throw new Wrong("string_too_long", "prompt");
  return prompt;
}

/** They aren't loaded; a model that edits needs one. */
function checkReferences(name: string, input: Fields): void {
  const given = [input["image_url"], input["image_urls"]].flat().filter((url) => url !== undefined && url !== null);
  if (given.length === 0 && /\bedit/.test(name)) throw new Wrong("missing", "image_urls");
  for (const url of given) {
    if (typeof url !== "string" || !/^(https?:\/\/|data:)./.test(url)) throw new Wrong("file_download_error", "image_urls");
  }
}

function readCount({ num_images: count }: Fields): number {
  if (count === undefined || count === null) return 1;
  if (typeof count !== "number" || !Number.isInteger(count) || count < 1) throw new Wrong("greater_than", "num_images");
  if (count > imagesMax) throw new Wrong("less_than_equal", "num_images");
  return count;
}

function readSize({ image_size: size, aspect_ratio: aspect, resolution }: Fields): readonly [number, number] {
  if (size === undefined || size === null) {
    const factor = typeof resolution === "string" ? (resolutions[resolution.toUpperCase()] ?? 1) : 1;
    return sizeOfAspect(aspect, factor);
  }
  if (typeof size === "string") {
    const named = namedSizes[size];
    if (named === undefined) throw new Wrong("one_of", "image_size");
    return named;
  }
  if (!isFields(size)) throw new Wrong("one_of", "image_size");
  const { width, height } = size;
  for (const side of [width, height]) if (!Number.isInteger(side) || (side as number) < 1) throw new Wrong("greater_than", "image_size");
  const [across, down] = [width as number, height as number];
  if (across > sideMax || down > sideMax || across * down > pixelsMax) throw new Wrong("less_than_equal", "image_size");
  return [across, down];
}

/** About a megapixel, times the factor on each side; sides are whole eights. */
function sizeOfAspect(aspect: unknown, factor: number): readonly [number, number] {
  const match = typeof aspect === "string" ? /^([1-9]\d?):([1-9]\d?)$/.exec(aspect) : null;
  if (typeof aspect === "string" && aspect !== "auto" && match === null) throw new Wrong("one_of", "aspect_ratio");
  const ratio = match === null ? 1 : Number(match[1]) / Number(match[2]);
  const side = (scale: number) => Math.round((1024 * factor * scale) / 8) * 8;
  return [side(Math.sqrt(ratio)), side(1 / Math.sqrt(ratio))];
}

/** `5`, `"5"`, `"8s"`; five where the input names none. */
function readSeconds(duration: unknown): number {
  if (duration === undefined || duration === null || duration === "auto") return 5;
  const seconds = typeof duration === "string" && /^\d+(\.\d+)?s?$/.test(duration) ? Number.parseFloat(duration) : duration;
  if (typeof seconds !== "number" || !(seconds > 0)) throw new Wrong("one_of", "duration");
  if (seconds > secondsMax) throw new Wrong("less_than_equal", "duration");
  return seconds;
}
