// Reads one server-sent record of a chat stream: forwards it, parses it as a chunk, or recognises the end or an error. chunk.ts has the
// rules of chunks.
import { parseJson } from "../../json/parse.ts";
import { readErrorValue, safeReason } from "../errors/error-text.ts";
import { errorUnder200 } from "../errors/faults.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { malformedOutput, UpstreamError } from "../errors/upstream-error.ts";
import { isObject, type Json, objectOf } from "../json/read.ts";
import { readRecordData, unreadable } from "../transport/json.ts";
import type { SseRecord } from "../transport/read-stream.ts";
import type { Provider } from "../types.ts";
import { type ChunkState, missingEnds, readChunk } from "./chunk.ts";
import { openFastPath } from "./fast-path.ts";

interface ReadRecord {
  records: string[];
  /** [DONE] was read. */
  done: boolean;
}

interface RecordReader {
  /** A string is one record of the fast path. Throws UpstreamError; `begun` decides which fault. */
  read(record: SseRecord, begun: boolean): string | ReadRecord;
}

const nothing: ReadRecord = { records: [], done: false };

export function openRecordReader(state: ChunkState, provider: Provider, now: () => Date): RecordReader {
  const fast = openFastPath(state.tally);
  let merger: PieceMerger | null = null; // few streams are so long
  const isLong = () => state.tally.deltas >= joinedAfter;
  const rest = () => merger?.rest() ?? [];

  function readParsed(data: string, event: string, begun: boolean): ReadRecord {
    const value = readRecordData(data, event);
    if (event === "error") return broken(value, begun);
    if (Array.isArray(value) && isObject(value[0]) && isObject(value[0]["error"])) throw recordError(value, begun, provider); // Gemini
    if (!isObject(value)) throw unreadable("a record of the stream is not an object");
    const { records, steady, error } = readChunk(value, state, now);
    if (error !== undefined) return broken(error, begun);
    if (!steady) fast.forget();
    else if (begun && !anyEnded(state)) fast.learn(data, records[0]!);
    return { records: isLong() ? (merger ??= openPieceMerger()).push(records) : records, done: false };
  }

  /** Groq says by an error that the model called a tool wrongly: what it had said is an answer (docs/behaviour/providers.md#malformed-output). */
  function broken(error: unknown, begun: boolean): ReadRecord {
    if (!begun || !readErrorValue(error).words.has("tool_use_failed")) throw recordError(error, begun, provider);
    if (state.choices.size === 0) throw malformedOutput();
    return { records: [...rest(), ...missingEnds(state, true)], done: true };
  }

  return {
    read({ data: sent, event }, begun) {
      const data = withoutKeys(sent, provider);
      const quick = event === "" && !isLong() ? fast.forward(data) : null;
      if (quick !== null) return quick;
      if (data === "") return nothing;
      if (data.trim() !== "[DONE]") return readParsed(data, event, begun);
      if (state.choices.size === 0) throw unreadable("the stream ended without an answer");
      return { records: [...rest(), ...missingEnds(state)], done: true };
    },
  };
}

/** The error that a record of a stream holds. */
export function recordError(error: unknown, begun: boolean, provider: Provider): UpstreamError {
  if (!begun) return errorUnder200(error, provider);
  return new UpstreamError("unavailable", safeReason(readErrorValue(error).message, provider, "the stream broke"), { status: 200 });
}

function anyEnded(state: ChunkState): boolean {
  for (const choice of state.choices.values()) if (choice.finish !== null) return true;
  return false;
}

// Joins the small pieces of a very long stream: the OpenAI helper throws above 65,536 pieces of structured output, which a model that
// writes token by token reaches. Shorter streams are left unchanged.

/** Half of what the helper takes; later pieces are joined to this many characters. */
const joinedAfter = 32_768;
const pieceCharacters = 64;

interface PieceMerger {
  /** Takes records and returns those that are to go out now. The held piece goes first where they don't continue its text. */
  push(records: string[]): string[];
  /** The piece that is still held. */
  rest(): string[];
}

interface Piece {
  record: Json;
  /** The text of a choice or call that it continues. */
  of: string;
  holder: Json;
  key: string;
}

function openPieceMerger(): PieceMerger {
  let held: Piece | null = null;

  function rest(): string[] {
    const records = held === null ? [] : [JSON.stringify(held.record)];
    held = null;
    return records;
  }

  function take(text: string): string[] {
    const piece = pieceIn(text);
    if (piece === null) return [...rest(), text];
    const before = held !== null && held.of === piece.of ? [] : rest();
    if (held === null) held = piece;
    else held.holder[held.key] = textOf(held) + textOf(piece);
    return textOf(held).length >= pieceCharacters ? [...before, ...rest()] : before;
  }

  return { push: (records) => records.flatMap(take), rest };
}

function textOf({ holder, key }: Piece): string {
  return String(holder[key]);
}

/** Null where the record is more than one piece of one text. */
function pieceIn(text: string): Piece | null {
  const record = parseJson(text) as Json; // written by chunk.ts
  const choices = record["choices"];
  const choice = Array.isArray(choices) && choices.length === 1 ? objectOf(choices[0]) : {};
  const delta = objectOf(choice["delta"]);
  const [key, ...others] = Object.keys(delta);
  if (key === undefined || others.length > 0 || choice["finish_reason"] !== null || choice["logprobs"] != null) return null;
  const of = `${String(choice["index"])} ${key}`;
  if (typeof delta[key] === "string" && key !== "role") return { record, of, holder: delta, key };
  const calls = key === "tool_calls" && Array.isArray(delta[key]) ? delta[key] : [];
  const call = objectOf(calls[0]);
  const called = call["function"];
  if (calls.length !== 1 || "id" in call || !isObject(called) || typeof called["arguments"] !== "string") return null;
  return { record, of: `${of} ${String(call["index"])}`, holder: called, key: "arguments" };
}
