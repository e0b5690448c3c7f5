// The request body for one candidate: the caller's own bytes with the few members that the specification changes
// spliced in (gateway-api.md: "forwarded as sent", `store` and `metadata` dropped).
import { spliceJson } from "../../providers/json/splice.ts";
import type { JsonText } from "../../providers/json/text.ts";
import type { Candidate } from "../../routing/candidates.ts";
import type { Hold } from "../reserve.ts";
import { reasoningEdits } from "./reasoning.ts";

export interface ChatFields {
  model: string;
  stream?: boolean | null;
  stream_options?: Record<string, unknown> | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  store?: unknown;
  metadata?: unknown;
  reasoning_effort?: string | null;
  reasoning?: { effort?: string | null; max_tokens?: number | null } | null;
}

export function upstreamBody(text: JsonText, body: ChatFields, candidate: Candidate, hold: Hold): JsonText {
  const cap = capFor(candidate, hold);
  return spliceJson(text, {
    model: JSON.stringify(candidate.route.model),
    ...(body.store === undefined ? {} : { store: null }),
    ...(body.metadata === undefined ? {} : { metadata: null }),
    // Always asked for: it is what the call is billed by. Shown to the client only when it asked itself.
    ...(body.stream === true ? { stream_options: JSON.stringify({ ...body.stream_options, include_usage: true }) } : {}),
    ...capEdits(body, cap),
    ...reasoningEdits(body, candidate.model, cap),
  });
}

/**
 * The output cap that goes upstream; null: none. Another model may write more by itself than was reserved for, or less than was asked for;
 * a limit that the gateway sets is always sent.
 */
export function capFor(candidate: Candidate, hold: Hold): number | null {
  if (candidate.layer !== 3) return hold.sent;
  const cap = outputMaxOf(candidate, hold);
  const { maxOutputTokens, outputLimited } = candidate.model;
  return hold.sent === null && cap === maxOutputTokens && !outputLimited ? null : cap;
}

/** The most that one answer of this model may have: what is reserved for, and what it can write. */
export function outputMaxOf({ model }: Pick<Candidate, "model">, { outputMax }: Pick<Hold, "outputMax">): number {
  return Math.min(outputMax, model.maxOutputTokens);
}

/** Whichever name the upstream reads, it finds the cap that is reserved for; where the caller used none, the older one that every host knows. */
function capEdits(body: ChatFields, sent: number | null): Record<string, string> {
  if (sent === null) return {};
  const given = capNames.filter((name) => body[name] != null);
  const names = given.length === 0 ? (["max_tokens"] as const) : given;
  return Object.fromEntries(names.filter((name) => body[name] !== sent).map((name) => [name, String(sent)]));
}

const capNames = ["max_tokens", "max_completion_tokens"] as const;
