// JSON read so that it can be written again with every number's own digits: the arguments of a tool keep their bytes through a
// translation (WIRE.md 17, 4), also where a number holds more than a double can.

/** What TypeScript's library doesn't know yet of JSON. */
const withSource = JSON as unknown as {
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

/** Numbers that would be written otherwise than they were read become opaque objects, which JSON.stringify writes as they were. */
export function parseExact(text: string): unknown {
  return withSource.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && String(value) !== source ? withSource.rawJSON(source) : value,
  );
}
