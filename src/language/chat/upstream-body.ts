// The request body for one candidate: the caller's own bytes, with only those members replaced that have to change;
// `store`, `metadata` and `routing` are dropped (docs/behaviour/requests.md#bodies).
import type { Model } from "../../catalog/types.ts";
import { type JsonText, spliceJson } from "../../providers/json/splice.ts";
import type { Candidate } from "../../routing/candidates.ts";
import type { RoutingWishes } from "../../routing/wishes.ts";
import type { TokenHold } from "../token-hold.ts";
import { withheldEdits } from "../withheld-fields.ts";

export interface ChatFields {
  model: string;
  stream?: boolean | null;
  stream_options?: Record<string, unknown> | null;
  max_tokens?: number | null;
  max_completion_tokens?: number | null;
  routing?: RoutingWishes | null;
  store?: unknown;
  metadata?: unknown;
  service_tier?: string | null;
  web_search_options?: unknown;
  reasoning_effort?: string | null;
  reasoning?: { effort?: string | null; max_tokens?: number | null } | null;
}

export function upstreamBody(text: JsonText, body: ChatFields, candidate: Candidate, hold: TokenHold): JsonText {
  const cap = capFor(candidate, hold);
  return spliceJson(text, {
    ...withheldEdits(body, candidate),
    model: JSON.stringify(candidate.route.model),
    ...(body.store === undefined ? {} : { store: null }),
    ...(body.metadata === undefined ? {} : { metadata: null }),
    // Always requested, because the call is billed by it. The client sees it only if it asked for it.
    ...(body.stream === true ? { stream_options: JSON.stringify({ ...body.stream_options, include_usage: true }) } : {}),
    ...capEdits(body, cap),
    ...reasoningEdits(body, candidate.model, cap),
  });
}

/**
 * The output cap that goes upstream; null: none. Another model might write more by itself than was reserved for, or less than was asked for;
 * a limit that the gateway sets is always sent.
 */
export function capFor(candidate: Candidate, hold: TokenHold): number | null {
  if (candidate.layer !== 3) return hold.sent;
  const cap = outputMaxOf(candidate, hold);
  const { maxOutputTokens, outputLimited } = candidate.model;
  return hold.sent === null && cap === maxOutputTokens && !outputLimited ? null : cap;
}

/** The longest answer of this model, in tokens: at most what is reserved for, and what it can write. */
export function outputMaxOf({ model }: Pick<Candidate, "model">, { outputMax }: Pick<TokenHold, "outputMax">): number {
  return Math.min(outputMax, model.maxOutputTokens);
}

/** Upstreams read one name or the other: both carry the reserved cap. Where the caller sent neither, the older one, which all of them know. */
function capEdits(body: ChatFields, sent: number | null): Record<string, string> {
  if (sent === null) return {};
  const given = capNames.filter((name) => body[name] != null);
  const names = given.length === 0 ? (["max_tokens"] as const) : given;
  return Object.fromEntries(names.filter((name) => body[name] !== sent).map((name) => [name, String(sent)]));
}

const capNames = ["max_tokens", "max_completion_tokens"] as const;

// Reasoning controls of a chat request, as JSON edits for one model (docs/behaviour/translation.md#reasoning).
// The caller's own field is the one that is sent; only what the rules change is changed.

type Edits = Record<string, string | null>;

interface ReasoningFields {
  reasoning_effort?: string | null;
  reasoning?: { effort?: string | null; max_tokens?: number | null; [key: string]: unknown } | null;
}

/** `cap` is the output cap that is sent; null: none. */
export function reasoningEdits(body: ReasoningFields, model: Pick<Model, "supports" | "reasoningAlwaysOn">, cap: number | null): Edits {
  const { reasoning, reasoning_effort: effort } = body;
  if (reasoning == null && effort == null) return {};
  if (!model.supports.reasoning) return dropped(body);
  const budget = reasoning?.max_tokens;
  // A budget wins over an effort, the object over the plain field.
  if (reasoning != null && budget != null)
    return { ...(effort == null ? {} : { reasoning_effort: null }), ...budgetEdit(reasoning, budget, cap) };
  if (reasoning?.effort != null) {
    const switched = switchable(reasoning.effort, model);
    return {
      ...(effort == null ? {} : { reasoning_effort: null }),
      ...(switched === reasoning.effort ? {} : { reasoning: JSON.stringify({ ...reasoning, effort: switched }) }),
    };
  }
  if (effort == null) return {};
  const switched = switchable(effort, model);
  return switched === effort ? {} : { reasoning_effort: JSON.stringify(switched) };
}

/** A budget is lowered to one below the cap that is sent; a cap of 1 leaves no budget. */
function budgetEdit(reasoning: NonNullable<ReasoningFields["reasoning"]>, budget: number, cap: number | null): Edits {
  const { effort: _loses, max_tokens: _replaced, ...rest } = reasoning;
  const lowered = cap === null ? budget : Math.min(budget, cap - 1);
  if (lowered < 1) return { reasoning: Object.keys(rest).length === 0 ? null : JSON.stringify(rest) };
  if (lowered === budget && reasoning.effort == null) return {};
  return { reasoning: JSON.stringify({ ...rest, max_tokens: lowered }) };
}

/** A model that cannot switch thinking off runs `none` and `minimal` at low. */
function switchable(effort: string, model: Pick<Model, "reasoningAlwaysOn">): string {
  return model.reasoningAlwaysOn && (effort === "none" || effort === "minimal") ? "low" : effort;
}

function dropped(body: ReasoningFields): Edits {
  return {
    ...(body.reasoning === undefined ? {} : { reasoning: null }),
    ...(body.reasoning_effort === undefined ? {} : { reasoning_effort: null }),
  };
}
