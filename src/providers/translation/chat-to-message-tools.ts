// Tools of a chat request and the choice among them, in Anthropic's dialect (WIRE.md 7).
import { arrayOf, isObject, objectOf, textOf, type Json } from "../json/read.ts";
import { refuse, shown } from "./chat-to-message-content.ts";
import { closeSchema } from "./chat-to-message-schema.ts";

/** Members of the request; none where it brings no tools. */
export function messageTools(chat: Json): Json {
  const choice = readChoice(chat);
  const functions = arrayOf(chat["functions"]).map((called) => ({ type: "function", function: called })); // the older form
  const tools = [...arrayOf(chat["tools"]), ...functions].map((tool, index) => readTool(tool, `tools[${index}]`));
  const { only } = choice;
  const allowed = only === null ? tools : tools.filter(({ name }) => only.has(String(name)));
  if (allowed.length === 0) return {};
  const parallel = chat["parallel_tool_calls"] === false && choice.told?.["type"] !== "none" ? { disable_parallel_tool_use: true } : {};
  const told = choice.told ?? (Object.keys(parallel).length > 0 ? { type: "auto" } : null);
  return { tools: allowed, ...(told === null ? {} : { tool_choice: { ...told, ...parallel } }) };
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
  /** Null: nothing is said, which means auto. */
  told: Json | null;
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
    return { told: words.get(choice) ?? refuse("tool_choice", "tool_choice is none of auto, none and required."), only: null };
  if (!isObject(choice)) return { told: null, only: null };
  if (choice["type"] === "allowed_tools") {
    const { mode, tools } = objectOf(choice["allowed_tools"] ?? choice);
    const names = arrayOf(tools).map((tool) => nameIn(objectOf(tool)));
    return { told: mode === "required" ? { type: "any" } : { type: "auto" }, only: new Set(names.filter((name) => name !== null)) };
  }
  const name = nameIn(choice);
  if (name === null) refuse("tool_choice", "tool_choice names no function.");
  return { told: { type: "tool", name }, only: null };
}

function nameIn(choice: Json): string | null {
  return textOf(objectOf(choice["function"])["name"]) ?? textOf(choice["name"]);
}
