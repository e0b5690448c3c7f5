// Reads the boxes of MP4 (length, name, content), in the file and in memory.
import { type Bytes, bytesOf, nameAt } from "./bytes.ts";

export interface Box {
  name: string;
  at: number;
  /** Offset of its content. */
  from: number;
  end: number;
}

/** Null where there is none or it is truncated; only the last box of a file may extend to its end. */
export function boxAt(source: Bytes, at: number): Box | null {
  const head = source.read(at, 16);
  if (head.length < 8) return null;
  const name = nameAt(head, 4);
  let size = head.readUInt32BE(0);
  let from = at + 8;
  if (size === 1) {
    if (head.length < 16) return null;
    size = Number(head.readBigUInt64BE(8));
    from = at + 16;
  } else if (size === 0) size = source.size - at;
  if (at + size < from) return null;
  return { name, at, from, end: at + size };
}

/** No honest file has as many boxes inside one. */
const innerMax = 10_000;

/** The boxes in a buffer; a damaged one ends the list. */
export function boxesIn(content: Buffer): { name: string; content: Buffer }[] {
  const found: { name: string; content: Buffer }[] = [];
  const source = bytesOf(content);
  for (let at = 0; at < content.length && found.length < innerMax;) {
    const box = boxAt(source, at);
    if (box === null || box.end > content.length) break;
    found.push({ name: box.name, content: content.subarray(box.from, box.end) });
    at = box.end;
  }
  return found;
}

/** The first box at a path of names, e.g. `mdia/minf/stbl`. */
export function boxIn(content: Buffer, path: string): Buffer | null {
  let inner: Buffer | undefined = content;
  for (const name of path.split("/")) {
    inner = boxesIn(inner).find((box) => box.name === name)?.content;
    if (inner === undefined) return null;
  }
  return inner;
}
