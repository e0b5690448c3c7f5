// Reads the tokens that Anthropic's hosts report into the gateway's disjoint buckets (docs/behaviour/translation.md#usage).
import type { Usage } from "../../usage.ts";
import { isObject, objectOf, type Json } from "../json/read.ts";
import { count } from "../token-count.ts";
import type { PromptUsage } from "../types.ts";

/** Null without output tokens or without prompt tokens: half a report must not make the other half free. */
export function readMessageUsage(usage: unknown): Usage | null {
  const prompt = readPromptUsage(usage);
  const output = count(objectOf(usage)["output_tokens"]);
  if (prompt === null || output === null) return null;
  const thinking = count(objectOf(objectOf(usage)["output_tokens_details"])["thinking_tokens"]) ?? 0;
  return { ...prompt, output, reasoning: Math.min(thinking, output) };
}

/** `input_tokens` excludes both caches. Null where nothing is reported; all zeros are a placeholder, as no prompt has 0 tokens. */
export function readPromptUsage(usage: unknown): PromptUsage | null {
  if (!isObject(usage)) return null;
  const input = count(usage["input_tokens"]);
  if (input === null) return null;
  const cacheRead = count(usage["cache_read_input_tokens"]) ?? 0;
  const cacheWrite = count(usage["cache_creation_input_tokens"]) ?? writtenByAge(usage);
  return input + cacheRead + cacheWrite === 0 ? null : { input, cacheRead, cacheWrite };
}

/** Cache writes of five minutes plus those of an hour, for hosts that report only the parts. */
function writtenByAge(usage: Json): number {
  const parts = objectOf(usage["cache_creation"]);
  return (count(parts["ephemeral_5m_input_tokens"]) ?? 0) + (count(parts["ephemeral_1h_input_tokens"]) ?? 0);
}

/** All figures that are read above; a host may add any others. */
const figures = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
  "output_tokens_details",
] as const;

/**
 * Figures of a stream are totals: later ones replace earlier ones, absent ones stay (docs/behaviour/streams.md#message-events). A prompt
 * of zeros beside a measured one is a placeholder.
 */
export function addUsage(before: Json, later: unknown): Json {
  if (!isObject(later)) return before;
  const reported = figures.map((key) => [key, later[key]] as const).filter(([, value]) => value !== null && value !== undefined);
  const merged: Json = { ...before, ...Object.fromEntries(reported) };
  if (readPromptUsage(before) === null || readPromptUsage(merged) !== null) return merged;
  return { ...merged, ...Object.fromEntries(Object.entries(before).filter(([key]) => key.includes("input") || key.startsWith("cache"))) };
}
