// Replays a whole answer as a stream, for a host that ignored `stream: true`. The dialect cuts it into records.
import type { AnswerStream, Tally } from "../types.ts";

export interface Piece<Rec> {
  record: Rec;
  /** Of content, reasoning and arguments, for the tally. */
  characters: number;
}

/** `tally` starts with 0 deltas and characters: they count what was handed on. */
export function replayStream<Rec, Shown extends Tally>(
  pieces: readonly Piece<Rec>[],
  tally: Shown,
  signal: AbortSignal,
): AnswerStream<Rec, Shown> {
  let cancelled = false;
  return {
    kind: "stream",
    tally,
    cancel: () => (cancelled = true),
    async forEach(onRecord) {
      for (const { record, characters } of pieces) {
        signal.throwIfAborted();
        if (cancelled) throw new DOMException("The upstream call was cancelled.", "AbortError");
        tally.characters += characters;
        if (characters > 0) tally.deltas += 1;
        await onRecord(record);
      }
    },
  };
}
