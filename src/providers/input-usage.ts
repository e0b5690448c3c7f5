// The tokens of an operation that has no output, as its upstream reports them: embeddings and rankings.
import type { Usage } from "../usage.ts";
import { isObject } from "./json/read.ts";
import { count } from "./token-count.ts";

/** Null where it reports none; 0 is a placeholder, as no text has 0 tokens. Voyage and Jina say the total alone. */
export function readInputUsage(usage: unknown): Usage | null {
  if (!isObject(usage)) return null;
  const input = count(usage["prompt_tokens"], usage["input_tokens"]) || count(usage["total_tokens"]) || 0;
  return input === 0 ? null : { input, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 };
}
