// One content block of a message: its type, its fields, and whether its role may say it.
import { refuse } from "../refused.ts";
import { isFields, type Fields } from "../request-fields.ts";
import { onlyKnown } from "./check-fields.ts";
import { toolName } from "./check-tools.ts";
import { isOurRedacted, isOurSignature } from "./signature.ts";

/** Who may say a block, and the fields it has beside `type`. */
const known: Record<string, { roles: string[]; fields: string[] }> = {
  text: { roles: ["user", "assistant", "system"], fields: ["text", "cache_control", "citations"] },
  image: { roles: ["user"], fields: ["source", "cache_control", "transformations"] },
  document: { roles: ["user"], fields: ["source", "title", "context", "citations", "cache_control"] },
  search_result: { roles: ["user"], fields: ["source", "title", "content", "citations", "cache_control"] },
  thinking: { roles: ["assistant"], fields: ["thinking", "signature"] },
  redacted_thinking: { roles: ["assistant"], fields: ["data"] },
  tool_use: { roles: ["assistant"], fields: ["id", "name", "input", "cache_control", "caller", "toolset_name"] },
  tool_result: { roles: ["user"], fields: ["tool_use_id", "content", "is_error", "cache_control", "toolset_name"] },
};

const imageTypes = ["image/jpeg", "image/png", "image/gif", "image/webp"];
const toolId = /^[a-zA-Z0-9_-]+$/;

export function checkBlock(block: unknown, role: string, where: string): void {
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
