// Builds the upstream request of a message call: the caller's JSON text with only those members edited that a Claude upstream would
// refuse, that would change the price, or that need state between calls.
import { parseLong } from "../json/exact-numbers.ts";
import { arrayOf, type Json, objectOf } from "../json/read.ts";
import { spliceJson } from "../json/splice.ts";
import { type JsonText, wholeOf } from "../json/text.ts";
import { hasThoughtOrCalled } from "../translation/thinking-turns.ts";
import { jsonRequest } from "../transport/json-request.ts";
import type { UpstreamRequest } from "../transport/types.ts";
import type { Route } from "../types.ts";
import type { MessageCall } from "../verbs/messages.ts";
import { cleanMessages, cleanSystem, lacksThinking, toolsOfHistory } from "./history.ts";

export function messageRequest(call: MessageCall): UpstreamRequest {
  return { ...jsonRequest(call, "/messages", fitBody(call), call.stream), headers: betaHeader(call.betas) };
}

/** Withheld because they change the price (speed, region, tier) or refer to state that one provider holds. */
const withheld = ["speed", "service_tier", "inference_geo", "container", "mcp_servers", "fallbacks"] as const;

type Edits = Record<string, string | null>;

function fitBody({ body: text, route, outputMax }: Pick<MessageCall, "body" | "route" | "outputMax">): JsonText {
  const body = objectOf(parseLong(wholeOf(text)));
  const messages = arrayOf(body["messages"]);
  const cleaned = cleanMessages(messages);
  const cap = typeof body["max_tokens"] === "number" ? body["max_tokens"] : outputMax;
  const thinking = thinkingFor(route, { body, messages, cleaned, cap });
  const edits: Edits = {
    ...replaced(body, "messages", cleaned),
    ...replaced(body, "system", cleanSystem(body["system"])),
    ...replaced(body, "max_tokens", cap),
    ...replaced(body, "thinking", thinking),
    ...replaced(body, "metadata", userOf(body)),
    ...toolEdits(body, cleaned),
    ...Object.fromEntries(withheld.filter((key) => key in body).map((key) => [key, null])),
  };
  for (const [key, value] of Object.entries(samplingFor(route, body, thinking))) Object.assign(edits, replaced(body, key, value));
  return spliceJson(text, edits);
}

/** No edit where the value is the caller's own; null and undefined remove the member. */
function replaced(body: Json, key: string, value: unknown): Edits {
  const given = body[key];
  if (value === given || (value == null && !(key in body))) return {};
  if (value == null) return { [key]: null };
  const text = JSON.stringify(value);
  return given !== undefined && key !== "messages" && text === JSON.stringify(given) ? {} : { [key]: text };
}

function userOf(body: Json): Json | null {
  const { user_id } = objectOf(body["metadata"]);
  return typeof user_id === "string" ? { user_id } : null;
}

/** A history with tool calls needs their definitions; a caller who sent none wants no further calls. */
function toolEdits(body: Json, cleaned: readonly unknown[]): Edits {
  if (arrayOf(body["tools"]).length > 0) return {};
  const tools = toolsOfHistory(cleaned);
  if (tools.length === 0) return replaced(body, "tool_choice", null);
  return { tools: JSON.stringify(tools), tool_choice: '{"type":"none"}' };
}

/** Features that cost more than the model's price. Callers can't ask for them; an operator can, by the provider's own headers. */
const dearBetas = /^(?:context-1m|fast-mode)\b/;

function betaHeader(betas: string | null): string[] {
  const names = (betas ?? "").split(",").map((name) => name.trim());
  const passed = names.filter((name) => /^[\w.-]{1,100}$/.test(name) && !dearBetas.test(name)).slice(0, 50);
  return passed.length === 0 ? [] : ["anthropic-beta", passed.join(",")];
}

// Thinking and sampling as a Claude upstream takes them (docs/behaviour/translation.md#reasoning, providers.md#anthropic-hosts): what it
// would refuse is dropped. The language room applies the first-turn rule and keeps the budget below the cap.

const budgetMin = 1_024;

interface ThinkingRequest {
  /** The caller's body, parsed. */
  body: Json;
  /** The history as received, and as it goes out. */
  messages: readonly unknown[];
  cleaned: readonly unknown[];
  /** The output cap that goes out. */
  cap: number;
}

/** Null leaves thinking out. */
function thinkingFor(route: Pick<Route, "thinking">, request: ThinkingRequest): Json | null {
  const { thinking, tool_choice } = request.body;
  const asked = objectOf(thinking);
  if (asked["type"] === "disabled") return { type: "disabled" };
  const forced = ["any", "tool"].includes(String(objectOf(tool_choice)["type"]));
  if (asked["type"] === undefined || forced) return null;
  const display = asked["display"] == null ? {} : { display: asked["display"] };
  if (route.thinking === "adaptive") return { type: asked["type"] === "between_tools" ? "between_tools" : "adaptive", ...display };
  // Only an operator knows a model's generation, so thinking without a budget goes out unchanged.
  if (asked["type"] !== "enabled") return { type: asked["type"], ...display };
  return enabledFor(asked["budget_tokens"], request, display);
}

/** Without a budget reasoning has no cap. On a later turn a budget must not go out, nor may `enabled` without one (docs/behaviour/messages.md#thinking). */
function enabledFor(given: unknown, { messages, cleaned, cap }: ThinkingRequest, display: Json): Json | null {
  if (typeof given !== "number") return hasThoughtOrCalled(messages) ? null : { type: "adaptive", ...display };
  const budget = Math.min(given, cap - 1);
  return budget < budgetMin || lacksThinking(cleaned) ? null : { type: "enabled", budget_tokens: budget, ...display };
}

/** A null member is left out. */
function samplingFor(route: Pick<Route, "thinking">, body: Json, thinking: Json | null): Record<string, number | null> {
  const { temperature, top_p: topP } = body;
  if (route.thinking === "adaptive") return { temperature: null, top_p: null, top_k: null };
  const clamped = typeof temperature === "number" ? Math.min(temperature, 1) : null;
  if (thinking?.["type"] !== "enabled") return { temperature: clamped };
  // Beside thinking a model takes only the default temperature and a top_p of at least 0.95.
  return {
    temperature: clamped === 1 ? 1 : null,
    top_k: null,
    ...(typeof topP === "number" && topP < 0.95 ? { top_p: null } : {}),
  };
}
