// Builds the upstream request of a message call: the caller's JSON text with only those members edited that a Claude upstream would
// refuse, or that need state between calls. The language room withholds those that change the price.
import { arrayOf, isObject, type Json, objectOf, parseLong } from "../json/read.ts";
import { type JsonText, spliceJson, wholeOf } from "../json/splice.ts";
import { hasThoughtOrCalled } from "../translation/message-types.ts";
import { jsonRequest } from "../transport/json.ts";
import type { UpstreamRequest } from "../transport/types.ts";
import type { Route } from "../types.ts";
import type { MessageCall } from "../verbs/messages.ts";

export function messageRequest(call: MessageCall): UpstreamRequest {
  return { ...jsonRequest(call, "/messages", fitBody(call), call.stream), headers: betaHeader(call.betas) };
}

/** They refer to state that one provider holds. */
const stateful = ["container", "mcp_servers"] as const;

type Edits = Record<string, string | null>;

/** The body as a Claude upstream takes it, whichever protocol carries it. */
export function fitBody({ body: text, route, outputMax }: Pick<MessageCall, "body" | "route" | "outputMax">): JsonText {
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
    ...Object.fromEntries(stateful.filter((key) => key in body).map((key) => [key, null])),
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

// Cleans the messages of a request for a Claude upstream (docs/behaviour/translation.md#edge-cases): no earlier thinking, no empty
// blocks, a user turn first. Only whole blocks are dropped; those that stay are not changed.

/** Replaces a user turn without content, which the upstream would refuse. */
const placeholder = "(no content)";

/** Returns the same array where nothing had to change. */
export function cleanMessages(messages: readonly unknown[]): readonly unknown[] {
  const cleaned = messages.map(cleanMessage).filter((message) => message !== null);
  const last = cleaned.at(-1);
  if (objectOf(last)["role"] === "assistant") cleaned[cleaned.length - 1] = withoutTrailingSpace(last as Json);
  if (objectOf(cleaned[0])["role"] === "assistant" || cleaned.length === 0) cleaned.unshift({ role: "user", content: placeholder });
  const same = cleaned.length === messages.length && cleaned.every((message, index) => message === messages[index]);
  return same ? messages : cleaned;
}

/** Whether `enabled` thinking would be refused: the last assistant turn calls tools or is to be continued, and has no thinking. */
function lacksThinking(cleaned: readonly unknown[]): boolean {
  const last = cleaned.findLastIndex((message) => objectOf(message)["role"] === "assistant");
  return last !== -1 && (last === cleaned.length - 1 || blocksOf(cleaned[last], "assistant").some(({ type }) => type === "tool_use"));
}

/** Definitions of the tools that the history calls, for a request without tools: Claude requires them. */
function toolsOfHistory(messages: readonly unknown[]): Json[] {
  const calls = messages.flatMap((message) => blocksOf(message, "assistant")).filter(({ type }) => type === "tool_use");
  const names = new Set(calls.map(({ name }) => name).filter((name) => typeof name === "string"));
  return [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}

/** Drops blank text blocks; undefined where nothing is left. */
function cleanSystem(system: unknown): unknown {
  if (typeof system === "string") return isBlank(system) ? undefined : system;
  if (!Array.isArray(system)) return system;
  const said = system.filter((block) => !isEmptyText(block));
  if (said.length === 0) return undefined;
  return said.length === system.length ? system : said;
}

function blocksOf(message: unknown, role: string): Json[] {
  const { role: own, content } = objectOf(message);
  return own === role && Array.isArray(content) ? content.filter(isObject) : [];
}

/** Null drops an assistant turn that is now empty; its neighbours become one turn. */
function cleanMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { role, content } = message;
  if (typeof content === "string") return isBlank(content) ? emptied(message) : message;
  if (!Array.isArray(content)) return message;
  const kept = content.map(cleanBlock).filter((block) => block !== null && !(role === "assistant" && isThinking(block)));
  if (kept.length === 0) return emptied(message);
  return kept.length === content.length && kept.every((block, index) => block === content[index]) ? message : { ...message, content: kept };
}

function emptied(message: Json): Json | null {
  return message["role"] === "user" ? { ...message, content: placeholder } : null;
}

function cleanBlock(block: unknown): unknown {
  if (isEmptyText(block)) return null;
  if (!isObject(block) || block["type"] !== "tool_result") return block;
  if (block["content"] === null) return withoutContent(block);
  if (!Array.isArray(block["content"])) return block;
  const said = block["content"].filter((part) => !isEmptyText(part));
  return said.length === block["content"].length ? block : { ...block, content: said };
}

/** Removes a null `content`: the caller means "not given", which the dialect can't express as null. */
function withoutContent({ content: _, ...block }: Json): Json {
  return block;
}

/** Ours carry an empty signature, and another's may come from another provider. */
function isThinking(block: unknown): boolean {
  const { type } = objectOf(block);
  return type === "thinking" || type === "redacted_thinking";
}

function isEmptyText(block: unknown): boolean {
  const { type, text } = objectOf(block);
  return type === "text" && typeof text === "string" && isBlank(text);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Older models refuse trailing white space in a text that they are to continue. */
function withoutTrailingSpace(message: Json): Json {
  const { content } = message;
  if (typeof content === "string") return trimmed(message, "content", content);
  const last: unknown = Array.isArray(content) ? content.at(-1) : null;
  if (!isObject(last) || last["type"] !== "text" || typeof last["text"] !== "string") return message;
  const block = trimmed(last, "text", last["text"]);
  return block === last ? message : { ...message, content: [...(content as unknown[]).slice(0, -1), block] };
}

function trimmed(holder: Json, key: string, text: string): Json {
  const cut = text.trimEnd();
  return cut === text ? holder : { ...holder, [key]: cut };
}
