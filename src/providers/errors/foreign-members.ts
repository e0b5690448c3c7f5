// Members of an answer that nobody here understands: they stay, for clients that know the host, but without what is the operator's business.
import { hideSecrets } from "./hide-secrets.ts";
import { isObject, type Json } from "../json/read.ts";
import type { Provider } from "../types.ts";

/** What the model itself says, thinks, cites or made, and what the caller sent, stay as they came: both may well speak of keys and addresses. */
const answer: ReadonlySet<string> = new Set([
  ...["role", "content", "refusal", "reasoning", "reasoning_content", "reasoning_details", "thinking", "thinking_blocks", "extra_content"],
  ...["tool_calls", "function_call", "executed_tools", "annotations", "citations", "search_results", "related_questions"],
  ...["images", "videos", "audio", "logprobs", "prompt_logprobs", "document", "text", "stop_reason", "matched_stop"],
]);

/** The object itself where nothing had to go. */
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

/** Longer texts are data of the host's; the provider's own keys were taken out of all alike (withoutKeys). */
const searchedMax = 2_000;

/** Depth is bounded by whoever parsed it (json-scan.ts). */
function hideInValue(value: unknown, provider: Provider): unknown {
  if (typeof value === "string") return value.length > searchedMax ? value : hideSecrets(value, provider);
  if (Array.isArray(value)) {
    const kept = value.map((item: unknown) => hideInValue(item, provider));
    return kept.every((item, index) => item === value[index]) ? value : kept;
  }
  return isObject(value) ? hideInMembers(value, provider) : value;
}
