// The tools a request brings and the choice among them, as a real host checks them.
import { refuse } from "../refused.ts";
import { isFields, type Fields } from "../request-fields.ts";
import { onlyKnown } from "./check-fields.ts";

const toolFields = new Set(
  "type name description input_schema strict cache_control eager_input_streaming defer_loading input_examples allowed_callers".split(" "),
);
const choiceFields = new Set(["type", "name", "disable_parallel_tool_use"]);
export const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

export function checkTools({ tools, tool_choice: choice }: Fields): void {
  if (tools !== undefined && !Array.isArray(tools)) refuse("tools", "tools: Input should be a valid list");
  const list = (tools ?? []) as unknown[];
  const names = list.map(checkTool);
  if (new Set(names).size < names.length) refuse("tools", "tools: Tool names must be unique.");
  if (choice !== undefined) checkChoice(choice, names);
}

/** Its name. */
function checkTool(tool: unknown, index: number): string {
  const where = `tools.${index}`;
  if (!isFields(tool)) refuse(where, `${where}: Input should be a valid dictionary`);
  const { name, type, input_schema: schema } = tool;
  if (typeof name !== "string") refuse(`${where}.name`, `${where}.custom.name: Field required`);
  // Server tools have fields of their own.
  if (type !== undefined && type !== null && type !== "custom") return name;
  if (!toolName.test(name)) refuse(`${where}.name`, `${where}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  onlyKnown(tool, toolFields, `${where}.custom.`);
  if (!isFields(schema)) refuse(`${where}.input_schema`, `${where}.custom.input_schema: Field required`);
  if (schema["type"] === undefined) refuse(`${where}.input_schema`, `${where}.custom.input_schema.type: Field required`);
  if (schema["type"] !== "object") refuse(`${where}.input_schema`, `${where}.custom.input_schema.type: Input should be 'object'`);
  const { description } = tool;
  if (description !== undefined && typeof description !== "string")
    refuse(`${where}.description`, `${where}.custom.description: Input should be a valid string`);
  return name;
}

function checkChoice(choice: unknown, names: string[]): void {
  if (!isFields(choice)) refuse("tool_choice", "tool_choice: Input should be a valid dictionary or object to extract fields from");
  const { type, name } = choice;
  if (!["auto", "any", "tool", "none"].includes(type as string))
    refuse("tool_choice", "tool_choice: Input tag does not match any of the expected tags: 'auto', 'any', 'tool', 'none'");
  onlyKnown(choice, choiceFields, "tool_choice.");
  if (names.length === 0) refuse("tool_choice", "tool_choice: tool_choice may only be specified while providing tools.");
  if (type === "none" && "disable_parallel_tool_use" in choice)
    refuse("tool_choice", "tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted");
  if (type === "tool" && !names.includes(name as string)) refuse("tool_choice", `Tool '${String(name)}' not found in provided tools`);
  if (type !== "tool" && name !== undefined) refuse("tool_choice", `tool_choice.${String(type)}.name: Extra inputs are not permitted`);
}
