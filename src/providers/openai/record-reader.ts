// One server-sent record of a chat stream: forwarded as it is, read as a chunk, the end, or an error.
// Rules of chunks are chunk.ts's; the order of things is stream.ts's.
import type { SseRecord } from "../transport/sse.ts";
import { UpstreamError, type Provider } from "../types.ts";
import { missingEnds, readChunk, type ChunkState } from "./chunk.ts";
import { readRecordData, unreadable } from "../transport/json-answer.ts";
import { readErrorValue, safeReason } from "../errors/error-text.ts";
import { errorUnder200 } from "../errors/faults.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { openFastPath } from "./fast-path.ts";
import { isObject } from "../json/read.ts";
import { joinedAfter, openPieceMerger } from "./merge-pieces.ts";

export interface ReadRecord {
  records: string[];
  /** [DONE] was read. */
  done: boolean;
}

export interface RecordReader {
  /** A string is one record on the fast path. Throws UpstreamError; `begun` decides which. */
  read(record: SseRecord, begun: boolean): string | ReadRecord;
}

const nothing: ReadRecord = { records: [], done: false };

export function openRecordReader(state: ChunkState, provider: Provider, now: () => Date): RecordReader {
  const fast = openFastPath(state.tally);
  const merger = openPieceMerger();
  const isLong = () => state.tally.deltas >= joinedAfter;

  function readParsed(data: string, event: string, begun: boolean): ReadRecord {
    const value = readRecordData(data, event);
    if (event === "error") throw recordError(value, begun, provider);
    if (Array.isArray(value) && isObject(value[0]) && isObject(value[0]["error"])) throw recordError(value, begun, provider); // Gemini
    if (!isObject(value)) throw unreadable("a record of the stream is not an object");
    const { records, steady, error } = readChunk(value, state, now);
    if (error !== undefined) throw recordError(error, begun, provider);
    if (!steady) fast.forget();
    else if (begun && !anyEnded(state)) fast.learn(data, records[0]!);
    return { records: isLong() ? merger.push(records) : records, done: false };
  }

  return {
    read({ data: sent, event }, begun) {
      const data = withoutKeys(sent, provider);
      const quick = event === "" && !isLong() ? fast.forward(data) : null;
      if (quick !== null) return quick;
      if (data === "") return nothing;
      if (data.trim() !== "[DONE]") return readParsed(data, event, begun);
      if (state.choices.size === 0) throw unreadable("the stream ended without an answer");
      return { records: [...merger.rest(), ...missingEnds(state)], done: true };
    },
  };
}

function recordError(error: unknown, begun: boolean, provider: Provider): UpstreamError {
  if (!begun) return errorUnder200(error, provider);
  return new UpstreamError("unavailable", safeReason(readErrorValue(error).message, provider, "the stream broke"), { status: 200 });
}

function anyEnded(state: ChunkState): boolean {
  for (const choice of state.choices.values()) if (choice.finish !== null) return true;
  return false;
}
