// What is left of a rate limit, as headers and as the refusal that names it (docs/behaviour/limits.md#headers).
import { fail } from "../errors/fail.ts";
import { resetMs, usedOf, type WindowCount } from "./window.ts";

export function rateHeaders(limit: number, count: WindowCount): Record<string, string> {
  return {
    "x-ratelimit-limit-requests": String(limit),
    "x-ratelimit-remaining-requests": String(Math.max(0, limit - usedOf(count))),
    "x-ratelimit-reset-requests": durationText(resetMs(count)),
  };
}

/** OpenAI's format: `37s`, `1m12s`. */
export function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds % 60}s`;
}

/** `what` names the limit, e.g. "30 requests per minute". */
export function failRate(what: string, waitMs: number, headers: Record<string, string>): never {
  fail("rate_limit_exceeded", { text: { limit: what }, windowMs: waitMs, headers });
}
