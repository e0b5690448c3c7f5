// The first-turn rule (docs/behaviour/messages.md#thinking): a thinking budget goes out until the model has thought or called a tool.
import { arrayOf, objectOf } from "../json/read.ts";

/** Whether any assistant turn of a message history has thinking or tool calls. */
export function hasThoughtOrCalled(messages: readonly unknown[]): boolean {
  return messages.some((message) => {
    const { role, content } = objectOf(message);
    return role === "assistant" && arrayOf(content).some((block) => later.has(objectOf(block)["type"]));
  });
}

const later: ReadonlySet<unknown> = new Set(["thinking", "redacted_thinking", "tool_use"]);

// The part of the output cap that each effort may think, for models that know only budgets.

export const shareOfEffort: ReadonlyMap<string, number> = new Map(
  Object.entries({ low: 0.2, medium: 0.5, high: 0.8, xhigh: 0.9, max: 0.95 }),
);
