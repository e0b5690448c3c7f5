// Translates a chat request into Cohere's v2 chat (docs/behaviour/providers.md#cohere). The history goes through the Anthropic dialect's
// translation first, which puts every tool call's result right after it; fields that Cohere doesn't know are left out.
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { plainText, refuse, shown } from "../translation/chat-to-message-content.ts";
import { messageHistory } from "../translation/chat-to-message-history.ts";
import { shareOfEffort } from "../translation/message-types.ts";

/** `outputMax`: the output cap where the request has none. Throws UpstreamError("rejected") where Cohere can't express the request. */
export function cohereRequest(chat: Json, model: string, outputMax: number): Json {
  if (typeof chat["n"] === "number" && chat["n"] > 1) refuse("n", "This model gives one answer a request: n must be 1.");
  if (isObject(chat["web_search_options"])) refuse("web_search_options", "This model does not search the web here.");
  const caps = [chat["max_tokens"], chat["max_completion_tokens"]].filter((cap) => typeof cap === "number");
  const cap = caps.length === 0 ? outputMax : Math.min(...caps);
  const { system, messages } = messageHistory(arrayOf(chat["messages"]));
  const instruction = plainText(system);
  return {
    model,
    messages: [...(instruction === "" ? [] : [{ role: "system", content: instruction }]), ...messages.flatMap(cohereMessages)],
    ...(chat["stream"] === true ? { stream: true } : {}),
    max_tokens: cap,
    ...cohereTools(chat),
    ...answerForm(objectOf(chat["response_format"])),
    ...stopSequences(chat["stop"]),
    ...cohereSampling(chat),
    ...thinkingOf(chat, cap),
  };
}

/** The most that Cohere takes. */
const stopsMax = 5;

function stopSequences(stop: unknown): Json {
  const given = (typeof stop === "string" ? [stop] : arrayOf(stop)).filter((text) => textOf(text) !== null);
  return given.length === 0 ? {} : { stop_sequences: given.slice(0, stopsMax) };
}

