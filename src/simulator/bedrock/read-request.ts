// Checks a Converse request as Bedrock does, and reads it as the message request that the same model would get from Anthropic.
import { parseJson } from "../../json/parse.ts";
import { type MessageRequest, readMessageRequest } from "../anthropic/read-request.ts";
import { type Fields, isFields, readFields, refuse } from "../request-fields.ts";

const fieldNames = new Set([
  ...["messages", "system", "inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields", "promptVariables"],
  ...["additionalModelResponseFieldPaths", "requestMetadata", "performanceConfig", "serviceTier", "outputConfig", "projectIdentifier"],
]);
const inferenceNames = new Set(["maxTokens", "temperature", "topP", "stopSequences"]);
const tokensMaxUsual = 4_096;

export interface ConverseRequest {
  message: MessageRequest;
  /** The answer says which sequence stopped it. */
  namesStop: boolean;
}

export function readConverseRequest(body: Buffer, model: string, stream: boolean): ConverseRequest {
  const fields = readFields(body);
  onlyNamed(fields, fieldNames, "");
  const inference = fieldsOf(fields["inferenceConfig"]);
  onlyNamed(inference, inferenceNames, "inferenceConfig.");
  const extra = fieldsOf(fields["additionalModelRequestFields"]);
  const output = outputOf(fieldsOf(fields["outputConfig"]));
  const { tools, toolChoice } = fieldsOf(fields["toolConfig"]);
  if (fields["toolConfig"] !== undefined && listOf(tools).length === 0)
    refuse("toolConfig", "toolConfig.tools: must have length at least 1");
  const message = given({
    ...{ model, stream, max_tokens: inference["maxTokens"] ?? tokensMaxUsual },
    ...{ temperature: inference["temperature"], top_p: inference["topP"], stop_sequences: inference["stopSequences"] },
    ...{ top_k: extra["top_k"], thinking: extra["thinking"] },
    system:
      fields["system"] === undefined ? undefined : marked(listOf(fields["system"]), (block) => ({ type: "text", text: block["text"] })),
    messages: listOf(fields["messages"]).map((turn) => ({ role: turn["role"], content: marked(listOf(turn["content"]), blockOf) })),
    tools: tools === undefined ? undefined : marked(listOf(tools), toolOf),
    tool_choice: choiceOf(fieldsOf(toolChoice)),
    output_config: Object.keys(output).length === 0 ? undefined : output,
  });
  const paths = fields["additionalModelResponseFieldPaths"];
  return {
    message: readMessageRequest(Buffer.from(JSON.stringify(message)), "2023-06-01", "answer"),
    namesStop: Array.isArray(paths) && paths.includes("/stop_sequence"),
  };
}

/** A cache point stands behind the block that it marks. */
function marked(items: Fields[], read: (item: Fields) => Fields): Fields[] {
  const blocks: Fields[] = [];
  for (const item of items) {
    if (!isFields(item["cachePoint"])) blocks.push(read(item));
    else if (blocks.length > 0)
      blocks[blocks.length - 1] = { ...blocks.at(-1), cache_control: given({ type: "ephemeral", ttl: item["cachePoint"]["ttl"] }) };
  }
  return blocks;
}

function blockOf(block: Fields): Fields {
  const [kind = ""] = Object.keys(block);
  if (Object.keys(block).length !== 1) refuse("messages", "ContentBlock object at messages.content must set one of its keys.");
  const value = fieldsOf(block[kind]);
  switch (kind) {
    case "text":
      if (block["text"] === "")
        refuse("messages", "The text field in the ContentBlock object is blank. Add text to the text field, and try again.");
      return { type: "text", text: block["text"] };
    case "image":
      return { type: "image", source: { type: "base64", media_type: `image/${String(value["format"])}`, data: bytesOf(value["source"]) } };
    case "document":
      return documentOf(value);
    case "searchResult":
      return {
        type: "search_result",
        source: value["source"],
        title: value["title"],
        content: listOf(value["content"]).map(({ text }) => ({ type: "text", text })),
      };
    case "toolUse":
      checkName(value["name"]);
      checkId(value["toolUseId"]);
      return { type: "tool_use", id: value["toolUseId"], name: value["name"], input: value["input"] };
    case "toolResult":
      checkId(value["toolUseId"]);
      return given({
        ...{ type: "tool_result", tool_use_id: value["toolUseId"], is_error: value["status"] === "error" ? true : undefined },
        content: listOf(value["content"]).map((part) =>
          "json" in part ? { type: "text", text: JSON.stringify(part["json"]) } : blockOf(part),
        ),
      });
    default:
      return refuse("messages", `Unknown parameter in messages.content: "${kind}"`);
  }
}

function documentOf({ format, name, source }: Fields): Fields {
  if (typeof name !== "string" || !/^(?:[A-Za-z0-9()[\]-]|\s(?!\s)){1,200}$/.test(name))
    refuse("messages", "The provided document name contains invalid characters.");
  const { text, bytes, content } = fieldsOf(source);
  if (typeof text === "string") return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
  if (Array.isArray(content))
    return {
      type: "document",
      source: { type: "content", content: listOf(content).map((part) => ({ type: "text", text: part["text"] })) },
    };
  if (typeof bytes !== "string") refuse("messages", "document.source: must set bytes, text, content or s3Location");
  const mediaType = format === "pdf" ? "application/pdf" : "text/plain";
  return { type: "document", source: { type: "base64", media_type: mediaType, data: bytes } };
}

function bytesOf(source: unknown): unknown {
  const { bytes } = fieldsOf(source);
  if (typeof bytes !== "string" || !/^[A-Za-z0-9+/]+={0,2}$/.test(bytes)) refuse("messages", "source.bytes: must be base64");
  return bytes;
}

function toolOf({ toolSpec }: Fields): Fields {
  const { name, description, inputSchema, strict } = fieldsOf(toolSpec);
  checkName(name);
  return given({ name, description, input_schema: fieldsOf(inputSchema)["json"], strict });
}

function choiceOf(choice: Fields): Fields | undefined {
  if ("any" in choice) return { type: "any" };
  if ("tool" in choice) return { type: "tool", name: fieldsOf(choice["tool"])["name"] };
  return "auto" in choice ? { type: "auto" } : undefined;
}

function outputOf({ textFormat, effort }: Fields): Fields {
  if (textFormat === undefined) return given({ effort });
  const { schema } = fieldsOf(fieldsOf(fieldsOf(textFormat)["structure"])["jsonSchema"]);
  if (typeof schema !== "string") refuse("outputConfig", "outputConfig.textFormat.structure.jsonSchema.schema: must be a string");
  return given({ effort, format: { type: "json_schema", schema: parseJson(schema) } });
}

function checkName(name: unknown): void {
  if (typeof name !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    refuse(
      "toolConfig",
      `Value '${String(name)}' at 'name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`,
    );
}

function checkId(id: unknown): void {
  if (typeof id !== "string" || !/^[a-zA-Z0-9_.:-]{1,64}$/.test(id))
    refuse(
      "messages",
      `Value '${String(id)}' at 'toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+`,
    );
}

function onlyNamed(fields: Fields, names: ReadonlySet<string>, where: string): void {
  const unknown = Object.keys(fields).find((name) => !names.has(name));
  if (unknown !== undefined) refuse(null, `The model returned the following errors: ${where}${unknown}: Extra inputs are not permitted`);
}

function given(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}
