// The Anthropic dialect's request as types: the known blocks, distinguished by `type`, and checks of blocks and turns.
import type { components } from "../../../generated/api.d.ts";
import { arrayOf, objectOf } from "../json/read.ts";

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
  | Schemas["ToolReferenceBlock"]
  | Schemas["ServerToolUseBlock"]
  | Schemas["WebSearchToolResultBlock"]
  | Schemas["WebFetchToolResultBlock"]
  | Schemas["CompactionBlock"];

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
  "server_tool_use",
  "web_search_tool_result",
  "web_fetch_tool_result",
  "compaction",
]);

export function isKnown(block: { type: string }): block is KnownBlock {
  return known.has(block.type);
}

/** The blocks of a message, tool result or document: a plain text becomes one text block. */
export function blocksOf(content: string | readonly { type: string }[] | null | undefined): KnownBlock[] {
  if (content == null) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content.filter(isKnown);
}

// The first-turn rule (docs/behaviour/messages.md#thinking): a thinking budget goes out until the model has thought or called a tool.

/** Whether any assistant turn of a message history has thinking or tool calls. */
export function hasThoughtOrCalled(messages: readonly unknown[]): boolean {
  return messages.some((message) => {
    const { role, content } = objectOf(message);
    return role === "assistant" && arrayOf(content).some((block) => later.has(objectOf(block)["type"]));
  });
}

const later: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking", "tool_use"]);

// The part of the output cap that each effort may think, for models that know only budgets.

/** The effort whose part of the cap is nearest to a budget, for models that know only efforts. */
export function effortOfBudget(budget: number, cap: number): "low" | "medium" | "high" {
  const share = budget / cap;
  return share <= 0.35 ? "low" : share <= 0.65 ? "medium" : "high";
}

export const shareOfEffort: ReadonlyMap<string, number> = new Map(
  Object.entries({ low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 }),
);
