// Whether a made file has its end: one that was cut off looks whole to HTTP where the provider itself cut it, and to measure.ts, which
// reads heads. Nothing is decoded. GIF and WebM, whose ends have no mark that can be told from other bytes, count as whole.
import { type FileHandle, open } from "node:fs/promises";
import type { Kind } from "./kinds.ts";
import { isSvgWhole } from "./svg.ts";

/** How far from the end the mark of a picture's end may stand: cameras and editors write behind it. */
const tailBytes = 65_536;
/** A clip in pieces has two boxes a piece; past these nobody looks. */
const boxesMax = 10_000;

const pngEnd = Buffer.from("IEND\xae\x42\x60\x82", "latin1");
const jpegEnd = Buffer.from([0xff, 0xd9]);
type HasEnd = (file: FileHandle, size: number) => Promise<boolean>;

const ends: Record<string, HasEnd> = {
  png: async (file, size) => (await readTail(file, size)).includes(pngEnd),
  jpg: async (file, size) => (await readTail(file, size)).includes(jpegEnd),
  webp: async (file, size) => (await readAt(file, 4, 4)).readUInt32LE() + 8 <= size,
  svg: async (file, size) => isSvgWhole(await readAt(file, 0, Math.min(size, tailBytes)), await readTail(file, size)),
  avif: (file, size) => boxesFit(file, size, "meta"),
  mp4: (file, size) => boxesFit(file, size, "moov"),
  mov: (file, size) => boxesFit(file, size, "moov"),
};

export async function isWhole(path: string, { extension }: Kind): Promise<boolean> {
  const hasEnd = ends[extension];
  if (hasEnd === undefined) return true;
  const file = await open(path);
  try {
    return await hasEnd(file, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

/**
 * ISO 14496-12: boxes one after the other, each with its length and its kind; a length of 0 is the last one's, to the end of the file. Without
 * its index nobody can show it.
 */
async function boxesFit(file: FileHandle, size: number, index: string): Promise<boolean> {
  let hasIndex = false;
  let at = 0;
  for (let boxes = 0; at + 8 <= size && boxes < boxesMax; boxes++) {
    const head = await readAt(file, at, 16);
    hasIndex ||= head.toString("latin1", 4, 8) === index;
    const short = head.readUInt32BE();
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (length < 8) break; // the last one, or nothing that can be followed
    at += length;
  }
  return at <= size && hasIndex;
}

function readTail(file: FileHandle, size: number): Promise<Buffer> {
  const length = Math.min(size, tailBytes);
  return readAt(file, size - length, length);
}

/** Zeros stand for what lies behind the end. */
async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer;
}
