// Translates a chat request into the Anthropic dialect (docs/behaviour/translation.md#requests). Fields that Anthropic doesn't know are
// left out, because it refuses them. The anthropic adapter drops what a Claude upstream refuses in its own dialect (blank texts, thinking
// beside forced tools …).
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { Route } from "../types.ts";
import { refuse, shown } from "./chat-to-message-content.ts";
import { messageHistory } from "./chat-to-message-history.ts";
import { effortOfBudget, shareOfEffort } from "./message-types.ts";
import { shortId } from "./tool-names.ts";

interface ChatTranslation {
  route: Pick<Route, "thinking">;
  /** The output cap where the request has none. */
  outputMax: number;
}

/** Throws UpstreamError("rejected") where the other dialect can't express the request. */
export function chatToMessageRequest(chat: Json, { route, outputMax }: ChatTranslation): Json {
  if (typeof chat["n"] === "number" && chat["n"] > 1) refuse("n", "This model gives one answer a request: n must be 1.");
  if (isObject(chat["web_search_options"])) refuse("web_search_options", "This model searches the web on /v1/messages only.");
  const caps = [chat["max_tokens"], chat["max_completion_tokens"]].filter((cap) => typeof cap === "number");
  const maxTokens = caps.length === 0 ? outputMax : Math.min(...caps);
  const history = messageHistory(arrayOf(chat["messages"]));
  const { format, sentence } = answerForm(objectOf(chat["response_format"]));
  const { thinking, effort } = messageThinking(chat, route, maxTokens);
  const outputConfig = { ...(effort === null ? {} : { effort }), ...(format === null ? {} : { format }) };
  const system = withSentence(history.system, sentence);
  return {
    model: chat["model"],
    max_tokens: maxTokens,
    ...(chat["stream"] === true ? { stream: true } : {}),
    ...(system === null ? {} : { system }),
    messages: history.messages,
    ...messageTools(chat),
    ...(thinking === null ? {} : { thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...stopSequences(chat["stop"]),
    ...sampling(chat),
    ...userOf(chat),
  };
}

/** A temperature above 1 becomes 1; penalties, seed, bias and log probabilities don't exist there. */
function sampling(chat: Json): Json {
  const given = (["temperature", "top_p", "top_k"] as const).filter((key) => typeof chat[key] === "number");
  return Object.fromEntries(given.map((key) => [key, key === "temperature" ? Math.min(Number(chat[key]), 1) : chat[key]]));
}

function stopSequences(stop: unknown): Json {
  const given = typeof stop === "string" ? [stop] : arrayOf(stop);
  const kept = given.filter((text) => typeof text === "string" && text.trim() !== "");
  return kept.length === 0 ? {} : { stop_sequences: kept };
}

/** Anthropic's maximum length. */
const userMax = 256;

function userOf(chat: Json): Json {
  const user = textOf(chat["user"]) ?? textOf(chat["safety_identifier"]);
  return user === null ? {} : { metadata: { user_id: shortId(user, userMax) } };
}

const jsonOnly = "Answer with one valid JSON object only, without any text around it.";

function answerForm(asked: Json): { format: Json | null; sentence: string | null } {
  if (asked["type"] === "json_object") return { format: null, sentence: jsonOnly };
  if (asked["type"] !== "json_schema") return { format: null, sentence: null };
  const { schema } = objectOf(asked["json_schema"]);
  // Without a schema any JSON object is valid.
  if (!isObject(schema)) return { format: null, sentence: jsonOnly };
  return { format: { type: "json_schema", schema: closeSchema(schema) }, sentence: null };
}

function withSentence(system: string | Json[] | null, sentence: string | null): string | Json[] | null {
  if (sentence === null) return system;
  if (system === null) return sentence;
  return typeof system === "string" ? `${system}\n${sentence}` : [...system, { type: "text", text: sentence }];
}

// Reasoning controls of a chat request as Claude's thinking (docs/behaviour/translation.md#reasoning): effort for the newer generation, a
// budget for the older. The anthropic adapter drops budgets that are too small.

interface MessageThinking {
  thinking: Json | null;
  /** For output_config. */
  effort: string | null;
}

/** A budget wins over an effort, the object over the plain field. */
function messageThinking(chat: Json, route: Pick<Route, "thinking">, cap: number): MessageThinking {
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

/** Newer models refuse budgets. */
function ofBudget(budget: number, route: Pick<Route, "thinking">, cap: number): MessageThinking {
  if (route.thinking === "budget") return { thinking: { type: "enabled", budget_tokens: budget }, effort: null };
  return { thinking: { type: "adaptive" }, effort: effortOfBudget(budget, cap) };
}

// Tools of a chat request and tool_choice in the Anthropic dialect.

/** Members for the request; empty without tools. */
function messageTools(chat: Json): Json {
  const choice = readChoice(chat);
  const functions = arrayOf(chat["functions"]).map((called) => ({ type: "function", function: called })); // the older form
  const tools = [...arrayOf(chat["tools"]), ...functions].map((tool, index) => readTool(tool, `tools[${index}]`));
  const { only } = choice;
  const allowed = only === null ? tools : tools.filter(({ name }) => only.has(String(name)));
  if (allowed.length === 0) return {};
  const parallel = chat["parallel_tool_calls"] === false && choice.chosen?.["type"] !== "none" ? { disable_parallel_tool_use: true } : {};
  const chosen = choice.chosen ?? (Object.keys(parallel).length > 0 ? { type: "auto" } : null);
  return { tools: allowed, ...(chosen === null ? {} : { tool_choice: { ...chosen, ...parallel } }) };
}

function readTool(tool: unknown, where: string): Json {
  const { type, function: called, cache_control } = objectOf(tool);
  if (type !== "function" || !isObject(called)) refuse(where, `This model cannot use tools of type ${shown(type)}.`);
  const cached = cache_control ?? called["cache_control"];
  const description = textOf(called["description"]);
  const strict = called["strict"] === true;
  const schema = inputSchema(called["parameters"]);
  return {
    name: called["name"],
    ...(description === null ? {} : { description }),
    input_schema: strict ? closeSchema(schema) : schema,
    ...(strict ? { strict } : {}),
    ...(isObject(cached) ? { cache_control: cached } : {}),
  };
}

function inputSchema(parameters: unknown): Json {
  if (!isObject(parameters) || Object.keys(parameters).length === 0) return { type: "object", properties: {} };
  return parameters["type"] === "object" ? parameters : { ...parameters, type: "object" };
}

interface Choice {
  /** Null leaves tool_choice out, which means auto. */
  chosen: Json | null;
  /** Names of the tools that may be called; null: all. */
  only: Set<string> | null;
}

const words: ReadonlyMap<string, Json> = new Map(
  Object.entries({
    auto: { type: "auto" },
    none: { type: "none" },
    required: { type: "any" },
    any: { type: "any" },
  }),
);

function readChoice(chat: Json): Choice {
  const choice = chat["tool_choice"] ?? chat["function_call"];
  if (typeof choice === "string")
    return { chosen: words.get(choice) ?? refuse("tool_choice", "tool_choice must be auto, none or required."), only: null };
  if (!isObject(choice)) return { chosen: null, only: null };
  if (choice["type"] === "allowed_tools") {
    const { mode, tools } = objectOf(choice["allowed_tools"] ?? choice);
    const names = arrayOf(tools).map((tool) => nameIn(objectOf(tool)));
    return { chosen: mode === "required" ? { type: "any" } : { type: "auto" }, only: new Set(names.filter((name) => name !== null)) };
  }
  const name = nameIn(choice);
  if (name === null) refuse("tool_choice", "tool_choice names no function.");
  return { chosen: { type: "tool", name }, only: null };
}

function nameIn(choice: Json): string | null {
  return textOf(objectOf(choice["function"])["name"]) ?? textOf(choice["name"]);
}

// A JSON Schema as Claude takes it for structured output (docs/behaviour/translation.md#edge-cases): objects closed, and unsupported
// keywords moved into the description.

const unsupported = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
];

/** Members that hold schemas by name, a list of schemas, and one schema. */
const named = new Set(["properties", "$defs", "definitions"]);
const listed = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const single = new Set(["items", "not"]);

/** The reader of the request's JSON bounds the depth. */
function closeSchema(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const closed: Json = {};
  const said: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (unsupported.includes(key) && !isFewItems(key, value)) said.push(`${key}: ${JSON.stringify(value)}`);
    else if (named.has(key) && isObject(value))
      closed[key] = Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, closeSchema(inner)]));
    else if (listed.has(key)) closed[key] = arrayOf(value).map(closeSchema);
    else if (single.has(key)) closed[key] = closeSchema(value);
    else closed[key] = value;
  }
  if (said.length > 0) closed["description"] = [textOf(closed["description"]), `(${said.join(", ")})`].filter(Boolean).join(" ");
  const { type } = closed;
  if (type === "object" || (Array.isArray(type) && type.includes("object"))) closed["additionalProperties"] = false;
  return closed;
}

/** The only bound of a list that Claude supports. */
function isFewItems(key: string, value: unknown): boolean {
  return key === "minItems" && (value === 0 || value === 1);
}
