// The parts of a WebM file: its elements and its blocks. Reads one block: its track, and where its packets are. Several packets may share a
// block (lacing, RFC 9559, 10.3).
import { type Bytes, bytesOf } from "./bytes.ts";

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

// Reads the elements of EBML, WebM's container format: an id, a length that may be unknown, and the content.

interface Element {
  id: number;
  /** Offset of its content. */
  from: number;
  /** Null: unknown; it ends at an element that can't be inside it. */
  size: number | null;
}

/** Null where there is none. */
export function elementAt(source: Bytes, at: number): Element | null {
  const bytes = source.read(at, 12);
  const idBytes = Math.clz32(bytes[0] ?? 0) - 23;
  if (idBytes > 4 || bytes.length < idBytes + 1) return null;
  const size = sizeAt(bytes, idBytes);
  return size === null ? null : { id: bytes.readUIntBE(0, idBytes), from: at + idBytes + size.bytes, size: size.value };
}

/** A variable-length number; its value is null where all its bits are set. */
function sizeAt(bytes: Buffer, at: number): { value: number | null; bytes: number } | null {
  const first = bytes[at];
  if (first === undefined) return null;
  const length = Math.clz32(first) - 23;
  if (length > 8 || at + length > bytes.length) return null;
  let value = first & ((1 << (8 - length)) - 1);
  let isUnknown = value === (1 << (8 - length)) - 1;
  for (let index = 1; index < length; index++) {
    const byte = bytes[at + index]!;
    value = value * 256 + byte;
    isUnknown &&= byte === 255;
  }
  return { value: isUnknown ? null : value, bytes: length };
}

/** The elements in a buffer, for the few that are read whole. */
export function elementsIn(content: Buffer): { id: number; content: Buffer }[] {
  const source = bytesOf(content);
  const found: { id: number; content: Buffer }[] = [];
  for (let at = 0; at < content.length;) {
    const element = elementAt(source, at);
    if (element === null || element.size === null) break;
    at = element.from + element.size;
    found.push({ id: element.id, content: content.subarray(element.from, at) });
  }
  return found;
}

export function unsigned(content: Buffer): number {
  // Some programs write every number in eight bytes.
  return content.length > 8 ? 0 : content.reduce((value, byte) => value * 256 + byte, 0);
}
