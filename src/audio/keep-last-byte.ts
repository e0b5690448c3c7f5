// Passes bytes on as they come, but for the last one, which waits: who has all of it has been charged for it. Less than a piece, so
// that nobody hears anything later than the provider sent it.

export interface KeptByte {
  push(chunk: Buffer): void | Promise<void>;
  /** Empty where nothing ever came. */
  last(): Buffer;
}

export function keepLastByte(write: (chunk: Buffer) => void | Promise<void>): KeptByte {
  let last: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      if (chunk.length === 0) return;
      const all = last.length === 0 ? chunk : Buffer.concat([last, chunk]);
      last = Buffer.from(all.subarray(-1));
      if (all.length > 1) return write(all.subarray(0, -1));
    },
    last: () => last,
  };
}
