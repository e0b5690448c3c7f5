// Translates a streamed message into chat chunks (docs/behaviour/translation.md#message-stream-to-chat). The finish chunk follows the
// message's end, which the stream keeps for the flow; the flow adds usage and [DONE].
import { randomUUID } from "node:crypto";
import { unixSeconds } from "../../clock.ts";
import { parseJson } from "../../json/parse.ts";
import { type Json, objectOf, textOf } from "../json/read.ts";
import { inOrder } from "../transport/outlet.ts";
import type { ChatChoice, ChatRecord, ChatStream, ChatTally, ChatWhole, FinishReason } from "../verbs/chat.ts";
import type { MessageEnd, MessageRecord, MessageStream, MessageTally, MessageWhole } from "../verbs/messages.ts";

interface ChunkMaker {
  /** Usually one chunk; none for events that the dialect has no place for. */
  chunks(record: MessageRecord): ChatRecord[];
  /** The chunks after the last event. */
  end(): ChatRecord[];
}

export function messageToChatStream(source: MessageStream, model: string, now: Date): ChatStream {
  // One object serves both types: what the source counts is what the flow sees.
  const tally: ChatTally & MessageTally = Object.assign(source.tally, newChatIds(now));
  const maker = makeChunks(tally, model);
  return {
    kind: "stream",
    tally,
    cancel: source.cancel,
    async forEach(onRecord) {
      await source.forEach((record) => inOrder(maker.chunks(record), onRecord));
      await inOrder(maker.end(), onRecord);
    },
  };
}

function makeChunks(tally: ChatTally & MessageTally, model: string): ChunkMaker {
  const { id, created } = tally;
  /** Block's index → the call's index, which counts only tools, and whether any of its arguments came. */
  const calls = new Map<unknown, { index: number; pieces: boolean }>();
  let called = 0;
  const chunk = (delta: Json, finish_reason: string | null = null): ChatRecord => ({
    json: JSON.stringify({ id, object: "chat.completion.chunk", created, model, choices: [{ index: 0, delta, finish_reason }] }),
  });
  const argumentsChunk = (index: number, text: string) => chunk({ tool_calls: [{ index, function: { arguments: text } }] });

  function openBlock(index: unknown, block: Json): ChatRecord[] {
    if (block["type"] !== "tool_use") return [];
    const call = { index: called++, pieces: false };
    calls.set(index, call);
    const start = { index: call.index, id: block["id"], type: "function", function: { name: block["name"], arguments: "" } };
    return [chunk({ tool_calls: [start] })];
  }

  function addToBlock(index: unknown, delta: Json): ChatRecord[] {
    const { text, thinking, partial_json: piece } = delta;
    if (typeof text === "string" && text !== "") return [chunk({ content: text })];
    if (typeof thinking === "string" && thinking !== "") return [chunk({ reasoning_content: thinking })];
    const call = calls.get(index);
    if (call === undefined || typeof piece !== "string" || piece === "") return [];
    call.pieces = true;
    return [argumentsChunk(call.index, piece)];
  }

  /** Arguments are JSON, even where there are none. */
  function closeBlock(index: unknown): ChatRecord[] {
    const call = calls.get(index);
    return call === undefined || call.pieces ? [] : [argumentsChunk(call.index, "{}")];
  }

  return {
    chunks({ event, json }) {
      if (event === "ping") return []; // the gateway sends its own keep-alives
      if (event === "message_start") return [chunk({ role: "assistant", content: "" })];
      const { index, content_block, delta } = parseJson(json) as Json;
      if (event === "content_block_start") return openBlock(index, objectOf(content_block));
      return event === "content_block_delta" ? addToBlock(index, objectOf(delta)) : closeBlock(index);
    },
    end() {
      const end = tally.end ?? { stop_reason: "end_turn", stop_sequence: null };
      const refusal = refusalText(end);
      return [...(refusal === null ? [] : [chunk({ refusal })]), chunk({}, chatFinish(end, called > 0))];
    },
  };
}

// Translates a whole message into a chat completion. Signatures, redacted thinking and citations have no place there.

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
function newChatIds(now: Date): { id: string; created: number } {
  return { id: `chatcmpl-${randomUUID().replaceAll("-", "")}`, created: unixSeconds(now) };
}

// The finish reason for a message's stop reason (docs/behaviour/translation.md#stop-reasons).

const finishes: Readonly<Record<MessageEnd["stop_reason"], FinishReason>> = {
  end_turn: "stop",
  pause_turn: "stop",
  compaction: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  refusal: "content_filter",
};

/** With `stop` a caller would not run the tools. */
function chatFinish({ stop_reason }: MessageEnd, calledTools: boolean): FinishReason {
  const finish = finishes[stop_reason];
  return finish === "stop" && calledTools ? "tool_calls" : finish;
}

/** The refusal's explanation; null without a refusal or an explanation. */
function refusalText({ stop_reason, stop_details }: MessageEnd): string | null {
  return stop_reason === "refusal" ? textOf(stop_details?.["explanation"]) : null;
}
