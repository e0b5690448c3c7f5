// The history a request brings: roles, blocks, and every call of a tool with its one result.
// Worded as a real host words it, since clients match on the words (docs/behaviour/messages.md#agents).
import type { Knobs } from "../knob-list.ts";
import { refuse } from "../refused.ts";
import { type Fields, isFields } from "../request-fields.ts";
import { checkBlock } from "./check-blocks.ts";
import { onlyKnown } from "./check-fields.ts";
import { mergeTurns, type Turn } from "./turns.ts";

export function checkMessages(fields: Fields, knobs: Knobs): Fields[] {
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
  if (last.role === "assistant" && knobs.adaptiveOnly)
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
