// The history a request brings: roles, blocks, and every call of a tool with its one result.
// Worded as a real host words it, since clients match on the words (docs/behaviour/messages.md#agents).
import type { Directives } from "../directive-list.ts";
import { type Fields, isFields, refuse } from "../request-fields.ts";
import { onlyKnown, toolName } from "./check-fields.ts";
import { isOurRedacted, isOurSignature } from "./signature.ts";

export function checkMessages(fields: Fields, directives: Directives): Fields[] {
  const { messages, tools } = fields;
  if (messages === undefined) refuse("messages", "messages: Field required");
  if (!Array.isArray(messages)) refuse("messages", "messages: Input should be a valid list");
  if (messages.length === 0) refuse("messages", "messages: at least one message is required");
  for (const [index, message] of messages.entries()) checkMessage(message, index, index === messages.length - 1);
  const list = messages as Fields[];
  if (list[0]!["role"] !== "user") refuse("messages", 'messages: first message must use the "user" role');
  const turns = mergeTurns(list);
  checkPairs(turns);
  const last = turns.at(-1)!;
  if (last.role === "assistant" && directives.adaptiveOnly)
    refuse("messages", "This model does not support assistant message prefill. The conversation must end with a user message.");
  const usesTools = turns.some(({ blocks }) => blocks.some(({ type }) => type === "tool_use" || type === "tool_result"));
  if (usesTools && !(Array.isArray(tools) && tools.length > 0))
    refuse("tools", "Requests which have `tool_use` or `tool_result` blocks in their messages must define tools.");
  return list;
}

function checkMessage(message: unknown, index: number, isLast: boolean): void {
  const where = `messages.${index}`;
  if (!isFields(message)) refuse(where, `${where}: Input should be a valid dictionary`);
  onlyKnown(message, new Set(["role", "content"]), `${where}.`);
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "system")
    refuse(where, `messages: Unexpected role "${String(role)}". Allowed roles are "user", "assistant" or "system".`);
  const isPrefill = isLast && role === "assistant";
  if (content === undefined) refuse(where, `${where}.content: Field required`);
  if (typeof content === "string") {
    if (content === "" && !isPrefill) refuse(where, `${where}: ${role} messages must have non-empty content`);
    if (content !== "" && content.trim() === "") refuse(where, "messages: text content blocks must contain non-whitespace text");
    if (isPrefill && /\s$/.test(content)) refuse(where, "messages: final assistant content cannot end with trailing whitespace");
    return;
  }
  if (!Array.isArray(content)) refuse(where, `${where}.content: Input should be a valid list`);
  if (content.length === 0 && !isPrefill)
    refuse(where, `${where}: all messages must have non-empty content except for the optional final assistant message`);
  for (const [at, block] of content.entries()) checkBlock(block, role, `${where}.content.${at}`);
  const ending: unknown = content.at(-1);
  if (isPrefill && isFields(ending) && typeof ending["text"] === "string" && /\s$/.test(ending["text"]))
    refuse(where, "messages: final assistant content cannot end with trailing whitespace");
}

/** Every tool_use has exactly one tool_result, in the very next turn and before all else there. */
function checkPairs(turns: readonly Turn[]): void {
  let open: string[] = [];
  const seen = new Set<string>();
  for (const [position, turn] of turns.entries()) {
    const results = turn.role === "user" ? checkResults(turn, open) : new Set<string>();
    const missing = open.filter((id) => !results.has(id));
    if (missing.length > 0) refuseUnanswered(turns[position - 1]!, missing);
    open = turn.blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    for (const id of open) {
      if (seen.has(id)) refuse("messages", `messages.${turn.at}.content: \`tool_use\` ids must be unique`);
      seen.add(id);
    }
  }
  if (open.length > 0) refuseUnanswered(turns.at(-1)!, open);
}

