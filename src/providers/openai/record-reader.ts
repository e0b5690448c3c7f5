// Reads one server-sent record of a chat stream: forwards it, parses it as a chunk, or recognises the end or an error. chunk.ts has the
// rules of chunks.
import { parseJson } from "../../json/parse.ts";
import { readErrorValue, safeReason } from "../errors/error-text.ts";
import { errorUnder200 } from "../errors/faults.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { malformedOutput, UpstreamError } from "../errors/upstream-error.ts";
import { isObject, type Json, objectOf } from "../json/read.ts";
import { stringEnd } from "../json/splice.ts";
import { readRecordData, unreadable } from "../transport/json.ts";
import type { SseRecord } from "../transport/read-stream.ts";
import type { Provider } from "../types.ts";
import type { ChatTally } from "../verbs/chat.ts";
import { type ChunkState, missingEnds, readChunk } from "./chunk.ts";

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
  const merger = openPieceMerger();
  const isLong = () => state.tally.deltas >= joinedAfter;

  function readParsed(data: string, event: string, begun: boolean): ReadRecord {
    const value = readRecordData(data, event);
    if (event === "error") return broken(value, begun);
    if (Array.isArray(value) && isObject(value[0]) && isObject(value[0]["error"])) throw recordError(value, begun, provider); // Gemini
    if (!isObject(value)) throw unreadable("a record of the stream is not an object");
    const { records, steady, error } = readChunk(value, state, now);
    if (error !== undefined) return broken(error, begun);
    if (!steady) fast.forget();
    else if (begun && !anyEnded(state)) fast.learn(data, records[0]!);
    return { records: isLong() ? merger.push(records) : records, done: false };
  }

  /** Groq says by an error that the model called a tool wrongly: what it had said is an answer (docs/behaviour/providers.md#malformed-output). */
  function broken(error: unknown, begun: boolean): ReadRecord {
    if (!begun || !readErrorValue(error).words.has("tool_use_failed")) throw recordError(error, begun, provider);
    if (state.choices.size === 0) throw malformedOutput();
    return { records: [...merger.rest(), ...missingEnds(state, true)], done: true };
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

// Forwards a chunk without parsing it where it differs from an earlier one in a single string: parsing every chunk costs up to 60 %
// (docs/behaviour/operation.md#performance). All other chunks go through chunk.ts, which stays the only place with rules.
//
// A template is a chunk cut around that string, and chunk.ts's output for it, cut likewise. A record with the same head and tail around
// a well-formed piece of JSON string is the same chunk with another text: a JSON string ends at its first unescaped quote, so no text
// can pass for structure.

interface Template {
  head: string;
  tail: string;
  /** For OpenAI, which pads chunks with random letters: what follows the padding; the tail then ends before it. */
  afterPadding: string | null;
  outHead: string;
  outTail: string;
}

interface FastPath {
  /** The output for a record of a known form, its text counted; null: the form is unknown. */
  forward(data: string): string | null;
  /** `out` is chunk.ts's output for `data`, in a state that the next chunk of this form doesn't change. */
  learn(data: string, out: string): void;
  /** Called when a tool call started or a choice ended: the same chunk may mean something else now. */
  forget(): void;
}

/** Room for text, reasoning, arguments and a second choice. */
const templatesMax = 4;
/** After that many failures a host whose chunks all differ is no longer learned from. */
const attemptsMax = 16;
/** These need a closer look: a quote, an escape, or a control character that JSON forbids. */
const special = /["\\\u0000-\u001f]/;

const outNames = { content: "content", reasoning_content: "reasoning_content", reasoning: "reasoning_content", arguments: "arguments" };
type Field = keyof typeof outNames;
const textFields: readonly Field[] = ["content", "reasoning_content", "reasoning"];

export function openFastPath(tally: ChatTally): FastPath {
  let templates: Template[] = [];
  let attempts = 0;
  return {
    forward(data) {
      for (const template of templates) {
        const text = textIn(data, template);
        if (text === null) continue;
        const characters = characterCount(text);
        if (characters === -1) return null;
        tally.characters += characters;
        if (characters > 0) tally.deltas += 1;
        return template.outHead + text + template.outTail;
      }
      return null;
    },
    learn(data, out) {
      if (attempts >= attemptsMax || templates.length >= templatesMax) return;
      attempts += 1;
      const template = makeTemplate(data, out);
      if (template) templates.push(template);
    },
    forget() {
      templates = [];
    },
  };
}

function textIn(data: string, { head, tail, afterPadding }: Template): string | null {
  if (!isAt(data, head, 0)) return null;
  let end = data.length;
  if (afterPadding !== null) {
    const close = end - afterPadding.length;
    if (!isAt(data, afterPadding, close)) return null;
    end = data.lastIndexOf('"', close - 1) + 1;
    if (special.test(data.slice(end, close))) return null;
  }
  const textTo = end - tail.length;
  return textTo >= head.length && isAt(data, tail, textTo) ? data.slice(head.length, textTo) : null;
}

/** As startsWith, which V8 inlines as a loop over the characters: that took an eighth of a chunk's time. */
function isAt(text: string, part: string, at: number): boolean {
  return text.slice(at, at + part.length) === part;
}

/** Characters of a piece of JSON string; -1 where it is not one. */
function characterCount(text: string): number {
  if (!special.test(text)) return text.length;
  try {
    return (parseJson(`"${text}"`) as string).length;
  } catch {
    return -1;
  }
}

function makeTemplate(data: string, out: string): Template | null {
  const chunk = parseJson(data) as Json;
  const varying = varyingField(chunk);
  if (!varying) return null;
  const { field, holder } = varying;
  const cut = cutAround(data, field);
  const outCut = cutAround(out, outNames[field]);
  if (!cut || !outCut) return null;
  // The cut is right if and only if emptying the text gives the same as emptying the field.
  holder[field] = "";
  if (JSON.stringify(parsed(cut.head + cut.tail)) !== JSON.stringify(chunk)) return null;
  const padding = paddingIn(cut.tail, chunk["obfuscation"]);
  return { head: cut.head, tail: cut.tail, afterPadding: null, outHead: outCut.head, outTail: outCut.tail, ...padding };
}

/** The one string of a chunk that may vary, where the rest can be copied: no usage, no log probabilities, one choice. */
function varyingField(chunk: Json): { field: Field; holder: Json } | null {
  const choices = chunk["choices"];
  if (!Array.isArray(choices) || choices.length !== 1 || isObject(chunk["usage"]) || isObject(objectOf(chunk["x_groq"])["usage"]))
    return null;
  const choice = objectOf(choices[0]);
  const delta = objectOf(choice["delta"]);
  if (choice["logprobs"] != null || isObject(choice["usage"])) return null;
  const filled = textFields.filter((field) => delta[field] != null && delta[field] !== "");
  const call = Array.isArray(delta["tool_calls"]) && delta["tool_calls"].length > 0 ? delta["tool_calls"] : null;
  if (call === null) {
    const field = filled[0];
    return filled.length === 1 && typeof delta[field!] === "string" ? { field: field!, holder: delta } : null;
  }
  // Without an index, which call is meant depends on the chunks before.
  const { index, function: called } = objectOf(call[0]);
  if (filled.length > 0 || call.length !== 1 || typeof index !== "number" || !isObject(called) || called["name"]) return null;
  return typeof called["arguments"] === "string" ? { field: "arguments", holder: called } : null;
}

function cutAround(text: string, name: string): { head: string; tail: string } | null {
  for (const marker of [`"${name}":"`, `"${name}": "`]) {
    const at = text.indexOf(marker);
    if (at === -1 || text.indexOf(marker, at + 1) !== -1) continue;
    const from = at + marker.length;
    const to = stringEnd(text, from - 1);
    if (to !== -1) return { head: text.slice(0, from), tail: text.slice(to) };
  }
  return null;
}

function paddingIn(tail: string, padding: unknown): { tail: string; afterPadding: string } | null {
  if (typeof padding !== "string") return null;
  const marker = /"obfuscation": ?"/.exec(tail);
  const from = marker ? marker.index + marker[0].length : -1;
  if (from === -1 || !tail.startsWith(`${padding}"`, from) || tail.indexOf('"obfuscation"', from) !== -1) return null;
  return { tail: tail.slice(0, from), afterPadding: tail.slice(from + padding.length) };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
