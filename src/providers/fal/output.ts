// Reads what a fal model made: images in `images` or `image`, a video in `video`, a song in `audio` (docs/behaviour/providers.md#fal).
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { type FilesInside, takeFilesOut } from "../transport/base64-files.ts";
import { parseObject } from "../transport/json.ts";
import type { MadeFile } from "../verbs/media.ts";

interface Output {
  answer: Json;
  /** Empty where the answer is no output. */
  files: MadeFile[];
}

/** Picks the members of an output that name files. */
export type PartsOf = (answer: Json) => unknown[];

/** The file of a song. */
export const songParts: PartsOf = ({ audio, audio_file }) => [audio ?? audio_file];

/** Throws UpstreamError: `unreadable` where the body is no JSON object, `failed` for a blacked-out image. */
export function readOutput(body: Buffer, partsOf: PartsOf = shownParts): Output {
  const inside = takeFilesOut(body);
  const answer = parseObject(inside.text);
  const flags = answer["has_nsfw_concepts"];
  if (flags === true || arrayOf(flags).includes(true))
    throw new UpstreamError("failed", "the image was blacked out", {
      status: 200,
      job: { code: "content_policy_nsfw", word: "has_nsfw_concepts" },
    });
  return { answer, files: partsOf(answer).flatMap((part) => fileOf(part, inside)) };
}

function shownParts({ video, videos, images, image }: Json): unknown[] {
  const videoFiles = [video, ...arrayOf(videos)].filter(Boolean);
  const imageFiles = arrayOf(images).length > 0 ? arrayOf(images) : [image];
  return videoFiles.length > 0 ? videoFiles : imageFiles; // a video's image is its cover
}

function fileOf(part: unknown, inside: FilesInside): MadeFile[] {
  const said = objectOf(part);
  const url = textOf(isObject(part) ? part["url"] : part);
  if (url === null) return [];
  const source = sourceOf(url, inside);
  if (source === null) return [];
  return [
    {
      source: source.bytes ? { bytes: source.bytes } : { url },
      contentType: textOf(said["content_type"]) ?? source.contentType,
      width: amountOf(said["width"]),
      height: amountOf(said["height"]),
      seconds: amountOf(said["duration"]),
      fps: amountOf(said["fps"]),
    },
  ];
}

/** `sync_mode` returns data URLs. */
function sourceOf(url: string, inside: FilesInside): { bytes: Buffer | null; contentType: string | null } | null {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return { bytes: null, contentType: null };
  return inside.fileOf(url);
}

function amountOf(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : null;
}
