// One block after the other (WIRE.md 8.4): what a host says of a second block while the first is open waits until that one is closed.
import type { MessageRecord } from "../types.ts";

export interface Sequence {
  /** The records that may go out now. `closes`: they are the block's last. */
  put(block: number, records: MessageRecord[], closes: boolean): MessageRecord[];
}

interface Waiting {
  records: MessageRecord[];
  closed: boolean;
}

export function openSequence(): Sequence {
  const waiting = new Map<number, Waiting>(); // in the order of their starts
  let open: number | null = null;

  function release(): MessageRecord[] {
    const out: MessageRecord[] = [];
    for (const [block, { records, closed }] of waiting) {
      waiting.delete(block);
      out.push(...records);
      open = closed ? null : block;
      if (!closed) break;
    }
    return out;
  }

  return {
    put(block, records, closes) {
      open ??= block;
      if (block === open) {
        if (!closes) return records;
        open = null;
        return waiting.size === 0 ? records : [...records, ...release()];
      }
      const own = waiting.get(block) ?? { records: [], closed: false };
      own.records.push(...records);
      own.closed = closes;
      waiting.set(block, own);
      return [];
    },
  };
}
