// The tools of an OpenAI chat: which of them an answer may call, by `tool_choice` and the last message.
// After a tool's result comes text, so a client's loop ends.
import { chooseTools, makeCalls, type Tool, type ToolCall } from "../called-tools.ts";
import { refuse } from "../refused.ts";
import { isFields, type Fields } from "../request-fields.ts";
import type { Random } from "../seed.ts";
import type { ChatRequest } from "./chat-request.ts";

export function callTools(request: ChatRequest, random: Random, choice: number): ToolCall[] {
  const chosen = chooseFrom(request);
  const called = request.fields["parallel_tool_calls"] === false ? chosen.slice(0, 1) : chosen;
  return makeCalls(called, "call_", `${request.seed}:${choice}`, random);
}

function chooseFrom({ fields, messages, userText }: ChatRequest): Tool[] {
  const tools = readTools(fields["tools"]);
  const choice = fields["tool_choice"] ?? "auto";
  const lastRole = messages.at(-1)?.["role"];
  if (tools.length === 0 || choice === "none" || lastRole === "tool" || lastRole === "function") return [];
  if (isFields(choice)) return chooseNamed(tools, choice, userText);
  return chooseTools(tools, userText, choice === "required" || choice === "any");
}

/** `{type: "function", function: {name}}`, or `{type: "allowed_tools", allowed_tools: {mode, tools}}`. */
function chooseNamed(tools: Tool[], choice: Fields, userText: string): Tool[] {
  if (isFields(choice["allowed_tools"])) {
    const { mode, tools: listed } = choice["allowed_tools"];
    const names = readTools(listed).map(({ name }) => name);
    const allowed = tools.filter(({ name }) => names.includes(name));
    return chooseTools(allowed, userText, mode === "required");
  }
  const name = isFields(choice["function"]) ? choice["function"]["name"] : choice["name"];
  const tool = tools.find((candidate) => candidate.name === name);
  if (tool === undefined) refuse("tool_choice", `Tool choice '${String(name)}' isn't among 'tools'.`);
  return [tool];
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