function checkResults({ blocks, at }: Turn, open: readonly string[]): Set<string> {
  const results = new Set<string>();
  let isPast = false;
  for (const [index, block] of blocks.entries()) {
    if (block["type"] !== "tool_result") {
      isPast = true;
      continue;
    }
    const id = String(block["tool_use_id"]);
    const where = `messages.${at}.content.${index}`;
    if (!open.includes(id)) {
      const rule = "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.";
      refuse("messages", `${where}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ${rule}`);
    }
    if (results.has(id))
      refuse("messages", `${where}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`);
    if (isPast) refuse("messages", `${where}: \`tool_result\` blocks must come before all other content of a message.`);
    results.add(id);
  }
  return results;
}

function refuseUnanswered({ at }: Turn, ids: readonly string[]): never {
  const found = `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(", ")}.`;
  refuse("messages", `${found} Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`);
}

// One content block of a message: its type, its fields, and whether its role may say it.

/** Who may say a block, and the fields it has beside `type`. */
const known: Record<string, { roles: string[]; fields: string[] }> = {
  text: { roles: ["user", "assistant", "system"], fields: ["text", "cache_control", "citations"] },
  image: { roles: ["user"], fields: ["source", "cache_control", "transformations"] },
  document: { roles: ["user"], fields: ["source", "title", "context", "citations", "cache_control"] },
  search_result: { roles: ["user"], fields: ["source", "title", "content", "citations", "cache_control"] },
  thinking: { roles: ["assistant"], fields: ["thinking", "signature"] },
  redacted_thinking: { roles: ["assistant"], fields: ["data"] },
  compaction: { roles: ["assistant"], fields: ["content", "encrypted_content", "signature", "tool_changes", "cache_control"] },
  tool_use: { roles: ["assistant"], fields: ["id", "name", "input", "cache_control", "caller", "toolset_name"] },
  tool_result: { roles: ["user"], fields: ["tool_use_id", "content", "is_error", "cache_control", "toolset_name"] },
};

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const toolId = /^[a-zA-Z0-9_-]+$/;

function checkBlock(block: unknown, role: string, where: string): void {
  if (!isFields(block)) refuse(where, `${where}: Input should be a valid dictionary or object to extract fields from`);
  const type = String(block["type"]);
  // Server tools have blocks of their own; what is in them is no translator's work.
  if (/^(server_|mcp_|web_|code_|bash_|text_editor_|container_|tool_search_)/.test(type)) return;
  const rule = known[type];
  if (rule === undefined) {
    const tags = Object.keys(known)
      .map((tag) => `'${tag}'`)
      .join(", ");
    refuse(where, `${where}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${tags}`);
  }
  if (!rule.roles.includes(role)) refuse(where, `${where}: \`${type}\` blocks are not permitted in ${role} messages`);
  onlyKnown(block, new Set(["type", ...rule.fields]), `${where}.${type}.`);
  if (type === "text") checkText(block, where);
  if (type === "image") checkImage(block["source"], where);
  if (type === "document") checkDocument(block["source"], where);
  if (type === "tool_use") checkToolUse(block, where);
  if (type === "tool_result") checkToolResult(block, where);
  if (type === "thinking") checkThought(block, where);
  if (type === "redacted_thinking" && !isOurRedacted(block["data"]))
    refuse(where, `${where}: Invalid \`data\` in \`redacted_thinking\` block`);
}

function checkText({ text }: Fields, where: string): void {
  if (typeof text !== "string") refuse(where, `${where}.text.text: Input should be a valid string`);
  if (text === "") refuse(where, "messages: text content blocks must be non-empty");
  if (text.trim() === "") refuse(where, "messages: text content blocks must contain non-whitespace text");
}

function checkImage(source: unknown, where: string): void {
  const given: Fields = isFields(source) ? source : {};
  if (given["type"] === "file") return;
  if (given["type"] === "url") return checkUrl(given["url"], `${where}.image.source.url`);
  if (given["type"] !== "base64")
    refuse(where, `${where}.image.source: Input tag does not match any of the expected tags: 'base64', 'url', 'file'`);
  if (!imageTypes.includes(String(given["media_type"])))
    refuse(where, `${where}.image.source.base64.media_type: Input should be ${imageTypes.map((name) => `'${name}'`).join(", ")}`);
  checkBase64(given["data"], `${where}.image.source.base64.data`);
}

