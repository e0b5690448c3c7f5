// How long an upstream asks to wait, from `retry-after-ms` or `retry-after` (seconds or an HTTP date).
// Whether anybody waits is the caller's business.
import type { IncomingHttpHeaders } from "node:http";

/** A host that asks for more is not believed: the value is shown to callers. */
const longestMs = 3_600_000;

export function retryAfterMs(headers: IncomingHttpHeaders, now: Date): number | null {
  const exact = amount(headers["retry-after-ms"]);
  if (exact !== null) return Math.min(Math.ceil(exact), longestMs);
  const seconds = amount(headers["retry-after"]);
  if (seconds !== null) return Math.min(Math.ceil(seconds * 1000), longestMs);
  const text = headers["retry-after"];
  const date = typeof text === "string" ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.min(Math.max(date - now.getTime(), 0), longestMs);
}

function amount(text: string | string[] | undefined): number | null {
  return typeof text === "string" && /^\d{1,12}(\.\d{1,6})?$/.test(text.trim()) ? Number(text) : null;
}
