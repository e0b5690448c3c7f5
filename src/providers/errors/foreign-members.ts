// Keeps members of an answer that the gateway doesn't know, for clients that know the host, and removes what must stay with the operator.
import { hideSecrets } from "./hide-secrets.ts";
import { isObject, type Json } from "../json/read.ts";
import type { Provider } from "../types.ts";

/** The model's own output and the caller's own input stay unchanged: both may well mention keys and addresses. */
const answer: ReadonlySet<string> = new Set([
  ...["role", "content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "extra_content"],
  ...["tool_calls", "function_call", "executed_tools", "annotations", "citations", "search_results", "related_questions"],
  ...["images", "videos", "audio", "logprobs", "prompt_logprobs", "document", "text", "stop_reason", "matched_stop"],
]);

/** Returns the same object where nothing had to be removed. */
export function hideInMembers(members: Json, provider: Provider): Json {
  let shown = members;
  for (const name in members) {
    if (answer.has(name)) continue;
    const value = members[name];
    const kept = hideInValue(value, provider);
    if (kept === value) continue;
    if (shown === members) shown = { ...members };
    shown[name] = kept;
  }
  return shown;
}

/** Longer texts are the host's data; withoutKeys has already removed the provider's own keys from every answer. */
const searchedMax = 2_000;

/** Depth is bounded by the parser (json/scan.ts). */
function hideInValue(value: unknown, provider: Provider): unknown {
  if (typeof value === "string") return value.length > searchedMax ? value : hideSecrets(value, provider);
  if (Array.isArray(value)) {
    const kept = value.map((item: unknown) => hideInValue(item, provider));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }
  return isObject(value) ? hideInMembers(value, provider) : value;
}
