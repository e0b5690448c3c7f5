// Thinking and sampling as a Claude upstream takes them (WIRE.md 7.1, 11.1): what it would refuse is dropped, not failed.
// The first-turn rule and the budget below the cap are the language room's; this is what the upstream's generation asks.
import { objectOf, type Json } from "../json/read.ts";
import type { Route } from "../types.ts";
import { hasThoughtOrCalled } from "../translation/thinking-turns.ts";
import { lacksThinking } from "./history.ts";

const budgetMin = 1_024;

export interface ThinkingRequest {
  /** The caller's, as parsed. */
  body: Json;
  /** The history as it came, and as it goes out. */
  messages: readonly unknown[];
  cleaned: readonly unknown[];
  /** The output cap that goes out. */
  cap: number;
}

/** Null: none goes out. */
export function thinkingFor(route: Pick<Route, "thinking">, request: ThinkingRequest): Json | null {
  const { thinking, tool_choice } = request.body;
  const asked = objectOf(thinking);
  if (asked["type"] === "disabled") return { type: "disabled" };
  const forced = ["any", "tool"].includes(String(objectOf(tool_choice)["type"]));
  if (asked["type"] === undefined || forced) return null;
  const display = asked["display"] == null ? {} : { display: asked["display"] };
  if (route.thinking === "adaptive") return { type: asked["type"] === "between_tools" ? "between_tools" : "adaptive", ...display };
  // Only an operator knows a model's generation: what asks for no budget goes out as it is asked for.
  if (asked["type"] !== "enabled") return { type: asked["type"], ...display };
  return enabledFor(asked["budget_tokens"], request, display);
}

/** Without a budget, reasoning has no cap; on a later turn none may go out, nor may `enabled` without one (gateway-api.md, `thinking`). */
function enabledFor(given: unknown, { messages, cleaned, cap }: ThinkingRequest, display: Json): Json | null {
  if (typeof given !== "number") return hasThoughtOrCalled(messages) ? null : { type: "adaptive", ...display };
  const budget = Math.min(given, cap - 1);
  return budget < budgetMin || lacksThinking(cleaned) ? null : { type: "enabled", budget_tokens: budget, ...display };
}

/** Null: left out. */
export function samplingFor(route: Pick<Route, "thinking">, body: Json, thinking: Json | null): Record<string, number | null> {
  const { temperature, top_p: topP } = body;
  if (route.thinking === "adaptive") return { temperature: null, top_p: null, top_k: null };
  const clamped = typeof temperature === "number" ? Math.min(temperature, 1) : null;
  if (thinking?.["type"] !== "enabled") return { temperature: clamped };
  // Beside thinking a model takes its own temperature alone, and cuts no more than the last twentieth.
  return {
    temperature: clamped === 1 ? 1 : null,
    top_k: null,
    ...(typeof topP === "number" && topP < 0.95 ? { top_p: null } : {}),
  };
}
