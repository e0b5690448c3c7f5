// The conversation of a message request as chat messages (WIRE.md 7, column B, and 9).
import { UpstreamError } from "../types.ts";
import { type ChatPart, contentOf, partsOf } from "./message-parts.ts";
import { blocksOf, type KnownBlock, type MessageRequest, type ToolResult, type ToolUse } from "./message-types.ts";
import type { ToolNames } from "./tool-names.ts";

export type ChatMessage = Record<string, unknown> & { role: "system" | "user" | "assistant" | "tool" };

type Turn = { role: "user" | "assistant" | "system"; blocks: KnownBlock[] };

export function chatMessages({ system, messages }: Pick<MessageRequest, "system" | "messages">, names: ToolNames): ChatMessage[] {
  const last = messages.at(-1);
  // WIRE.md 9: hosts of this family differ in what they make of it, and most would begin a new answer instead of going on.
  if (last?.role === "assistant") {
    throw new UpstreamError("rejected", "this model cannot continue an assistant message: the conversation must end with a user message", {
      param: `messages[${messages.length - 1}]`,
    });
  }
  const turns = messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) }));
  let called = new Set<string>();
  const said = mergeResults(turns).flatMap((turn) => {
    const messages = turnMessages(turn, names, called);
    if (turn.role !== "system") called = callsOf(turn);
    return messages;
  });
  return [...systemMessages(blocksOf(system)), ...said];
}

function callsOf({ role, blocks }: Turn): Set<string> {
  return new Set(role === "assistant" ? blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) : []);
}

/** Some clients spread the results of parallel calls over several user messages; an upstream wants them together. */
function mergeResults(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  let results: Turn | null = null; // the last turn, where it is a user's with results
  for (const turn of turns) {
    const answers = turn.role === "user" && turn.blocks.some(isResult);
    if (answers && results !== null) for (const block of turn.blocks) results.blocks.push(block);
    else merged.push(turn);
    if (!answers) results = null;
    else results ??= turn;
  }
  return merged;
}

function turnMessages({ role, blocks }: Turn, names: ToolNames, called: ReadonlySet<string>): ChatMessage[] {
  if (role === "system") return systemMessages(blocks);
  return role === "user" ? userMessages(blocks, called) : assistantMessages(blocks, names);
}

/** Claude Code's note to Anthropic's billing: it differs with every request, which would spoil every prompt cache. */
const attribution = "x-anthropic-billing-header:";

function systemMessages(blocks: readonly KnownBlock[]): ChatMessage[] {
  const texts = textsOf(blocks).filter((text) => !text.startsWith(attribution));
  return texts.length === 0 ? [] : [{ role: "system", content: texts.join("\n\n") }];
}

/**
 * Results come first, each as a message of its own; what they show beside text follows the last of them. What answers no call of
 * the turn before (`called`) is said as text: hosts refuse it as a result.
 */
function userMessages(blocks: readonly KnownBlock[], called: ReadonlySet<string>): ChatMessage[] {
  const results = blocks.filter(isResult);
  const shown: ChatPart[] = [];
  const tools: ChatMessage[] = [];
  for (const result of results) {
    const message = toolMessage(result, shown);
    if (called.has(result.tool_use_id)) tools.push(message);
    else shown.push({ type: "text", text: String(message["content"]) });
  }
  const parts = [...shown, ...blocks.flatMap(partsOf)];
  return parts.length === 0 && tools.length > 0 ? tools : [...tools, { role: "user", content: contentOf(parts) }];
}

/** A tool's message is text alone for most hosts: everything else is put into `shown`. */
function toolMessage({ tool_use_id, content, is_error }: ToolResult, shown: ChatPart[]): ChatMessage {
  const texts = blocksOf(content)
    .flatMap(partsOf)
    .map((part) => {
      if (part.type === "text") return part.text;
      shown.push(part);
      return part.type === "file" ? "[document returned by tool]" : "[image returned by tool]";
    });
  return { role: "tool", tool_call_id: tool_use_id, content: `${is_error === true ? "Error: " : ""}${texts.join("\n")}` };
}

/** Thinking of earlier turns stays behind: hosts of this family ignore or refuse it. */
function assistantMessages(blocks: readonly KnownBlock[], names: ToolNames): ChatMessage[] {
  const text = textsOf(blocks).join("");
  const calls = blocks.filter((block) => block.type === "tool_use").map((call) => toolCall(call, names));
  if (calls.length > 0) return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }];
  return text === "" ? [] : [{ role: "assistant", content: text }];
}

function toolCall({ id, name, input }: ToolUse, names: ToolNames) {
  return { id, type: "function", function: { name: names.short(name), arguments: JSON.stringify(input) } };
}

function textsOf(blocks: readonly KnownBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === "text" && block.text !== "" ? [block.text] : []));
}

function isResult(block: KnownBlock): block is ToolResult {
  return block.type === "tool_result";
}
