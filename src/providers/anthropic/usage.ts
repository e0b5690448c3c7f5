// The tokens of a message as Anthropic's hosts report them, in the gateway's disjoint buckets (WIRE.md 8.2).
import type { Usage } from "../../usage.ts";
import { isObject, objectOf, type Json } from "../json/read.ts";
import { count } from "../token-count.ts";
import type { PromptUsage } from "../types.ts";

/** Null where it reports no output, or no prompt: half a report must not make the other half free. */
export function readMessageUsage(usage: unknown): Usage | null {
  const prompt = readPromptUsage(usage);
  const output = count(objectOf(usage)["output_tokens"]);
  if (prompt === null || output === null) return null;
  const thinking = count(objectOf(objectOf(usage)["output_tokens_details"])["thinking_tokens"]) ?? 0;
  return { ...prompt, output, reasoning: Math.min(thinking, output) };
}

/** `input_tokens` is what no cache had to do with. Null where nothing is said; zeros are a placeholder, as no prompt has 0 tokens. */
export function readPromptUsage(usage: unknown): PromptUsage | null {
  if (!isObject(usage)) return null;
  const input = count(usage["input_tokens"]);
  if (input === null) return null;
  const cacheRead = count(usage["cache_read_input_tokens"]) ?? 0;
  const cacheWrite = count(usage["cache_creation_input_tokens"]) ?? writtenByAge(usage);
  return input + cacheRead + cacheWrite === 0 ? null : { input, cacheRead, cacheWrite };
}

/** The total of what was written for five minutes and for an hour, where the host gives the parts alone. */
function writtenByAge(usage: Json): number {
  const parts = objectOf(usage["cache_creation"]);
  return (count(parts["ephemeral_5m_input_tokens"]) ?? 0) + (count(parts["ephemeral_1h_input_tokens"]) ?? 0);
}

/** All that is read above: of anything else a host may invent as much as it likes. */
const figures = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
  "output_tokens_details",
] as const;

/**
 * Figures of a stream are totals: later ones replace earlier ones, those left out stay (WIRE.md 5.4). A prompt of zeros
 * beside one that was measured is a host's placeholder.
 */
export function addUsage(before: Json, later: unknown): Json {
  if (!isObject(later)) return before;
  const told = figures.map((key) => [key, later[key]] as const).filter(([, value]) => value !== null && value !== undefined);
  const merged: Json = { ...before, ...Object.fromEntries(told) };
  if (readPromptUsage(before) === null || readPromptUsage(merged) !== null) return merged;
  return { ...merged, ...Object.fromEntries(Object.entries(before).filter(([key]) => key.includes("input") || key.startsWith("cache"))) };
}
