// Thinking and sampling as a Claude upstream takes them (WIRE.md 7.1, 11.1): what it would refuse is dropped, not failed.
// The first-turn rule and the budget below the cap are the language room's; this is what the upstream's generation asks.
import { objectOf, textOf, type Json } from "../json.ts";
import { shareOfEffort } from "../translation/effort-share.ts";
import type { Route } from "../types.ts";
import { hasThoughtOrCalled, lacksThinking } from "./history.ts";

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
  const budget = asked["type"] === "between_tools" ? null : budgetFor(asked, request);
  if (budget === null || budget < budgetMin || lacksThinking(request.cleaned)) return null;
  return { type: "enabled", budget_tokens: budget, ...display };
}

/** Null on a later turn without a budget of its own: none may go out then (gateway-api.md, `thinking`). */
function budgetFor(asked: Json, { body, messages, cap }: ThinkingRequest): number | null {
  const given = asked["type"] === "enabled" ? asked["budget_tokens"] : undefined;
  if (typeof given === "number") return Math.min(given, cap - 1);
  if (hasThoughtOrCalled(messages)) return null;
  const effort = textOf(objectOf(body["output_config"])["effort"]) ?? "high"; // Anthropic's default
  return Math.floor(cap * (shareOfEffort.get(effort) ?? 0.8));
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

/** Effort is the newer generation's; for the older one it has become a budget. */
export function outputConfigFor(route: Pick<Route, "thinking">, body: Json): Json | null {
  const given = objectOf(body["output_config"]);
  const told = Object.entries(given).filter(([key, value]) => value != null && (key !== "effort" || route.thinking === "adaptive"));
  return told.length === 0 ? null : Object.fromEntries(told);
}
