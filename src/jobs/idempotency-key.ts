// Which job a submit names (gateway-api.md idempotency_key; WIRE.md 14 rows 21 and 26): the body's word wins over the header's, and both
// are cut, never refused.
const charactersMax = 128;

/** Null: none. An empty one names nothing. */
export function idempotencyKeyOf(fromBody: string | null | undefined, fromHeader: string | undefined): string | null {
  const given = fromBody || utf8Of(fromHeader ?? "");
  // Two units make a character at most: what comes after is never looked at.
  const cut = [...given.slice(0, 2 * charactersMax)].slice(0, charactersMax).join("");
  return cut === "" ? null : cut.toWellFormed();
}

/** Header values come as one character a byte; clients write UTF-8. */
function utf8Of(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? header : text;
}
