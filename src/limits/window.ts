// The sliding-window counter in integers, computed as the database does (rate_take): in use is what the current window holds, plus the part
// of the previous one that the last minute still reaches into. Pure; times are milliseconds since the epoch.
import { fail } from "../errors/fail.ts";

export interface WindowCount {
  /** When it was read, by the database's clock. */
  atMs: number;
  /** Length of a window; windows begin at its multiples. */
  lengthMs: number;
  current: number;
  previous: number;
}

/** The window of every limit per minute. */
export const minuteSeconds = 60;
export const minuteMs = minuteSeconds * 1000;
export const daySeconds = 86_400;

/** What an account's calls that name a model are counted in. */
export const buckets = { requests: "rpm", tokens: "tpm", day: "day" } as const;

/** What a key's calls are counted in where it has limits of its own. */
export function keyBuckets(keyId: bigint) {
  return { requests: `key:${keyId}:requests`, tokens: `key:${keyId}:tokens` };
}

export function windowStartMs(atMs: number, lengthMs: number): number {
  return atMs - (atMs % lengthMs);
}

/** How much of the current window is left. */
function restMs({ atMs, lengthMs }: WindowCount): number {
  return lengthMs - (atMs % lengthMs);
}

export function usedOf(count: WindowCount): number {
  return count.current + Math.ceil((count.previous * restMs(count)) / count.lengthMs);
}

/** The same counter at a later time, if nothing more is taken. */
export function laterCount(count: WindowCount, atMs: number): WindowCount {
  const { lengthMs } = count;
  const passed = (windowStartMs(atMs, lengthMs) - windowStartMs(count.atMs, lengthMs)) / lengthMs;
  if (passed <= 0) return { ...count, atMs };
  return { atMs, lengthMs, current: 0, previous: passed === 1 ? count.current : 0 };
}

/** How long until `amount` more is within `limit`, if nothing else is taken. Infinity: never. */
export function waitMs(count: WindowCount, amount: number, limit: number): number {
  if (amount > limit) return Infinity;
  const rest = restMs(count);
  const room = limit - amount - count.current;
  if (room >= 0) return Math.max(0, rest - latestRest(count.previous, room, count.lengthMs));
  return rest + count.lengthMs - Math.min(count.lengthMs, latestRest(count.current, limit - amount, count.lengthMs));
}

/** The most that may be left of a window while the part of `previous` that counts is within `room`. */
function latestRest(previous: number, room: number, lengthMs: number): number {
  return previous === 0 ? lengthMs : Math.floor((room * lengthMs) / previous);
}

/** How long until nothing is in use. */
export function resetMs(count: WindowCount): number {
  if (count.current > 0) return restMs(count) + count.lengthMs;
  return count.previous > 0 ? restMs(count) : 0;
}

// What is left of a rate limit, as headers and as the refusal that names it (docs/behaviour/limits.md#headers).

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
