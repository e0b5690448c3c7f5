// Reads JSON of unknown shape: the small questions that every adapter asks.
import type { Usage } from "../../usage.ts";
import { isKeptNumber } from "./exact-numbers.ts";

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isKeptNumber(value);
}

/** The object itself, or an empty one, so that a missing branch reads like one without members. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

export function arrayOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

// Reads a number of tokens, however an upstream writes it.

/** More than any context window: such a number is an error and must not become a charge. */
const largestCount = 100_000_000;

/** The first value that can be a number of tokens; some hosts write it as text. */
export function count(...values: unknown[]): number | null {
  for (const shown of values) {
    const value = typeof shown === "string" && /^\d{1,9}(\.\d{1,6})?$/.test(shown) ? Number(shown) : shown;
    if (typeof value === "number" && value >= 0 && value <= largestCount) return Math.ceil(value);
  }
  return null;
}

// The tokens of an operation without output: embeddings and rankings.

/** Null where the upstream reports none; 0 is a placeholder, as no text has 0 tokens. Voyage and Jina report only the total. */
export function readInputUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const input = count(usage["prompt_tokens"], usage["input_tokens"]) || count(usage["total_tokens"]) || 0;
  return input === 0 ? null : { input, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
}
