// What a Gemini host takes of a request: known members of the right type, turns that alternate as it wants them. Anything else is a 400
// that names the field.
import type { Directives } from "../directive-list.ts";
import { type Fields, isFields, refuse } from "../request-fields.ts";

const members = (names: string) => new Set(names.split(" "));

const requestMembers = members(
  "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent serviceTier store model",
);
const contentMembers = members("role parts");
const partMembers = members(
  "text thought thoughtSignature inlineData fileData functionCall functionResponse executableCode codeExecutionResult videoMetadata " +
    "mediaResolution partMetadata toolCall toolResponse",
);
const configMembers = members(
  "stopSequences responseMimeType responseSchema responseJsonSchema responseModalities candidateCount maxOutputTokens temperature topP topK " +
    "seed presencePenalty frequencyPenalty responseLogprobs logprobs enableEnhancedCivicAnswers speechConfig thinkingConfig imageConfig " +
    "mediaResolution",
);
const thinkingMembers = members("includeThoughts thinkingBudget thinkingLevel");
const toolMembers = members(
  "functionDeclarations googleSearch googleSearchRetrieval codeExecution urlContext computerUse googleMaps fileSearch",
);
const declarationMembers = members("name description behavior parameters parametersJsonSchema response responseJsonSchema");
const callingMembers = members("mode allowedFunctionNames");

export function checkRequest(fields: Fields, directives: Directives): void {
  onlyKnown(fields, requestMembers, "");
  const { contents, systemInstruction: system, tools, toolConfig, generationConfig: config } = fields;
  if (!Array.isArray(contents) || contents.length === 0) refuse("contents", "* GenerateContentRequest.contents: contents is not specified");
  contents.forEach((content, index) => checkContent(content, `contents[${index}]`));
  checkTurns(contents as Fields[], directives);
  if (system !== undefined) checkContent(system, "system_instruction");
  if (tools !== undefined) checkTools(tools);
  if (toolConfig !== undefined) checkToolConfig(toolConfig);
  if (config !== undefined) checkConfig(config, directives);
}

function onlyKnown(fields: Fields, known: ReadonlySet<string>, where: string): void {
  for (const name of Object.keys(fields)) {
    if (known.has(name)) continue;
    const at = where === "" ? "" : ` at '${where}'`;
    refuse(name, `Invalid JSON payload received. Unknown name "${name}"${at}: Cannot find field.`);
  }
}

function objectAt(value: unknown, where: string): Fields {
  return isFields(value) ? value : refuse(where, `Invalid value at '${where}' (type.googleapis.com/google.protobuf.Struct)`);
}

function checkContent(value: unknown, where: string): void {
  const content = objectAt(value, where);
  onlyKnown(content, contentMembers, where);
  const { role, parts } = content;
  if (role !== undefined && role !== "user" && role !== "model") refuse(where, "Please use a valid role: user, model.");
  if (!Array.isArray(parts) || parts.length === 0)
    refuse(where, `* GenerateContentRequest.${where}.parts: contents.parts must not be empty.`);
  for (const [index, given] of parts.entries()) checkPart(given, `${where}.parts[${index}]`);
}

/** Exactly one of these is a part's data. */
const dataMembers = ["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"];

function checkPart(given: unknown, where: string): void {
  const part = objectAt(given, where);
  onlyKnown(part, partMembers, where);
  const data = dataMembers.filter((name) => name in part);
  if (data.length !== 1)
    refuse(where, `* GenerateContentRequest.${where}.data: required oneof field 'data' must have one initialized field`);
  const { text, inlineData, fileData, functionCall, functionResponse } = part;
  if (text !== undefined && typeof text !== "string") refuse(where, `Invalid value at '${where}.text' (TYPE_STRING)`);
  for (const [blob, names] of [
    [inlineData, ["mimeType", "data"]],
    [fileData, ["fileUri"]],
    [functionCall, ["name"]],
    [functionResponse, ["name"]],
  ] as const) {
    if (blob === undefined) continue;
    const named = objectAt(blob, where);
    for (const name of names)
      if (typeof named[name] !== "string" || named[name] === "")
        refuse(where, `* GenerateContentRequest.${where}: ${name} must not be empty.`);
  }
  if (functionResponse !== undefined) objectAt((functionResponse as Fields)["response"], `${where}.function_response.response`);
}

/** After calls come as many results, and at newer models the calls are signed. */
function checkTurns(contents: readonly Fields[], directives: Directives): void {
  if (contents.at(-1)!["role"] === "model") refuse("contents", "Please ensure that multiturn requests end with a user role.");
  for (const [index, content] of contents.entries()) {
    const calls = partsWith(content, "functionCall");
    const results = partsWith(content, "functionResponse");
    const before = index === 0 ? [] : partsWith(contents[index - 1]!, "functionCall");
    if (results.length !== before.length) {
      const message =
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
      refuse("contents", results.length > 0 && before.length === 0 ? misplaced : message);
    }
    const [first] = calls;
    if (directives.adaptiveOnly && first !== undefined && typeof first["thoughtSignature"] !== "string") {
      const name = String((first["functionCall"] as Fields)["name"]);
      refuse(
        "contents",
        `Function call is missing a thought_signature in functionCall parts. Function call \`${name}\`, position ${index}.`,
      );
    }
  }
}

