// Messages as a real host reads them: neighbours of one role are one turn, a string is one text block.
import { isFields, type Fields } from "../request-fields.ts";

export interface Turn {
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
