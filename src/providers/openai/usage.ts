// Reads the tokens that an upstream reports, wherever it puts them, into disjoint buckets that never go below zero. A cost that an
// upstream reports is never read (docs/behaviour/billing.md#usage).
import type { Usage } from "../../usage.ts";
import type { Variant } from "../types.ts";
import { arrayOf, count, isObject, type Json, objectOf, textOf } from "../json/read.ts";

/**
 * From a whole answer or a chunk. Null where the host reports none, or only one side of the sum: half a report must not make the
 * other half free. All zeros are a placeholder, as no prompt has 0 tokens. `variant`: of the host.
 */
export function readUsage(answer: Json, variant?: Variant): Usage | null {
  const places = [answer["usage"], objectOf(answer["x_groq"])["usage"], objectOf(arrayOf(answer["choices"])[0])["usage"]]; // the last: Moonshot
  const usage = places.find(isObject);
  if (usage === undefined) return null;
  const promptShown = count(usage["prompt_tokens"], usage["input_tokens"]);
  const completionShown = count(usage["completion_tokens"], usage["output_tokens"]);
  // Reasoning and cache may be inside the sums or beside them: where there are any, the total doesn't give the missing side.
  const prompt = promptShown ?? (reasoningTokens(usage) === 0 ? restOfTotal(usage, completionShown) : null);
  const completion = completionShown ?? (cacheReadTokens(usage) + cacheWriteTokens(usage) === 0 ? restOfTotal(usage, promptShown) : null);
  if (prompt === null || completion === null || prompt + completion === 0) return null;
  const tier = textOf(answer["service_tier"]);
  const searches = count(objectOf(usage["server_tool_use"])["web_search_requests"], usage["num_search_queries"]); // the last: Perplexity
  return {
    ...(variant?.thoughtsInTotal === true && completionShown !== null
      ? withThoughts(usage, prompt, completion)
      : buckets(usage, prompt, completion, completionShown !== null)),
    ...(searches === null ? {} : { webSearches: searches }),
    ...(tier === null ? {} : { serviceTier: tier }),
  };
}

function restOfTotal(usage: Json, other: number | null): number | null {
  const total = count(usage["total_tokens"]);
  return total !== null && other !== null && total >= other ? total - other : null;
}

function buckets(usage: Json, promptShown: number, completionShown: number, completionTold: boolean): Usage {
  const reasoningShown = reasoningTokens(usage);
  const readShown = cacheReadTokens(usage);
  const writeShown = cacheWriteTokens(usage);
  const cacheShown = readShown + writeShown;
  const excess = (count(usage["total_tokens"]) ?? 0) - promptShown - completionShown;
  // What the total has beyond the two sums was left out of one of them: reasoning (xAI, Gemini) or cache (Anthropic-like).
  const bothApart = excess > 0 && excess === cacheShown + reasoningShown;
  const cacheApart = bothApart || (excess > 0 && excess === cacheShown && excess !== reasoningShown);
  // DeepInfra leaves reasoning out for Gemini and Gemma, and its total doesn't show it.
  const reasoningApart = bothApart || (excess > 0 && excess === reasoningShown) || (completionTold && reasoningShown > completionShown);
  const prompt = promptShown + (cacheApart ? cacheShown : 0);
  const completion = completionShown + (reasoningApart ? reasoningShown : 0);
  const cacheRead = Math.min(readShown, prompt);
  const cacheWrite = Math.min(writeShown, prompt - cacheRead);
  return {
    input: prompt - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: completion,
    reasoning: Math.min(reasoningShown, completion),
  };
}

/** Of a host whose total alone counts thoughts; its prompt holds what was cached. */
function withThoughts(usage: Json, prompt: number, completion: number): Usage {
  const unsaid = Math.max(0, (restOfTotal(usage, prompt) ?? 0) - completion);
  const output = completion + unsaid;
  const cacheRead = Math.min(cacheReadTokens(usage), prompt);
  const reasoning = Math.min(Math.max(reasoningTokens(usage), unsaid), output);
  return { input: prompt - cacheRead, cacheRead, cacheWrite: 0, output, reasoning };
}

function cacheReadTokens(usage: Json): number {
  const details = promptDetails(usage);
  return (
    count(
      details["cached_tokens"],
      usage["cached_tokens"], // Moonshot
      usage["prompt_cache_hit_tokens"], // DeepSeek
      usage["num_cached_tokens"], // Mistral
      usage["cache_read_input_tokens"],
    ) ?? 0
  );
}

function cacheWriteTokens(usage: Json): number {
  const details = promptDetails(usage);
  return (
    count(
      details["cache_write_tokens"],
      details["cache_creation_input_tokens"], // Alibaba
      usage["cache_write_tokens"],
      usage["cache_creation_input_tokens"],
    ) ?? 0
  );
}

function reasoningTokens(usage: Json): number {
  const details = objectOf(usage["completion_tokens_details"] ?? usage["output_tokens_details"]);
  return count(details["reasoning_tokens"], usage["reasoning_tokens"]) ?? 0;
}

/** Mistral's key is in the singular. */
function promptDetails(usage: Json): Json {
  return objectOf(usage["prompt_tokens_details"] ?? usage["prompt_token_details"] ?? usage["input_tokens_details"]);
}
