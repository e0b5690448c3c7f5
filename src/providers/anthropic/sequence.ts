// Puts interleaved blocks in sequence: events of a second block wait until the open one is closed
// (docs/behaviour/providers.md#anthropic-hosts).
import { unreadable } from "../transport/json.ts";
import type { MessageRecord } from "../verbs/messages.ts";

/** Characters of records that may wait for an open block to end. */
const heldMax = 4_194_304;

interface Sequence {
  /** Returns the records that may go out now. `closes`: these are the block's last. */
  put(block: number, records: MessageRecord[], closes: boolean): MessageRecord[];
}

interface Waiting {
  records: MessageRecord[];
  closed: boolean;
}

export function openSequence(): Sequence {
  const waiting = new Map<number, Waiting>(); // in the order in which they started
  let open: number | null = null;
  let held = 0;

  function release(): MessageRecord[] {
    const out: MessageRecord[] = [];
    for (const [block, { records, closed }] of waiting) {
      waiting.delete(block);
      held -= charactersOf(records);
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
      held += charactersOf(records);
      if (held > heldMax) throw unreadable("too much waits for a block to end");
      own.records.push(...records);
      own.closed = closes;
      waiting.set(block, own);
      return [];
    },
  };
}

function charactersOf(records: readonly MessageRecord[]): number {
  return records.reduce((sum, { json }) => sum + json.length, 0);
}
