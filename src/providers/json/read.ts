// Reads JSON of unknown shape: the small questions that every adapter asks, and the parser that keeps numbers as they were written.
import { hasEscapedKey, parseJson, readJson } from "../../json/parse.ts";
import { byTool, inputUsage, noToolCalls, serverTools, type ToolCalls, type Usage } from "../../usage.ts";

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);
}

/** The object itself, or an empty one, so that a missing branch reads like one without members. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

// Reads a number of tokens, however an upstream writes it.

/** More than any context window: such a number is an error and must not become a charge. */
const largestCount = 100_000_000;

/** The first value that can be a number of tokens; some hosts write it as text. */
export function count(...values: unknown[]): number | null {
  for (const shown of values) {
    const value = typeof shown === "string" && /^\d{1,9}(\.\d{1,6})?$/.test(shown) ? Number(shown) : shown;
    if (typeof value === "number" && value >= 0 && value <= largestCount) return Math.ceil(value);
  }
  return null;
}

// The tokens of an operation without output: embeddings and rankings.

/** Null where the upstream reports none; 0 is a placeholder, as no text has 0 tokens. Voyage and Jina report only the total. */
export function readInputUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const input = count(usage["prompt_tokens"], usage["input_tokens"]) || count(usage["total_tokens"]) || 0;
  return input === 0 ? null : inputUsage(input);
}

/** Calls of tools that an upstream ran, as both dialects report them; null where it says none. `shown`: for tools of which it says nothing. */
export function readToolCalls(reported: unknown, shown: ToolCalls): ToolCalls | null {
  if (!isObject(reported) && shown === noToolCalls) return null;
  const calls = byTool((tool) => count(objectOf(reported)[serverTools[tool].requests]) ?? shown[tool]);
  return Object.keys(calls).length === 0 ? null : calls;
}

// Parses JSON so that numbers can be written again unchanged: tool arguments keep their bytes through a translation
// (docs/behaviour/translation.md#edge-cases), and an id of 20 digits is not rounded.

/** In Node, but not yet in TypeScript's library. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** Whether this is a number kept as text: an object to JavaScript, but not a JSON object. */
function isKeptNumber(value: object): boolean {
  return isRawJSON(value);
}

/** Numbers that JavaScript would write differently become opaque objects, which JSON.stringify writes unchanged. */
export function parseExact(text: string): unknown {
  return parseWith(text, exactNumber);
}

/** A number can lose digits from the sixteenth on; text without such a number takes the fast path. */
const longNumber = /\d{16}/;

/** Keeps the text of whole numbers that a double can't hold; all others stay plain numbers, which readers expect. */
export function parseLong(text: string): unknown {
  return longNumber.test(text) ? parseWith(text, longOrNumber) : parseJson(text);
}

/** As in parseJson, text with an escaped key goes to readJson, because V8 misreads it. */
function parseWith(text: string, numberOf: (source: string) => unknown): unknown {
  if (hasEscapedKey(text)) return readJson(text, numberOf);
  return parse(text, (_key, value, { source }) => (typeof value === "number" && source !== undefined ? numberOf(source) : value));
}

function exactNumber(source: string): unknown {
  const number = Number(source);
  return String(number) === source ? number : rawJSON(source);
}

function longOrNumber(source: string): unknown {
  return /^-?\d{16,}$/.test(source) ? exactNumber(source) : Number(source);
}
