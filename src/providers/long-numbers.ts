// JSON whose long numbers survive: inputs of tools pass through as values, and an id of 20 digits must not be rounded on its way.

/** Node's own, which TypeScript's library doesn't name yet. */
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Sixteen digits are the first that a number may lose; text without them takes the quick way. */
const longNumber = /\d{16}/;

/** As JSON.parse, but whole numbers that a double can't hold keep their text for JSON.stringify. All others stay numbers to read. */
export function parseLong(text: string): unknown {
  if (!longNumber.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === "number" && source !== undefined && /^-?\d{16,}$/.test(source) && String(value) !== source ? rawJSON(source) : value,
  );
}
