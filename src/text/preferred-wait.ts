// The preference `wait` of the header Prefer (RFC 7240): how long a caller wants to wait for a whole answer.

/** In seconds; without a number of its own, `usual`. Null: the caller doesn't want to wait. */
export function preferredWait(prefer: string | undefined, { usual, max }: { usual: number; max: number }): number | null {
  for (const preference of (prefer ?? "").split(",")) {
    const [, value] = /^\s*wait\s*(?:=\s*"?(\d{0,9})"?\s*)?(?:;.*)?$/i.exec(preference) ?? [null, null];
    if (value === null) continue;
    return value === undefined || value === "" ? usual : Math.min(Number(value), max);
  }
  return null;
}
