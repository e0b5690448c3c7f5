// Reasoning controls of a chat request, as JSON edits for one model (gateway-api.md, chat; WIRE.md 7.1, 14 row 33).
// The caller's field stays the one that is sent; only what the rules change is changed.
import type { Model } from "../../catalog/types.ts";

type Edits = Record<string, string | null>;

interface ReasoningFields {
  reasoning_effort?: string | null;
  reasoning?: { effort?: string | null; max_tokens?: number | null; [key: string]: unknown } | null;
}

/** `cap` is the output cap actually sent; null where none is. */
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

/** "A reasoning budget is always lowered to one below the output cap actually sent"; a cap of 1 leaves none. */
function budgetEdit(reasoning: NonNullable<ReasoningFields["reasoning"]>, budget: number, cap: number | null): Edits {
  const { effort: _loses, max_tokens: _replaced, ...rest } = reasoning;
  const lowered = cap === null ? budget : Math.min(budget, cap - 1);
  if (lowered < 1) return { reasoning: Object.keys(rest).length === 0 ? null : JSON.stringify(rest) };
  if (lowered === budget && reasoning.effort == null) return {};
  return { reasoning: JSON.stringify({ ...rest, max_tokens: lowered }) };
}

/** A model that cannot switch thinking off runs none and minimal at low. */
function switchable(effort: string, model: Pick<Model, "reasoningAlwaysOn">): string {
  return model.reasoningAlwaysOn && (effort === "none" || effort === "minimal") ? "low" : effort;
}

function dropped(body: ReasoningFields): Edits {
  return {
    ...(body.reasoning === undefined ? {} : { reasoning: null }),
    ...(body.reasoning_effort === undefined ? {} : { reasoning_effort: null }),
  };
}
