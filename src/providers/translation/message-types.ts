// The Anthropic dialect's request as types: the known blocks, distinguished by `type`, and the check whether a block is one of them.
import type { components } from "../../../generated/api.d.ts";

type Schemas = components["schemas"];

/** Null members are removed before (src/language/messages/requirements.ts). */
export type WithoutNulls<Body> = { [Name in keyof Body]: Exclude<Body[Name], null> };

export type MessageRequest = WithoutNulls<Schemas["MessageRequest"]>;
export type MessageTool = Schemas["MessageTool"];
export type ImageBlock = Schemas["ImageBlock"];
export type DocumentBlock = Schemas["DocumentBlock"];
export type ToolUse = Schemas["ToolUseBlock"];
export type ToolResult = Schemas["ToolResultBlock"];

/** Without unknown blocks, whose `type` may be any text. */
export type KnownBlock =
  | Schemas["TextBlock"]
  | ImageBlock
  | DocumentBlock
  | Schemas["SearchResultBlock"]
  | Schemas["InputThinkingBlock"]
  | Schemas["RedactedThinkingBlock"]
  | ToolUse
  | ToolResult
  | Schemas["ToolReferenceBlock"];

const known: ReadonlySet<string> = new Set<KnownBlock["type"]>([
  "text",
  "image",
  "document",
  "search_result",
  "thinking",
  "redacted_thinking",
  "tool_use",
  "tool_result",
  "tool_reference",
]);

export function isKnown(block: { type: string }): block is KnownBlock {
  return known.has(block.type);
}

/** The blocks of a message, tool result or document: a plain text becomes one text block. */
export function blocksOf(content: string | readonly { type: string }[] | null | undefined): KnownBlock[] {
  if (content == null) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content.filter(isKnown);
}
