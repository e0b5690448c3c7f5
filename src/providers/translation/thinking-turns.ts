// The rule of the first turn (gateway-api.md, POST /v1/messages): a thinking budget goes out until the model has thought or called a tool.
import { arrayOf, objectOf } from "../json/read.ts";

/** Whether an assistant's turn of a message history thought or called tools. */
export function hasThoughtOrCalled(messages: readonly unknown[]): boolean {
  return messages.some((message) => {
    const { role, content } = objectOf(message);
    return role === "assistant" && arrayOf(content).some((block) => later.has(objectOf(block)["type"]));
  });
}

const later: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking", "tool_use"]);
