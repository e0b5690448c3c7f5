// How large the prompt of a message request is: every text that a model reads, its images, and its documents.
import { isObject, objectOf } from "../../providers/json/read.ts";
import { blocksOf, type DocumentBlock, type KnownBlock, type MessageTool } from "../../providers/translation/message-types.ts";
import { addBeside, besideTexts, fileBytes, type PromptParts, type PromptSize, sizeOf } from "../prompt-size.ts";

interface MessageFields {
  messages: readonly { role: string; content: string | readonly { type: string }[] }[];
  system?: string | readonly { type: string }[];
  tools?: readonly MessageTool[];
  output_config?: { format?: unknown } | null;
}

/** Fields that are counted here, that no host puts into the prompt, or that reach none. */
const unreadFields: ReadonlySet<string> = new Set([
  ...[
    "messages",
    "system",
    "tools",
    "output_config",
    "model",
    "stream",
    "stop_sequences",
    "thinking",
    "tool_choice",
    "metadata",
    "routing",
  ],
  ...["service_tier", "context_management", "compaction", "cache_control", "container", "mcp_servers", "thread"],
]);

export function messageSize(body: MessageFields): PromptSize {
  const { messages, system, tools, output_config } = body;
  const parts = { texts: [] as string[], messages: 0, images: 0, ...besideTexts(body, unreadFields) };
  if (system !== undefined) addMessage("system", system, parts);
  for (const { role, content } of messages) addMessage(role, content, parts);
  if (tools !== undefined && tools.length > 0) {
    const shown = JSON.stringify(tools.map(({ name, description, input_schema }) => ({ name, description, input_schema })));
    parts.texts.push(shown);
    // Upstreams of the same dialect get the rest of a tool as well, and their models may read it (`input_examples`).
    parts.bytes += Buffer.byteLength(JSON.stringify(tools)) - Buffer.byteLength(shown);
  }
  if (output_config?.format != null) parts.texts.push(JSON.stringify(output_config.format));
  return sizeOf(parts);
}

function addMessage(role: string, content: string | readonly { type: string }[], parts: Required<PromptParts>): void {
  parts.messages += 1;
  parts.texts.push(role);
  for (const block of blocksOf(content)) addBlock(block, parts);
}

function addBlock(block: KnownBlock, parts: Required<PromptParts>): void {
  addBeside(block, parts);
  switch (block.type) {
    case "text":
      return void parts.texts.push(block.text);
    case "thinking":
      return void parts.texts.push(block.thinking);
    case "redacted_thinking":
      return void (parts.bytes += Buffer.byteLength(block.data));
    case "image":
      return void (parts.images += 1);
    case "tool_use":
    case "server_tool_use":
      return void parts.texts.push(block.id, block.name, JSON.stringify(block.input));
    case "tool_result":
      parts.texts.push(block.tool_use_id);
      return addMessage("tool", block.content ?? [], parts); // most models read it as a separate message
    case "web_search_tool_result":
    case "web_fetch_tool_result":
      return addFound(block.content, parts);
    case "compaction":
      return void (parts.bytes += Buffer.byteLength(JSON.stringify(block)));
    case "tool_reference":
      return void parts.texts.push(block.tool_name);
    case "search_result":
      parts.texts.push(block.source, block.title);
      for (const { text } of block.content) parts.texts.push(text);
      return;
    case "document":
      return addDocument(block, parts);
  }
}

/** A page is text; of another document that a provider fetched the size says nothing, as of one that was sent. */
function addFound(content: unknown, parts: Required<PromptParts>): void {
  const { source } = objectOf(objectOf(content)["content"]);
  parts.bytes += Buffer.byteLength(JSON.stringify(content) ?? "");
  if (isObject(source) && source["type"] !== "text") parts.bytes += fileBytes;
}

function addDocument({ source, title, context }: DocumentBlock, parts: Required<PromptParts>): void {
  for (const text of [title, context]) if (text != null) parts.texts.push(text);
  if (source.type === "text") parts.texts.push(source.data);
  else if (source.type === "content") for (const block of blocksOf(source.content)) addBlock(block, parts);
  else {
    parts.images += 1;
    parts.bytes += fileBytes;
  }
}
