// Translates a whole message into a chat completion. Signatures, redacted thinking and citations have no place there.
import { randomUUID } from "node:crypto";
import { textOf } from "../json/read.ts";
import type { ChatChoice, ChatWhole, FinishReason } from "../verbs/chat.ts";
import type { MessageEnd, MessageWhole } from "../verbs/messages.ts";

export function messageToChatAnswer({ message, usage }: MessageWhole, now: Date): ChatWhole {
  const { content } = message;
  const said = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const thought = content.flatMap((block) => (block.type === "thinking" ? [block.thinking] : [])).join("");
  const calls = content.flatMap((block) =>
    block.type === "tool_use"
      ? [{ id: block.id, type: "function", function: { name: block.name, arguments: JSON.stringify(block.input) } }]
      : [],
  );
  const text = said.length === 0 ? null : said.join("");
  const refused = message.stop_reason === "refusal";
  const answer: ChatChoice["message"] = {
    role: "assistant",
    content: refused ? null : text,
    refusal: refused ? text || refusalText(message) : null,
    ...(thought === "" ? {} : { reasoning_content: thought }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  const choice = { index: 0, message: answer, logprobs: null, finish_reason: chatFinish(message, calls.length > 0) };
  return {
    kind: "whole",
    usage,
    completion: { ...newChatIds(now), object: "chat.completion", model: message.model, choices: [choice] },
  };
}

/** A new id: one of the Anthropic dialect would look odd in this one. */
export function newChatIds(now: Date): { id: string; created: number } {
  return { id: `chatcmpl-${randomUUID().replaceAll("-", "")}`, created: Math.floor(now.getTime() / 1000) };
}

// The finish reason for a message's stop reason (docs/behaviour/translation.md#stop-reasons).

const finishes: Readonly<Record<MessageEnd["stop_reason"], FinishReason>> = {
  end_turn: "stop",
  pause_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** With `stop` a caller would not run the tools. */
export function chatFinish({ stop_reason }: MessageEnd, calledTools: boolean): FinishReason {
  const finish = finishes[stop_reason];
  return finish === "stop" && calledTools ? "tool_calls" : finish;
}

/** The refusal's explanation; null without a refusal or an explanation. */
export function refusalText({ stop_reason, stop_details }: MessageEnd): string | null {
  return stop_reason === "refusal" ? textOf(stop_details?.["explanation"]) : null;
}
