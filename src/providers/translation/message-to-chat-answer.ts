// A whole message as a chat completion (WIRE.md 8.1). Signatures, hidden thinking and citations have no place there.
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

/** Our own: an id of the other dialect would look strange in this one. */
export function newChatIds(now: Date): { id: string; created: number } {
  return { id: `chatcmpl-${randomUUID().replaceAll("-", "")}`, created: Math.floor(now.getTime() / 1000) };
}

// Why a message ended, as a chat answer says it (WIRE.md 8.1).

const finishes: Readonly<Record<MessageEnd["stop_reason"], FinishReason>> = {
  end_turn: "stop",
  pause_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** A caller would not run tools beside `stop`. */
export function chatFinish({ stop_reason }: MessageEnd, calledTools: boolean): FinishReason {
  const finish = finishes[stop_reason];
  return finish === "stop" && calledTools ? "tool_calls" : finish;
}

/** What a refusal says of itself; null where it says nothing, or there is none. */
export function refusalText({ stop_reason, stop_details }: MessageEnd): string | null {
  return stop_reason === "refusal" ? textOf(stop_details?.["explanation"]) : null;
}
