// Reasoning controls of a chat request as Claude's thinking (WIRE.md 7.1): effort for the newer generation, a budget for the
// older. Budgets too small for an upstream are dropped by its adapter.
import { objectOf, textOf, type Json } from "../json/read.ts";
import type { Route } from "../types.ts";
import { shareOfEffort } from "./effort-share.ts";

export interface MessageThinking {
  thinking: Json | null;
  /** For output_config. */
  effort: string | null;
}

/** A budget wins over an effort, the object over the plain field. */
export function messageThinking(chat: Json, route: Pick<Route, "thinking">, cap: number): MessageThinking {
  const reasoning = objectOf(chat["reasoning"]);
  const budget = reasoning["max_tokens"];
  const effort = textOf(reasoning["effort"]) ?? textOf(chat["reasoning_effort"]);
  if (typeof budget === "number") return ofBudget(Math.min(budget, cap - 1), route, cap);
  if (effort === "none" || effort === "minimal") return { thinking: { type: "disabled" }, effort: null };
  const share = effort === null ? undefined : shareOfEffort.get(effort);
  if (share === undefined) return { thinking: null, effort: null };
  if (route.thinking === "adaptive") return { thinking: { type: "adaptive" }, effort };
  return { thinking: { type: "enabled", budget_tokens: Math.floor(cap * share) }, effort: null };
}

/** Newer models refuse budgets: the effort whose share of the cap comes nearest. */
function ofBudget(budget: number, route: Pick<Route, "thinking">, cap: number): MessageThinking {
  if (route.thinking === "budget") return { thinking: { type: "enabled", budget_tokens: budget }, effort: null };
  const share = budget / cap;
  const effort = share <= 0.35 ? "low" : share <= 0.65 ? "medium" : "high";
  return { thinking: { type: "adaptive" }, effort };
}
