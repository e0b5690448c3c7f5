// Which models a search shows.
import type { ModelRow } from "svc-sdk/functions";

export type ModelSearch = Partial<Record<"q" | "type" | "maker" | "can", string>>;

export const abilities: Record<string, { label: string; has: (model: ModelRow) => boolean }> = {
  tools: { label: "Tools", has: (model) => model.supports_tools },
  structured: { label: "Structured output", has: (model) => model.supports_structured_outputs },
  vision: { label: "Images as input", has: (model) => model.supports_vision },
  reasoning: { label: "Reasoning", has: (model) => model.supports_reasoning },
  caching: { label: "Prompt caching", has: (model) => model.supports_caching },
  free: { label: "Free tier", has: (model) => model.free_tier },
};

export function fits(model: ModelRow, { q = "", type, maker, can }: ModelSearch): boolean {
  const ability = can === undefined ? undefined : abilities[can];
  const text = [model.id, model.name, model.description, model.best_for, model.owned_by].join(" ").toLowerCase();
  return (
    (type === undefined || model.type === type) &&
    (maker === undefined || model.owned_by === maker) &&
    (ability === undefined || ability.has(model)) &&
    q.toLowerCase().split(/\s+/).every((word) => text.includes(word)) // prettier-ignore
  );
}
