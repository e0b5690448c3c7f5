// One block after the other (WIRE.md 8.4): what a host says of a second block while the first is open waits until that one is closed.
import { type MessageRecord, UpstreamError } from "../types.ts";

export interface Sequence {
  /** The records that may go out now. `closes`: they are the block's last. */
  put(block: number, records: MessageRecord[], closes: boolean): MessageRecord[];
}

interface Waiting {
  records: MessageRecord[];
  closed: boolean;
}

/** Characters that may wait for an open block to end. */
const waitingMax = 8_388_608;
/** What a record takes beside its text. */
const recordCharacters = 256;

export function openSequence(): Sequence {
  const waiting = new Map<number, Waiting>(); // in the order of their starts
  let waitingCharacters = 0;
  let open: number | null = null;

  function release(): MessageRecord[] {
    const out: MessageRecord[] = [];
    for (const [block, { records, closed }] of waiting) {
      waiting.delete(block);
      for (const record of records) {
        waitingCharacters -= record.json.length + recordCharacters;
        out.push(record);
      }
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
      for (const record of records) {
        waitingCharacters += record.json.length + recordCharacters;
        own.records.push(record);
      }
      if (waitingCharacters > waitingMax) throw new UpstreamError("unreadable", "too much waits for a block to end", { status: 200 });
      own.closed = closes;
      waiting.set(block, own);
      return [];
    },
  };
}