/** The names there, and the bounds that other hosts don't have. */
const samplingFields = {
  temperature: { name: "temperature", min: 0, max: 1 },
  top_p: { name: "p", min: 0.01, max: 0.99 },
  top_k: { name: "k", min: 0, max: 500 },
  frequency_penalty: { name: "frequency_penalty", min: 0, max: 1 },
  presence_penalty: { name: "presence_penalty", min: 0, max: 1 },
  seed: { name: "seed", min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

/** Of the two penalties only one may be set. */
export function cohereSampling(chat: Json): Json {
  const fitted = Object.entries(samplingFields).flatMap(([key, { name, min, max }]): [string, number][] => {
    const value = chat[key];
    return typeof value === "number" ? [[name, Math.min(Math.max(value, min), max)]] : [];
  });
  const fields: Json = Object.fromEntries(fitted);
  if (fields["frequency_penalty"] !== undefined) delete fields["presence_penalty"];
  return fields;
}

function answerForm(asked: Json): Json {
  if (asked["type"] !== "json_object" && asked["type"] !== "json_schema") return {};
  const { schema } = objectOf(asked["json_schema"]);
  return { response_format: { type: "json_object", ...(isObject(schema) ? { json_schema: schema } : {}) } };
}

/** A budget wins over an effort, the object over the plain field; without either the model decides. */
function thinkingOf(chat: Json, cap: number): Json {
  const reasoning = objectOf(chat["reasoning"]);
  const budget = reasoning["max_tokens"];
  const effort = textOf(reasoning["effort"]) ?? textOf(chat["reasoning_effort"]);
  if (typeof budget === "number") return { thinking: { type: "enabled", token_budget: Math.min(budget, cap - 1) } };
  if (effort === "none" || effort === "minimal") return { thinking: { type: "disabled" } };
  const share = effort === null ? undefined : shareOfEffort.get(effort);
  return share === undefined ? {} : { thinking: { type: "enabled", token_budget: Math.floor(cap * share) } };
}

// Tools of a chat request and tool_choice: which tool is called can only be said by leaving the others out.

function cohereTools(chat: Json): Json {
  const functions = arrayOf(chat["functions"]).map((called) => ({ type: "function", function: called })); // the older form
  const tools = [...arrayOf(chat["tools"]), ...functions].map((tool, index) => readTool(tool, `tools[${index}]`));
  const { choice, only } = readChoice(chat["tool_choice"] ?? chat["function_call"]);
  const allowed = only === null ? tools : tools.filter(({ function: { name } }) => only.has(String(name)));
  if (allowed.length === 0) return {};
  return { tools: allowed, ...(choice === null ? {} : { tool_choice: choice }) };
}

function readTool(tool: unknown, where: string) {
  const { type, function: called } = objectOf(tool);
  if (type !== "function" || !isObject(called)) refuse(where, `This model cannot use tools of type ${shown(type)}.`);
  const description = textOf(called["description"]);
  const parameters = isObject(called["parameters"]) ? called["parameters"] : {};
  return {
    type,
    function: {
      name: called["name"],
      ...(description === null ? {} : { description }),
      parameters: { type: "object", properties: {}, ...parameters },
    },
  };
}

interface Choice {
  /** Null: the model decides. */
  choice: "REQUIRED" | "NONE" | null;
  /** Names of the tools that may be called; null: all. */
  only: ReadonlySet<string> | null;
}

const words: Readonly<Record<string, Choice["choice"]>> = { auto: null, none: "NONE", required: "REQUIRED", any: "REQUIRED" };

function readChoice(given: unknown): Choice {
  if (typeof given === "string") {
    const choice = words[given];
    return choice === undefined ? refuse("tool_choice", "tool_choice must be auto, none or required.") : { choice, only: null };
  }
  if (!isObject(given)) return { choice: null, only: null };
  if (given["type"] === "allowed_tools") {
    const { mode, tools } = objectOf(given["allowed_tools"] ?? given);
    const names = arrayOf(tools).map((tool) => nameIn(objectOf(tool)));
    return { choice: mode === "required" ? "REQUIRED" : null, only: new Set(names.filter((name) => name !== null)) };
  }
  const name = nameIn(given);
  return name === null ? refuse("tool_choice", "tool_choice names no function.") : { choice: "REQUIRED", only: new Set([name]) };
}

function nameIn(choice: Json): string | null {
  return textOf(objectOf(choice["function"])["name"]) ?? textOf(choice["name"]);
}

// The conversation as Cohere's messages: results of tools are messages of their own.

function cohereMessages({ role, content }: Json): Json[] {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : arrayOf(content).map(objectOf);
  if (role === "assistant") return [assistantMessage(blocks)];
  const results = blocks.filter(({ type }) => type === "tool_result");
  const media = results.flatMap((result) => arrayOf(result["content"]).map(objectOf)).filter(({ type }) => type !== "text");
  const parts = [...media, ...blocks].flatMap(partsOf);
  const [only] = parts;
  const said = parts.length === 1 && only!["type"] === "text" ? only!["text"] : parts;
  return [...results.map(toolMessage), ...(parts.length === 0 ? [] : [{ role: "user", content: said }])];
}

function assistantMessage(blocks: readonly Json[]): Json {
  const text = blocks.reduce((sum, { type, text: said }) => sum + (type === "text" && typeof said === "string" ? said : ""), "");
  const calls = blocks.flatMap(({ type, id, name, input }) =>
    type === "tool_use" ? [{ id, type: "function", function: { name, arguments: JSON.stringify(input) } }] : [],
  );
  return { role: "assistant", ...(text === "" ? {} : { content: text }), ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function toolMessage({ tool_use_id: id, content }: Json): Json {
  return { role: "tool", tool_call_id: id, content: plainText(content) };
}

function partsOf({ type, text, source }: Json): Json[] {
  if (type === "text") return textOf(text) === null || String(text).trim() === "" ? [] : [{ type: "text", text }];
  if (type !== "image" && type !== "document") return [];
  const { type: kind, media_type: mediaType, data, url } = objectOf(source);
  if (kind === "text") return [{ type: "text", text: data }];
  if (type === "document") return refuse("messages", "This model reads files as text or images only.");
  return [{ type: "image_url", image_url: { url: kind === "url" ? url : `data:${String(mediaType)};base64,${String(data)}` } }];
}
