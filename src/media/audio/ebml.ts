// Reads the elements of EBML, WebM's container format: an id, a length that may be unknown, and the content.
import { type Bytes, bytesOf } from "./bytes.ts";

export interface Element {
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
export function sizeAt(bytes: Buffer, at: number): { value: number | null; bytes: number } | null {
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
