// Boxes of MP4: a length, a name, the content. In the file and in memory.
import { type Bytes, bytesOf, nameAt } from "./bytes.ts";

export interface Box {
  name: string;
  at: number;
  /** Where its content stands. */
  from: number;
  end: number;
}

/** Null: none stands there, or it is cut; only the last of a file may say that it goes to the end. */
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

/** No box of an honest file has as many in it. */
const innerMax = 10_000;

/** The boxes in a piece of memory; damaged ones end the list. */
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

/** The first of a path of names, e.g. `mdia/minf/stbl`. */
export function boxIn(content: Buffer, path: string): Buffer | null {
  let inner: Buffer | undefined = content;
  for (const name of path.split("/")) {
    inner = boxesIn(inner).find((box) => box.name === name)?.content;
    if (inner === undefined) return null;
  }
  return inner;
}
