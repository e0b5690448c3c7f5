// JSON whose numbers survive being written again: the arguments of a tool keep their bytes through a translation (WIRE.md 17, 4),
// and an id of 20 digits is not rounded on its way.

/** What Node does and TypeScript's library doesn't name yet. */
const { parse, rawJSON, isRawJSON } = JSON as unknown as {
  parse(text: string, reviver?: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
  isRawJSON(value: unknown): boolean;
};

/** A number that kept its text: an object to JavaScript, but none of JSON's. */
export function isKeptNumber(value: object): boolean {
  return isRawJSON(value);
}

/** Numbers that would be written otherwise than they were read become opaque objects, which JSON.stringify writes as they were. */
export function parseExact(text: string): unknown {
  return parse(text, (_key, value, { source }) => (isChanged(value, source) ? rawJSON(source) : value));
}

/** Sixteen digits are the first that a number may lose; text without them takes the quick way. */
const longNumber = /\d{16}/;

/** Only whole numbers that a double can't hold keep their text: all others stay numbers, for what reads them. */
export function parseLong(text: string): unknown {
  if (!longNumber.test(text)) return parse(text);
  return parse(text, (_key, value, { source }) => (isChanged(value, source) && /^-?\d{16,}$/.test(source) ? rawJSON(source) : value));
}

function isChanged(value: unknown, source: string | undefined): source is string {
  return typeof value === "number" && source !== undefined && String(value) !== source;
}
