// Reads a file's bytes for the parsers of this folder through one window: however large the file, a megabyte of it is in memory.
import { fstatSync, openSync, readSync } from "node:fs";

export interface Bytes {
  size: number;
  /** Up to `length` bytes at `at`, at most one window. The next call may overwrite them. */
  read(at: number, length: number): Buffer;
}

const windowBytes = 1024 * 1024;
const passesMax = 16;

/** Of an open file; the caller closes it. */
export function openBytes(file: number): Bytes {
  const { size } = fstatSync(file);
  const window = Buffer.alloc(windowBytes);
  let start = 0;
  let filled = 0;
  // A walk reads the file once for each track; a hostile index could make it read a million times.
  let fills = 1_000 + (passesMax * size) / windowBytes;
  const fill = (at: number) => {
    if (--fills < 0) throw new RangeError("the file is read too often");
    start = at;
    filled = 0;
    while (filled < windowBytes) {
      const read = readSync(file, window, filled, windowBytes - filled, at + filled);
      if (read === 0) return;
      filled += read;
    }
  };
  return {
    size,
    read(at, length) {
      if (at < 0 || at >= size || length <= 0) return window.subarray(0, 0);
      const wanted = Math.min(length, size - at, windowBytes);
      if (at < start || at + wanted > start + filled) fill(at);
      return window.subarray(at - start, at - start + Math.min(wanted, filled));
    },
  };
}

/** Of bytes that are in memory already. */
export function bytesOf(content: Buffer): Bytes {
  return { size: content.length, read: (at, length) => content.subarray(at, at + length) };
}

export function openFile(path: string): number {
  return openSync(path, "r");
}

/** Four characters, e.g. of a chunk or a box. */
export function nameAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + 4);
}
