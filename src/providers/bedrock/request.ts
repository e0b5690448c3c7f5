// Translates a message request of the Anthropic dialect, cleaned for a Claude upstream, into a Converse request. Pure. What a model of
// another vendor doesn't know is left out.
import { UpstreamError } from "../errors/upstream-error.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ToolNames } from "../translation/tool-names.ts";
import { shortId } from "../translation/tool-names.ts";

/** `names` remembers the tools' names that had to be shortened. */
export function converseRequest(message: Json, model: string, names: ToolNames): Json {
  const claude = mayBeClaude(model);
  const documents = { count: 0 };
  const stops = arrayOf(message["stop_sequences"]);
  return withoutEmpty({
    messages: arrayOf(message["messages"])
      .filter(isObject)
      .map((turn) => ({
        role: turn["role"],
        content: blocksOf(turn["content"]).flatMap((block) => contentOf(block, names, documents)),
      })),
    system: blocksOf(message["system"]).flatMap((block) => withCachePoint({ text: block["text"] }, block)),
    inferenceConfig: withoutEmpty({
      maxTokens: message["max_tokens"],
      temperature: message["temperature"],
      topP: message["top_p"],
      stopSequences: stops.length === 0 ? undefined : stops,
    }),
    toolConfig: toolConfig(message, names),
    outputConfig: outputConfig(objectOf(message["output_config"]), claude),
    additionalModelRequestFields: claude ? claudeFields(message) : undefined,
    // The answer itself doesn't say which sequence it was.
    additionalModelResponseFieldPaths: claude && stops.length > 0 ? ["/stop_sequence"] : undefined,
    serviceTier: isBedrockTier(message["service_tier"]) ? { type: message["service_tier"] } : undefined,
  });
}

function claudeFields(message: Json): Json {
  const thinking = objectOf(message["thinking"]);
  return withoutEmpty({
    top_k: message["top_k"],
    thinking: textOf(thinking["type"]) === null || thinking["type"] === "disabled" ? undefined : thinking,
  });
}

function outputConfig({ effort, format }: Json, claude: boolean): Json {
  const { schema } = objectOf(format);
  return withoutEmpty({
    effort: claude ? effort : undefined,
    textFormat: isObject(schema)
      ? { type: "json_schema", structure: { jsonSchema: { name: "response", schema: JSON.stringify(schema) } } }
      : undefined,
  });
}

/** Whether Bedrock has such a service tier; those that it has under other names are its default. */
export function isBedrockTier(tier: unknown): boolean {
  return tier === "priority" || tier === "flex" || tier === "reserved";
}

// Tools. There is no choice "none": the definitions are left out, unless the history needs them.

function toolConfig({ tools, tool_choice, messages }: Json, names: ToolNames): Json | undefined {
  const choice = objectOf(tool_choice);
  const given = arrayOf(tools).filter(isObject);
  if (given.length === 0 || (choice["type"] === "none" && !callsTools(messages))) return undefined;
  return withoutEmpty({ tools: given.flatMap((tool) => toolOf(tool, names)), toolChoice: choiceOf(choice, names) });
}

function callsTools(messages: unknown): boolean {
  return arrayOf(messages).some((message) =>
    blocksOf(objectOf(message)["content"]).some(({ type }) => type === "tool_use" || type === "tool_result"),
  );
}

function toolOf(tool: Json, names: ToolNames): Json[] {
  const { type, name, description, input_schema: schema, strict } = tool;
  if (type != null && type !== "custom") throw cannotCarry("tools that a provider runs itself");
  const spec = withoutEmpty({
    name: names.short(String(name)),
    description: textOf(description) ?? undefined,
    strict: strict === true ? true : undefined,
  });
  return withCachePoint({ toolSpec: { ...spec, inputSchema: { json: schema } } }, tool);
}

function choiceOf({ type, name }: Json, names: ToolNames): Json | undefined {
  if (type === "any") return { any: {} };
  return type === "tool" ? { tool: { name: names.short(String(name)) } } : undefined;
}

// The blocks of a turn.

/** Names of documents must differ and hold few characters; a caller's own could be read as instructions. */
interface Documents {
  count: number;
}

/** Longer ids are refused. */
const toolIdMax = 64;

