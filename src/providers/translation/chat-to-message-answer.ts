// Translates a whole chat answer into a message of the Anthropic dialect (docs/behaviour/translation.md#stop-reasons, messages.md#answers).
import { randomUUID } from "node:crypto";
import type { components } from "../../../generated/api.d.ts";
import { parseExact } from "../json/exact-numbers.ts";
import { isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { nestsTooDeep } from "../json/scan.ts";
import { unreadable } from "../transport/json-answer.ts";
import type { ChatWhole } from "../verbs/chat.ts";
import type { MessageEnd, MessageWhole } from "../verbs/messages.ts";
import type { ToolNames } from "./tool-names.ts";

type OutputBlock = components["schemas"]["OutputBlock"];

/** What the answer depends on in the request. */
export interface AskedMessage {
  /** The model id that the answer must name. */
  model: string;
  names: ToolNames;
  stopSequences: readonly string[];
  /** False where the caller wants no thinking in the answer. */
  showsThinking: boolean;
}

export function chatToMessage({ completion, usage }: ChatWhole, asked: AskedMessage): MessageWhole {
  const choice = completion.choices.find(({ index }) => index === 0) ?? completion.choices[0];
  if (choice === undefined) throw unreadable("the answer has no choices");
  const { message } = choice;
  const thought = textOf(message.reasoning_content);
  const thinking = asked.showsThinking ? thought : null;
  const refusal = textOf(message.refusal);
  const texts = [textOf(message.content), refusal].filter((text) => text !== null);
  const given = message.tool_calls ?? [];
  const calls = given.map((call) => toolUse(call, asked.names)).filter((call) => call !== null);
  const content: OutputBlock[] = [
    ...(thinking === null ? [] : [{ type: "thinking" as const, thinking, signature: "" }]),
    ...texts.map((text) => ({ type: "text" as const, text })),
    ...calls,
  ];
  const end = messageEnd(
    {
      finish: choice.finish_reason,
      stoppedBy: choice["stop_reason"],
      refused: refusal !== null,
      calls: calls.length > 0,
      whole: calls.length === given.length,
    },
    asked.stopSequences,
  );
  return {
    kind: "whole",
    usage,
    message: { id: newMessageId(), type: "message", role: "assistant", model: asked.model, content, ...end },
    ...(thinking === thought ? {} : { hiddenCharacters: thought?.length ?? 0 }),
  };
}

export function newMessageId(): string {
  return `msg_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

/** Null where the arguments are not an object: a tool must not run with half of them. */
function toolUse(call: Json, names: ToolNames): Extract<OutputBlock, { type: "tool_use" }> | null {
  const { name, arguments: text } = objectOf(call["function"]);
  const input = argumentsOf(String(text));
  return input === null ? null : { type: "tool_use", id: String(call["id"]), name: names.full(String(name)), input };
}

function argumentsOf(text: string): Json | null {
  if (nestsTooDeep(text)) return null;
  try {
    const value = parseExact(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

// Stop reasons of the Anthropic dialect for the OpenAI dialect's finish reasons.

export interface ChatEnd {
  finish: unknown;
  /** The stop sequence that vLLM and others report beside the finish reason. */
  stoppedBy: unknown;
  refused: boolean;
  /** Whether any tool is called. */
  calls: boolean;
  /** Whether the arguments of every call are complete. */
  whole: boolean;
}

export function messageEnd({ finish, stoppedBy, refused, calls, whole }: ChatEnd, stopSequences: readonly string[]): MessageEnd {
  // Helpers read incomplete arguments as {} and would run the tool: such an answer must not look complete.
  if (finish === "length" || !whole) return { stop_reason: "max_tokens", stop_sequence: null };
  if (finish === "content_filter" || refused) return { stop_reason: "refusal", stop_sequence: null };
  if (calls) return { stop_reason: "tool_use", stop_sequence: null };
  if (typeof stoppedBy === "string" && stopSequences.includes(stoppedBy)) return { stop_reason: "stop_sequence", stop_sequence: stoppedBy };
  return { stop_reason: "end_turn", stop_sequence: null };
}
