// The pieces of a body as one buffer. A big one is put together while it comes, piece by piece: joined at its end, the copy would hold up
// everybody else, and take as much memory again.
import { countTransferred } from "../transfer-garbage.ts";

export interface Gatherer {
  add(chunk: Buffer): void;
  /** Bytes that came. */
  length(): number;
  /** Bytes of memory that are taken for them, what is expected included once there is room for it. */
  held(): number;
  whole(): Buffer;
}

/** From here on there is a buffer for the whole body: whoever announces one takes no memory before he sent so much. */
const roomFrom = 262_144;

/** `expected`: the announced length, null where there is none; `max` is never exceeded. */
export function openGatherer(expected: number | null, max: number): Gatherer {
  const chunks: Buffer[] = [];
  let length = 0;
  let room: Buffer | null = null;

  function grow(needed: number): Buffer {
    const grown = Buffer.from(new ArrayBuffer(Math.min(max, Math.max(needed, expected ?? 2 * needed))));
    let at = 0;
    for (const part of room === null ? chunks.splice(0) : [room.subarray(0, length)]) at += part.copy(grown, at);
    return grown;
  }

  return {
    add(chunk) {
      const needed = length + chunk.length;
      if (needed < roomFrom) chunks.push(chunk);
      else {
        if (room === null || needed > room.length) room = grow(needed);
        chunk.copy(room, length);
        countTransferred(chunk.length);
      }
      length = needed;
    },
    length: () => length,
    held: () => room?.length ?? length,
    whole: () => room?.subarray(0, length) ?? (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)),
  };
}
