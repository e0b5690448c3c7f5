// What a chat message must have by its role: content, and for a tool's result the id of its call. The edge has checked each field's type.
import { fail, failParameter } from "../../errors/fail.ts";

interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string | null;
  name?: unknown;
}

/** An assistant's message may hold tool calls alone; the older `function` role allows null. */
const maySayNothing = new Set(["assistant", "function"]);

/** The field that names the call of a result. Without it an upstream can only guess, or takes the result for the user's words. */
const answeredBy: Readonly<Record<string, "tool_call_id" | "name">> = { tool: "tool_call_id", function: "name" };

export function assertMessages(messages: readonly ChatMessage[]): void {
  messages.forEach((message, index) => {
    const { role, content } = message;
    const names = answeredBy[role];
    if (names !== undefined && message[names] == null) failMissing(`messages[${index}].${names}`);
    if (content != null || maySayNothing.has(role)) return;
    const param = `messages[${index}].content`;
    if (content === undefined) failMissing(param);
    failParameter(param, "it must be a string or an array");
  });
}

function failMissing(param: string): never {
  return fail("missing_parameter", { param, text: { param } });
}