const misplaced = "Please ensure that function response turn comes immediately after a function call turn.";

function partsWith({ parts }: Fields, name: string): Fields[] {
  return (parts as Fields[]).filter((part) => name in part);
}

function checkTools(tools: unknown): void {
  if (!Array.isArray(tools)) refuse("tools", "Invalid value at 'tools'");
  for (const [index, given] of tools.entries()) {
    const tool = objectAt(given, `tools[${index}]`);
    onlyKnown(tool, toolMembers, `tools[${index}]`);
    const declared: unknown = tool["functionDeclarations"] ?? [];
    if (!Array.isArray(declared)) refuse("tools", `Invalid value at 'tools[${index}].function_declarations'`);
    for (const [at, one] of declared.entries()) {
      const where = `tools[${index}].function_declarations[${at}]`;
      const declaration = objectAt(one, where);
      onlyKnown(declaration, declarationMembers, where);
      if (typeof declaration["name"] !== "string" || !/^[A-Za-z_][\w.:-]{0,127}$/.test(declaration["name"]))
        refuse(where, `* GenerateContentRequest.${where}.name: Invalid function name.`);
      if ("parameters" in declaration && "parametersJsonSchema" in declaration)
        refuse(where, `* GenerateContentRequest.${where}: only one of parameters and parameters_json_schema may be set.`);
    }
  }
}

function checkToolConfig(given: unknown): void {
  const config = objectAt(given, "tool_config");
  onlyKnown(config, members("functionCallingConfig retrievalConfig"), "tool_config");
  const calling = objectAt(config["functionCallingConfig"] ?? {}, "tool_config.function_calling_config");
  onlyKnown(calling, callingMembers, "tool_config.function_calling_config");
  const { mode = "AUTO", allowedFunctionNames: allowed } = calling;
  if (!["AUTO", "ANY", "NONE", "VALIDATED"].includes(mode as string))
    refuse("tool_config", `Invalid value at 'tool_config.function_calling_config.mode', ${JSON.stringify(mode)}`);
  if (allowed !== undefined && (mode === "AUTO" || mode === "NONE"))
    refuse("tool_config", "Please only set allowed function names when the function calling mode is ANY or VALIDATED.");
}

function checkConfig(given: unknown, directives: Directives): void {
  const config = objectAt(given, "generation_config");
  onlyKnown(config, configMembers, "generation_config");
  const {
    temperature = 0,
    topP = 0,
    stopSequences: stop = [],
    thinkingConfig,
    responseMimeType: type,
    responseJsonSchema: schema,
  } = config;
  if (typeof temperature !== "number" || temperature < 0 || temperature > 2)
    refuse("temperature", "* GenerateContentRequest.generation_config.temperature: temperature must be in the range [0.0, 2.0].");
  if (typeof topP !== "number" || topP < 0 || topP > 1)
    refuse("topP", "* GenerateContentRequest.generation_config.top_p: top_p must be in the range [0.0, 1.0].");
  if (!Array.isArray(stop) || stop.length > 5 || stop.some((text) => typeof text !== "string" || text === ""))
    refuse("stopSequences", "* GenerateContentRequest.generation_config.stop_sequences: at most 5 non-empty stop sequences are allowed.");
  if (schema !== undefined && type !== "application/json")
    refuse("responseJsonSchema", "* GenerateContentRequest.generation_config.response_mime_type: a schema needs application/json.");
  if (thinkingConfig === undefined) return;
  const thinking = objectAt(thinkingConfig, "generation_config.thinking_config");
  onlyKnown(thinking, thinkingMembers, "generation_config.thinking_config");
  const { thinkingBudget: budget, thinkingLevel: level } = thinking;
  if (budget !== undefined && level !== undefined) refuse("thinkingConfig", "You can only set one of thinking budget and thinking level.");
  if (level !== undefined && directives.budgetOnly) refuse("thinkingConfig", "Thinking level is not supported for this model.");
  if (level !== undefined && !["MINIMAL", "LOW", "MEDIUM", "HIGH"].includes(level as string))
    refuse("thinkingConfig", `Invalid value at 'generation_config.thinking_config.thinking_level', ${JSON.stringify(level)}`);
  if (budget !== undefined && (!Number.isInteger(budget) || Number(budget) < -1 || Number(budget) > 24_576))
    refuse("thinkingConfig", `The thinking budget ${JSON.stringify(budget)} is invalid. Please choose a value between 0 and 24576.`);
}
