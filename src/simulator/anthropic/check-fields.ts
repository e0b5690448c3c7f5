// The fields a request may have and their plain types: a real host refuses what it doesn't know, by name.
import { type Fields, isFields, refuse } from "../request-fields.ts";

const shared =
  "model messages system tools tool_choice thinking output_config output_format cache_control context_management compaction mcp_servers speed " +
  "user_profile_id workspace_id";

export const countFields = new Set(shared.split(" "));

export const messageFields = new Set([
  ...countFields,
  ..."max_tokens stop_sequences stream temperature top_p top_k metadata service_tier container inference_geo diagnostics".split(" "),
]);

export function checkFields(fields: Fields, known: ReadonlySet<string>): void {
  onlyKnown(fields, known, "");
  const { stream, metadata, stop_sequences: stop, system, output_config: output } = fields;
  if (stream !== undefined && typeof stream !== "boolean") refuse("stream", "stream: Input should be a valid boolean");
  if (metadata !== undefined) {
    if (!isFields(metadata)) refuse("metadata", "metadata: Input should be a valid dictionary");
    onlyKnown(metadata, new Set(["user_id"]), "metadata.");
    const user = metadata["user_id"] ?? null;
    if (user !== null && typeof user !== "string") refuse("metadata.user_id", "metadata.user_id: Input should be a valid string");
    if (typeof user === "string" && user.length > 512)
      refuse("metadata.user_id", "metadata.user_id: String should have at most 512 characters");
  }
  if (stop !== undefined) checkStop(stop);
  if (system !== undefined) checkSystem(system);
  if (output !== undefined) checkOutput(output);
  checkCacheMarks(fields);
}

/** `where` ends in a dot, or is empty for the request itself. */
export function onlyKnown(fields: Fields, known: ReadonlySet<string>, where: string): void {
  for (const name of Object.keys(fields)) if (!known.has(name)) refuse(where + name, `${where}${name}: Extra inputs are not permitted`);
}

function checkStop(stop: unknown): void {
  if (!Array.isArray(stop)) refuse("stop_sequences", "stop_sequences: Input should be a valid list");
  for (const [index, sequence] of stop.entries()) {
    if (typeof sequence !== "string") refuse("stop_sequences", `stop_sequences.${index}: Input should be a valid string`);
    if (sequence.trim() === "") refuse("stop_sequences", "stop_sequences: each stop sequence must contain non-whitespace");
  }
}

function checkSystem(system: unknown): void {
  if (typeof system === "string") return;
  if (!Array.isArray(system)) refuse("system", "system: Input should be a valid list");
  for (const [index, block] of system.entries()) {
    if (!isFields(block) || block["type"] !== "text" || typeof block["text"] !== "string")
      refuse("system", `system.${index}: Input should be a text block`);
    if (block["text"].trim() === "") refuse("system", "system: text content blocks must be non-empty");
    onlyKnown(block, new Set(["type", "text", "cache_control", "citations"]), `system.${index}.`);
  }
}

function checkOutput(output: unknown): void {
  if (!isFields(output)) refuse("output_config", "output_config: Input should be a valid dictionary");
  onlyKnown(output, new Set(["effort", "format", "task_budget"]), "output_config.");
  const { effort, format } = output;
  if (effort !== undefined && effort !== null && !["low", "medium", "high", "xhigh", "max"].includes(effort as string))
    refuse("output_config.effort", "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
  if (format === undefined || format === null) return;
  if (!isFields(format) || format["type"] !== "json_schema" || !isFields(format["schema"]))
    refuse("output_config.format", "output_config.format: Input should be a json_schema with a schema");
  onlyKnown(format, new Set(["type", "schema"]), "output_config.format.");
  checkClosed(format["schema"]);
}

/** Objects of an output schema have to name all that they may hold. */
function checkClosed(schema: unknown): void {
  if (Array.isArray(schema)) schema.forEach(checkClosed);
  if (!isFields(schema)) return;
  const isObject = schema["type"] === "object" || (Array.isArray(schema["type"]) && schema["type"].includes("object"));
  if (isObject && schema["additionalProperties"] !== false) {
    const message = "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false";
    refuse("output_config.format.schema", message);
  }
  for (const [key, inner] of Object.entries(schema)) if (key !== "enum" && key !== "const" && key !== "default") checkClosed(inner);
}

function checkCacheMarks({ system, tools, messages }: Fields): void {
  const marks = JSON.stringify([system, tools, messages]).split('"cache_control":{').length - 1;
  if (marks > 4) refuse("cache_control", `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`);
}

// The tools a request brings and the choice among them, as a real host checks them.

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
