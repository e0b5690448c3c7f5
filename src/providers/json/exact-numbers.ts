// Parses JSON so that numbers can be written again unchanged: tool arguments keep their bytes through a translation
// (docs/behaviour/translation.md#edge-cases), and an id of 20 digits is not rounded.
import { hasEscapedKey, parseJson, readJson } from "../../json/parse.ts";

/** In Node, but not yet in TypeScript's library. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** Whether this is a number kept as text: an object to JavaScript, but not a JSON object. */
export function isKeptNumber(value: object): boolean {
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
