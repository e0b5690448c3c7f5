// The thinking of a message request, as JSON edits for one model (docs/behaviour/messages.md#thinking).
import type { Model } from "../../catalog/types.ts";
import { hasThoughtOrCalled, shareOfEffort } from "../../providers/translation/thinking-turns.ts";

type Edits = Record<string, string | null>;

interface ThinkingFields {
  messages: readonly { role: string; content: string | readonly { type: string }[] }[];
  thinking?: { type: string; budget_tokens?: number };
  output_config?: { effort?: unknown; [key: string]: unknown } | null;
}

/** What the edits depend on: the model and the host that is asked. */
interface Thinker {
  model: Pick<Model, "supports" | "reasoningAlwaysOn">;
  /** True for a host of this dialect that takes budgets and no efforts. */
  budgetsOnly: boolean;
  /** The output cap that is sent; null: none. */
  cap: number | null;
  /** The longest answer, in tokens, with or without a cap. */
  outputMax: number;
}

export function thinkingEdits(body: ThinkingFields, { model, budgetsOnly, cap, outputMax }: Thinker): Edits {
  const { thinking, output_config: config } = body;
  if (!model.supports.reasoning)
    return {
      ...(thinking === undefined ? {} : { thinking: null }),
      ...(config?.effort === undefined ? {} : { output_config: withEffort(config, undefined) }),
    };
  if (thinking === undefined) return {};
  // A model that cannot switch thinking off runs at low.
  if (thinking.type === "disabled" && model.reasoningAlwaysOn) {
    if (!budgetsOnly) return { thinking: null, output_config: withEffort(config, "low") };
    return { thinking: lowBudget(body, outputMax), output_config: withEffort(config, undefined) };
  }
  const { budget_tokens: budget, ...rest } = thinking;
  if (thinking.type !== "enabled" || budget === undefined) return {};
  // Lowered to one below the cap; a cap of 1 leaves none.
  const lowered = cap === null ? budget : Math.min(budget, cap - 1);
  if (lowered < 1 || hasThoughtOrCalled(body.messages)) return { thinking: JSON.stringify(rest) };
  return lowered === budget ? {} : { thinking: JSON.stringify({ ...thinking, budget_tokens: lowered }) };
}

/** The budget of effort low, on the first turn only. The adapter drops one that is too small for its host. */
function lowBudget({ messages }: ThinkingFields, outputMax: number): string | null {
  if (hasThoughtOrCalled(messages)) return null;
  return JSON.stringify({ type: "enabled", budget_tokens: Math.floor(outputMax * shareOfEffort.get("low")!) });
}

function withEffort(config: ThinkingFields["output_config"], effort: string | undefined): string | null {
  const { effort: _replaced, ...rest } = config ?? {};
  const changed = effort === undefined ? rest : { ...rest, effort };
  return Object.keys(changed).length === 0 ? null : JSON.stringify(changed);
}
