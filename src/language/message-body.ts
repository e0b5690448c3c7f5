// A message request for one candidate, still in the Anthropic dialect: the caller's own bytes with the few members that the
// specification changes spliced in. What an upstream of another dialect makes of it is its adapter's.
import { spliceJson } from "../providers/json-splice.ts";
import type { Candidate } from "../routing/candidates.ts";
import { thinkingEdits } from "./message-thinking.ts";
import type { Hold } from "./reserve.ts";
import { capFor } from "./upstream-body.ts";

type ThinkingFields = Parameters<typeof thinkingEdits>[0];

export interface MessageFields extends ThinkingFields {
  max_tokens?: number;
  metadata?: { user_id?: string | null } | null;
  [key: string]: unknown;
}

/** Everything else is ignored (spec/message-request.tsp): some of it would change what an upstream charges, as `speed` does. */
const forwarded = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "thinking",
  "output_config",
  "cache_control",
  "stream",
  "stop_sequences",
  "temperature",
  "top_p",
  "top_k",
  "metadata",
]);

export function messageBody(text: string, body: MessageFields, candidate: Candidate, hold: Hold): string {
  const cap = capFor(candidate, hold);
  const ignored = Object.keys(body).filter((name) => !forwarded.has(name));
  return spliceJson(text, {
    ...Object.fromEntries(ignored.map((name) => [name, null])),
    model: JSON.stringify(candidate.route.model),
    ...(cap === null || cap === body.max_tokens ? {} : { max_tokens: String(cap) }),
    ...(body.metadata === undefined ? {} : { metadata: userAlone(body.metadata) }),
    ...thinkingEdits(body, candidate.model, cap),
  });
}

function userAlone(metadata: MessageFields["metadata"]): string | null {
  return metadata?.user_id == null ? null : JSON.stringify({ user_id: metadata.user_id });
}