function checkDocument(source: unknown, where: string): void {
  const given: Fields = isFields(source) ? source : {};
  const { type, media_type: mediaType, data } = given;
  if (type === "url") return checkUrl(given["url"], `${where}.document.source.url`);
  if (!["base64", "text", "content", "file"].includes(String(type)))
    refuse(
      where,
      `${where}.document.source: Input tag does not match any of the expected tags: 'base64', 'text', 'content', 'url', 'file'`,
    );
  if (type === "base64") {
    if (mediaType !== "application/pdf") refuse(where, `${where}.document.source.base64.media_type: Input should be 'application/pdf'`);
    checkBase64(data, `${where}.document.source.base64.data`);
  }
  if (type === "text" && (mediaType !== "text/plain" || typeof data !== "string"))
    refuse(where, `${where}.document.source.text: Input should be 'text/plain' with data`);
}

function checkUrl(url: unknown, where: string): void {
  if (typeof url !== "string" || !url.startsWith("https://")) refuse(where, `${where}: Only HTTPS URLs are supported.`);
}

function checkBase64(data: unknown, where: string): void {
  if (typeof data !== "string" || data === "" || !/^[A-Za-z0-9+/]*={0,2}$/.test(data)) refuse(where, `${where}: Invalid base64 data`);
}

function checkToolUse({ id, name, input }: Fields, where: string): void {
  if (typeof id !== "string" || !toolId.test(id)) refuse(where, `${where}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (typeof name !== "string" || !toolName.test(name))
    refuse(where, `${where}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  if (!isFields(input)) refuse(where, `${where}.tool_use.input: Input should be a valid dictionary`);
}

function checkToolResult({ tool_use_id: id, content, is_error: failed }: Fields, where: string): void {
  if (typeof id !== "string" || !toolId.test(id))
    refuse(where, `${where}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
  if (failed !== undefined && failed !== null && typeof failed !== "boolean")
    refuse(where, `${where}.tool_result.is_error: Input should be a valid boolean`);
  if (content === undefined || typeof content === "string") return;
  if (!Array.isArray(content)) refuse(where, `${where}.tool_result.content: Input should be a valid list`);
  for (const [index, block] of content.entries()) {
    const inner = `${where}.tool_result.content.${index}`;
    const type = isFields(block) ? String(block["type"]) : "";
    if (type === "tool_reference") continue;
    if (!["text", "image", "search_result", "document"].includes(type))
      refuse(where, `${inner}: Input tag does not match any of the expected tags`);
    checkBlock(block, "user", inner);
  }
}

function checkThought({ thinking, signature }: Fields, where: string): void {
  if (typeof thinking !== "string") refuse(where, `${where}.thinking.thinking: Field required`);
  if (typeof signature !== "string") refuse(where, `${where}.thinking.signature: Field required`);
  if (!isOurSignature(signature, thinking)) refuse(where, `${where}: Invalid \`signature\` in \`thinking\` block`);
}

// Messages as a real host reads them: neighbours of one role are one turn, a string is one text block.

interface Turn {
  role: string;
  /** The position of its first message. */
  at: number;
  blocks: Fields[];
}

export function mergeTurns(messages: readonly Fields[]): Turn[] {
  const turns: Turn[] = [];
  for (const [at, message] of messages.entries()) {
    const role = String(message["role"]);
    const blocks = contentBlocks(message["content"]);
    const before = turns.at(-1);
    if (before?.role === role) before.blocks.push(...blocks);
    else turns.push({ role, at, blocks: [...blocks] });
  }
  return turns;
}

function contentBlocks(content: unknown): Fields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content.filter(isFields) : [];
}
