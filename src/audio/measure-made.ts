// Audio that was made, whole, and how long it lasts: what endpoints need that say its length before its first byte.
import { writeFile } from "node:fs/promises";
import { fail } from "../errors/fail.ts";
import { madeLimits } from "../media/fetch-made.ts";
import { type Media, MediaFault } from "../media/types.ts";
import type { MadeAudio } from "../providers/audio.ts";
import { UpstreamError } from "../providers/types.ts";
import { audioFormats, type AudioFormat } from "../sound/formats.ts";

/** Throws UpstreamError `unreadable` for more than 64 MB. */
export async function collectAudio(made: MadeAudio): Promise<Buffer> {
  if (made.kind === "whole") return withinBounds(made.bytes.length, made.bytes);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    await made.body.read((chunk) => {
      size += chunk.length;
      chunks.push(withinBounds(size, chunk));
    });
  } finally {
    made.body.cancel();
  }
  return Buffer.concat(chunks, size);
}

function withinBounds(size: number, bytes: Buffer): Buffer {
  const { bytesMax } = madeLimits;
  if (size > bytesMax) throw new UpstreamError("unreadable", `the audio has more than ${bytesMax} bytes`);
  return bytes;
}

/** Seconds, to the millisecond. Throws UpstreamError `unreadable` where nothing of it can be heard; fails with overloaded. */
export async function measureMade(media: Media, bytes: Buffer, format: AudioFormat, signal: AbortSignal): Promise<number> {
  const { encoding, sampleRate } = audioFormats[format];
  const seconds = encoding === "mp3" ? await measureFile(media, bytes, signal) : bytes.length / (encoding === "pcm" ? 2 : 1) / sampleRate;
  return Math.round(seconds * 1000) / 1000;
}

function measureFile(media: Media, bytes: Buffer, signal: AbortSignal): Promise<number> {
  return media.withTempFile(async (path) => {
    await writeFile(path, bytes, { flag: "wx", mode: 0o600 });
    try {
      return await media.measureAudio({ path, extension: "mp3" }, signal);
    } catch (cause) {
      if (!(cause instanceof MediaFault)) throw cause;
      if (cause.reason === "overloaded") fail("overloaded", { cause });
      throw new UpstreamError("unreadable", "the audio can't be decoded", { cause });
    }
  });
}