function contentOf(block: Json, names: ToolNames, documents: Documents): Json[] {
  switch (block["type"]) {
    case "text":
      return withCachePoint({ text: block["text"] }, block);
    case "image":
      return withCachePoint(imageOf(block), block);
    case "document":
      return withCachePoint(documentOf(block, documents), block);
    case "search_result":
      return withCachePoint(searchResultOf(block), block);
    case "tool_use":
      return withCachePoint(
        { toolUse: { toolUseId: toolId(block["id"]), name: names.short(String(block["name"])), input: objectOf(block["input"]) } },
        block,
      );
    case "tool_result":
      return withCachePoint(
        {
          toolResult: {
            toolUseId: toolId(block["tool_use_id"]),
            content: blocksOf(block["content"]).map((part) => resultPart(part, documents)),
            ...(block["is_error"] === true ? { status: "error" } : {}),
          },
        },
        block,
      );
    case "server_tool_use":
    case "web_search_tool_result":
    case "web_fetch_tool_result":
      throw cannotCarry("calls of a provider's tools");
    case "compaction":
      throw cannotCarry("a provider's summaries");
    default:
      return [];
  }
}

function resultPart(part: Json, documents: Documents): Json {
  switch (part["type"]) {
    case "image":
      return imageOf(part);
    case "document":
      return documentOf(part, documents);
    case "search_result":
      return searchResultOf(part);
    case "tool_reference":
      return { text: `Found the tool ${String(part["tool_name"])}; it can be called.` };
    default:
      return { text: textOf(part["text"]) ?? "" };
  }
}

function imageOf(block: Json): Json {
  const { type, media_type: mediaType, data } = objectOf(block["source"]);
  if (type !== "base64") throw cannotCarry("an image at an address");
  return { image: { format: String(mediaType).replace(/^image\//, ""), source: { bytes: data } } };
}

function documentOf(block: Json, documents: Documents): Json {
  const { type, media_type: mediaType, data, content } = objectOf(block["source"]);
  documents.count += 1;
  const about = withoutEmpty({ name: `Document ${documents.count}`, context: aboutDocument(block) });
  if (type === "text") return { document: { ...about, format: "txt", source: { text: data } } };
  if (type === "content")
    return { document: { ...about, source: { content: blocksOf(content).map(({ text }) => ({ text: text ?? "" })) } } };
  if (type !== "base64") throw cannotCarry("a document at an address");
  return { document: { ...about, format: mediaType === "application/pdf" ? "pdf" : "txt", source: { bytes: data } } };
}

function aboutDocument({ title, context }: Json): string | undefined {
  const said = [title, context].filter((text) => typeof text === "string" && text !== "");
  return said.length === 0 ? undefined : said.join("\n");
}

function searchResultOf({ source, title, content }: Json): Json {
  return { searchResult: { source, title, content: blocksOf(content).map(({ text }) => ({ text: text ?? "" })) } };
}

/** A cache mark of the Anthropic dialect stands on a block, here behind it. */
function withCachePoint(block: Json, { cache_control: mark }: Json): Json[] {
  if (objectOf(mark)["type"] !== "ephemeral") return [block];
  const ttl = objectOf(mark)["ttl"] === "1h" ? { ttl: "1h" } : {};
  return [block, { cachePoint: { type: "default", ...ttl } }];
}

function toolId(id: unknown): string {
  return shortId(String(id).replace(/[^a-zA-Z0-9_.:-]/g, "_"), toolIdMax);
}

function blocksOf(content: unknown): Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ type: "text", text: content }];
  return arrayOf(content).filter(isObject);
}

/** Without undefined and null members and without empty objects and arrays. */
function withoutEmpty(fields: Json): Json {
  return Object.fromEntries(
    Object.entries(fields).filter(
      ([key, value]) => value != null && (key === "messages" || typeof value !== "object" || Object.keys(value).length > 0),
    ),
  );
}

/** A route of another protocol may carry it. */
function cannotCarry(what: string): UpstreamError {
  return new UpstreamError("gone", `this protocol cannot carry ${what}`);
}

// What a model's id says: whose model it is, and where it is called.

/** `us.anthropic.claude-…`, an ARN that ends so, `amazon.titan-…`; null for ids that name no vendor, such as an application's profile. */
export function vendorOf(model: string): string | null {
  const name = model.slice(model.lastIndexOf("/") + 1).replace(/^(?:us-gov|us|eu|apac|ap|jp|au|ca|global)\./, "");
  return /^([a-z0-9-]+)\.[a-z0-9]/.exec(name)?.[1] ?? null;
}

/** An id that names no vendor may well be a Claude model's. */
function mayBeClaude(model: string): boolean {
  const vendor = vendorOf(model);
  return vendor === null || vendor === "anthropic";
}

type Operation = "converse" | "converse-stream" | "invoke";

export function modelPath(model: string, operation: Operation): string {
  return `/model/${encodeURIComponent(model)}/${operation}`;
}
