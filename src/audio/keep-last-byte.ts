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
      const held = last;
      last = Buffer.from(chunk.subarray(-1));
      // Both leave in one write to the socket; joining them would copy every piece.
      const before = held.length > 0 ? write(held) : undefined;
      return (chunk.length > 1 ? write(chunk.subarray(0, -1)) : undefined) ?? before;
    },
    last: () => last,
  };
}
