// What a chat message must have by its role: something said, and for a tool's result the call that it answers. The form of each field
// is checked at the edge.
import { fail, failParameter } from "../../errors/fail.ts";

interface ChatMessage {
  role: string;
  content?: unknown;
  tool_call_id?: string | null;
  name?: unknown;
}

/** An assistant's turn may be its calls alone, and the older `function` role says null. */
const maySayNothing = new Set(["assistant", "function"]);

/** Names the call of a result. Without it a host can only guess, or takes the result for words of the user. */
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
