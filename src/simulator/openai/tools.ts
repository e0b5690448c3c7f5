// Which tools an answer calls, and with which arguments.
// The rule has no state: after a tool's result comes text, so a client's loop ends. README.md says it in words.
import { sampleSchema, type Schema } from "../schema-sample.ts";
import { madeUpId, type Random } from "../seed.ts";
import { countTokens, splitTokens } from "../tokens.ts";
import type { ChatRequest } from "./chat-request.ts";
import { isFields, type Fields } from "./request-fields.ts";
import { refuse } from "../refused.ts";

export interface ToolCall {
  id: string;
  name: string;
  nameTokens: number;
  argumentTokens: string[];
}

interface Tool {
  name: string;
  parameters: Schema;
}

export function callTools(request: ChatRequest, random: Random, choice: number): ToolCall[] {
  const chosen = chooseTools(request);
  const calls = request.fields["parallel_tool_calls"] === false ? chosen.slice(0, 1) : chosen;
  return calls.map(({ name, parameters }, index) => ({
    id: madeUpId("call_", `${request.seed}:${choice}:${index}`),
    name,
    nameTokens: countTokens(name),
    argumentTokens: splitTokens(JSON.stringify(sampleSchema(parameters, random))),
  }));
}

function chooseTools({ fields, messages, userText }: ChatRequest): Tool[] {
  const tools = readTools(fields["tools"]);
  const choice = fields["tool_choice"] ?? "auto";
  const lastRole = messages.at(-1)?.["role"];
  if (tools.length === 0 || choice === "none" || lastRole === "tool" || lastRole === "function") return [];
  if (isFields(choice)) return chooseNamed(tools, choice, userText);
  const mentioned = findMentioned(tools, userText);
  if (choice === "required" || choice === "any") return mentioned.length > 0 ? mentioned : tools.slice(0, 1);
  return mentioned;
}

/** `{type: "function", function: {name}}`, or `{type: "allowed_tools", allowed_tools: {mode, tools}}`. */
function chooseNamed(tools: Tool[], choice: Fields, userText: string): Tool[] {
  if (isFields(choice["allowed_tools"])) {
    const { mode, tools: listed } = choice["allowed_tools"];
    const names = readTools(listed).map(({ name }) => name);
    const allowed = tools.filter(({ name }) => names.includes(name));
    const mentioned = findMentioned(allowed, userText);
    return mode === "required" && mentioned.length === 0 ? allowed.slice(0, 1) : mentioned;
  }
  const name = isFields(choice["function"]) ? choice["function"]["name"] : choice["name"];
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) refuse("tool_choice", `Tool choice '${String(name)}' isn't among 'tools'.`);
  return [tool];
}

/** Every tool whose full name stands in the message; else the first that shares a word with it, or that "use tool" asks for. */
function findMentioned(tools: Tool[], userText: string): Tool[] {
  const said = userText.toLowerCase();
  const named = tools.filter(({ name }) => names(said, name.toLowerCase()));
  if (named.length > 0) return named;
  const hinted =
    tools.find(({ name }) => wordsOf(name).some((word) => said.includes(word))) ??
    (/\buse (a |the )?tools?\b/.test(said) ? tools[0] : undefined);
  return hinted === undefined ? [] : [hinted];
}

/** The whole name, not a part of a longer word. */
function names(said: string, name: string): boolean {
  for (let at = said.indexOf(name); at !== -1; at = said.indexOf(name, at + 1)) {
    if (!/[\w-]/.test(said[at - 1] ?? " ") && !/[\w-]/.test(said[at + name.length] ?? " ")) return true;
  }
  return false;
}

/** `get_current_weather` and `getCurrentWeather` are about "current" and "weather"; shorter words say too little. */
function wordsOf(name: string): string[] {
  const words = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.filter((word) => word.length >= 4);
}

function readTools(tools: unknown): Tool[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    const described = isFields(tool) && isFields(tool["function"]) ? tool["function"] : null;
    if (described === null || typeof described["name"] !== "string") return [];
    const parameters = isFields(described["parameters"]) ? described["parameters"] : {};
    return [{ name: described["name"], parameters: { type: "object", ...parameters } }];
  });
}
