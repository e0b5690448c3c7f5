// JSON whose numbers survive being written again: the arguments of a tool keep their bytes through a translation (WIRE.md 17, 4),
// and an id of 20 digits is not rounded on its way.
import { hasEscapedKey, parseJson, readJson } from "../../json/parse.ts";

/** What Node does and TypeScript's library doesn't name yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** A number that kept its text: an object to JavaScript, but none of JSON's. */
export function isKeptNumber(value: object): boolean {
  return isRawJSON(value);
}

/** Numbers that would be written otherwise than they were read become opaque objects, which JSON.stringify writes as they were. */
export function parseExact(text: string): unknown {
  return parseWith(text, exactNumber);
}

/** Sixteen digits are the first that a number may lose; text without them takes the quick way. */
const longNumber = /\d{16}/;

/** Only whole numbers that a double can't hold keep their text: all others stay numbers, for what reads them. */
export function parseLong(text: string): unknown {
  return longNumber.test(text) ? parseWith(text, longOrNumber) : parseJson(text);
}

/** As parseJson does it: V8's reader takes no text in which a key is escaped. */
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
