// A body of several parts whose compressed forms are made one by one and put together as one gzip member (RFC 1952): what many bodies
// share is compressed once, off the main thread. One member, not several: browsers stop reading after the first.
import { promisify } from "node:util";
import { constants, crc32, deflateRaw } from "node:zlib";
import { combineSums, shiftOver } from "./crc32-combine.ts";

export interface Part {
  text: Buffer;
  /** Whole blocks, none of them the last, that refer to nothing before them. */
  deflated: Buffer;
  /** CRC-32 of the text, and what the sum of what stands before it is multiplied by. */
  sum: number;
  shift: number;
}

const compress = promisify(deflateRaw) as (text: Buffer, options: { finishFlush: number }) => Promise<Buffer>;

export async function partOf(text: string): Promise<Part> {
  const bytes = Buffer.from(text);
  const deflated = await compress(bytes, { finishFlush: constants.Z_SYNC_FLUSH });
  return { text: bytes, deflated, sum: crc32(bytes), shift: shiftOver(bytes.length) };
}

const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
/** An empty block that says it is the last. */
const lastBlock = Buffer.from([3, 0]);

export function gzipOf(parts: readonly Part[]): Buffer {
  const sum = parts.reduce((before, part) => combineSums(before, part.sum, part.shift), 0);
  const length = parts.reduce((before, { text }) => before + text.length, 0);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(sum, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return Buffer.concat([head, ...parts.map(({ deflated }) => deflated), lastBlock, trailer]);
}
