// Reads one block of WebM: its track, and where its packets are. Several packets may share a block (lacing, RFC 9559, 10.3).
import type { Bytes } from "./bytes.ts";
import { sizeAt } from "./ebml.ts";

interface Block {
  track: number;
  /** Relative to its cluster's time, in the file's units. */
  time: number;
  packets: Packet[];
}

interface Packet {
  from: number;
  bytes: number;
}

/** The most packets of a block take 256 lengths of up to 8 bytes; in Xiph lacing, packets up to a megabyte take 4 KB each. */
const headBytes = 65_536;

/** Null: it is damaged. */
export function blockPackets(source: Bytes, from: number, end: number): Block | null {
  const head = source.read(from, Math.min(headBytes, end - from));
  const number = sizeAt(head, 0);
  if (number === null || number.value === null || head.length < number.bytes + 3) return null;
  const lacing = (head[number.bytes + 2]! >> 1) & 3;
  const at = number.bytes + 3;
  const packets = lacing === 0 ? [{ from: from + at, bytes: end - from - at }] : lacedPackets(head, at, lacing, from, end);
  return packets === null ? null : { track: number.value, time: head.readInt16BE(number.bytes), packets };
}

function lacedPackets(head: Buffer, start: number, lacing: number, from: number, end: number): Packet[] | null {
  const count = (head[start] ?? 0) + 1;
  const read = lacing === 1 ? xiphLengths(head, start + 1, count) : lacing === 3 ? ebmlLengths(head, start + 1, count) : null;
  const at = from + (read?.at ?? start + 1);
  const rest = end - at;
  if (lacing === 2) return packetsOf(at, Array<number>(count).fill(Math.floor(rest / count)));
  if (read === null) return null;
  const last = rest - read.lengths.reduce((sum, length) => sum + length, 0);
  return last < 0 || read.lengths.some((length) => length < 0) ? null : packetsOf(at, [...read.lengths, last]);
}

function packetsOf(start: number, lengths: readonly number[]): Packet[] {
  let at = start;
  return lengths.map((bytes) => {
    at += bytes;
    return { from: at - bytes, bytes };
  });
}

/** All lengths but the last. */
function xiphLengths(head: Buffer, start: number, count: number): { lengths: number[]; at: number } | null {
  const lengths: number[] = [];
  let at = start;
  while (lengths.length < count - 1) {
    let length = 0;
    for (; head[at] === 255; at++) length += 255;
    if (at >= head.length) return null;
    lengths.push(length + head[at++]!);
  }
  return { lengths, at };
}

/** The first as it is, each further one as the difference from the one before. */
function ebmlLengths(head: Buffer, start: number, count: number): { lengths: number[]; at: number } | null {
  const lengths: number[] = [];
  let at = start;
  while (lengths.length < count - 1) {
    const size = sizeAt(head, at);
    if (size === null || size.value === null) return null;
    const before = lengths.at(-1);
    lengths.push(before === undefined ? size.value : before + size.value - (2 ** (7 * size.bytes - 1) - 1));
    at += size.bytes;
  }
  return { lengths, at };
}
