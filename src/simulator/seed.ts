// Determinism: everything the simulator makes up follows from a hash of the request.
// Owns the hash, the number generator and made-up ids; what is drawn from them belongs to the callers.
import { hash } from "node:crypto";

/** In seconds. The simulator has no clock: everything it makes was made on the first of January 2026. */
export const createdAt = 1_767_225_600;

/** A number in [0, 1). */
export type Random = () => number;

/** Mulberry32: 32 bits of state are plenty for made-up text, and a draw costs a few nanoseconds. */
export function seededRandom(seed: string): Random {
  let state = Number.parseInt(digest(seed).slice(0, 8), 16) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function digest(text: string): string {
  return hash("sha1", text, "hex");
}

/** An id that looks like the real ones, e.g. madeUpId("chatcmpl-", seed). */
export function madeUpId(prefix: string, seed: string): string {
  return prefix + digest(`${prefix}:${seed}`).slice(0, 24);
}

export function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

export function wholeBetween(random: Random, min: number, max: number): number {
  return min + Math.floor(random() * (max - min + 1));
}
