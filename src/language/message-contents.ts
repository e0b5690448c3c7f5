// Which chat messages must say something (gateway-api.md: messages have `role` and `content`). The form of each field
// is checked at the edge; what depends on the role is checked here.
import { fail, failParameter } from "../fail.ts";

/** An assistant's turn may be its calls alone, and the older `function` role says null. */
const maySayNothing = new Set(["assistant", "function"]);

export function assertContents(messages: readonly { role: string; content?: unknown }[]): void {
  messages.forEach(({ role, content }, index) => {
    if (content != null || maySayNothing.has(role)) return;
    const param = `messages[${index}].content`;
    if (content === undefined) fail("missing_parameter", { param, text: { param } });
    failParameter(param, "it must be a string or an array");
  });
}
