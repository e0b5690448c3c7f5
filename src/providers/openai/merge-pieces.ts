// Joins the small pieces of a very long stream: the OpenAI helper throws above 65,536 pieces of structured output
// (WIRE.md 2.2), and a model that writes token by token gets there. Shorter streams are left as they came.
import { parseJson } from "../../json/parse.ts";
import { isObject, objectOf, type Json } from "../json/read.ts";

/** Half of what the helper takes; what comes after is joined to pieces of this many characters. */
export const joinedAfter = 32_768;
const pieceCharacters = 64;

export interface PieceMerger {
  /** Records in, those that are to go out now; of another kind than the held piece's, they follow it. */
  push(records: string[]): string[];
  /** The piece that is still held. */
  rest(): string[];
}

interface Piece {
  record: Json;
  /** Which text of which choice and call it continues. */
  of: string;
  holder: Json;
  key: string;
}

export function openPieceMerger(): PieceMerger {
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
  const record = parseJson(text) as Json; // of chunk.ts
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
