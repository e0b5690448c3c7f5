// Translates a chat stream into the Anthropic dialect, from message_start to the last content_block_stop
// (docs/behaviour/translation.md#chat-stream-to-messages). The gateway adds message_delta and message_stop, which carry the charge.
import { randomUUID } from "node:crypto";
import type { components } from "../../../generated/api.d.ts";
import { parseJson } from "../../json/parse.ts";
import { arrayOf, isObject, type Json, objectOf, parseExact, textOf } from "../json/read.ts";
import { nestsTooDeep } from "../json/splice.ts";
import { inOrder } from "../transport/outlet.ts";
import { unreadable } from "../transport/json.ts";
import type { ChatStream, ChatWhole } from "../verbs/chat.ts";
import type { MessageEnd, MessageRecord, MessageStream, MessageTally, MessageWhole } from "../verbs/messages.ts";
import { openSequentialBlocks, type SequentialBlocks } from "./sequential-blocks.ts";
import type { ToolNames } from "./tool-names.ts";

/** `promptTokens` must not reject: it is an estimate. */
export function chatToMessageStream(source: ChatStream, asked: AskedMessage, promptTokens: Promise<number>): MessageStream {
  const tally = tallyOf(source);
  return {
    kind: "stream",
    tally,
    cancel: source.cancel,
    async forEach(onRecord) {
      const blocks = openSequentialBlocks();
      const ended: ChatEnd = { finish: null, stoppedBy: null, refused: false, calls: false, whole: true };
      await inOrder(beginning(asked.model, await promptTokens), onRecord);
      await source.forEach(({ json }) => {
        readChunk(parseJson(json) as Json, asked, blocks, ended);
        return inOrder(blocks.take(), onRecord);
      });
      ended.whole = blocks.end();
      await inOrder(blocks.take(), onRecord);
      tally.end = messageEnd(ended, asked.stopSequences);
    },
  };
}

/** The upstream's tally as it grows. */
function tallyOf({ tally }: ChatStream): MessageTally {
  return {
    get usage() {
      return tally.usage;
    },
    get deltas() {
      return tally.deltas;
    },
    get characters() {
      return tally.characters;
    },
    get covered() {
      return tally.covered;
    },
    get finished() {
      return tally.finished;
    },
    get ended() {
      return tally.ended;
    },
    get reasoned() {
      return tally.reasoned;
    },
    get servedTier() {
      return tally.servedTier;
    },
    prompt: null,
    end: null,
  };
}

/** Output tokens are 0, because some clients add the total of message_delta to them. */
function beginning(model: string, promptTokens: number): MessageRecord[] {
  const message = { id: newMessageId(), type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  const usage = { input_tokens: promptTokens, output_tokens: 0 };
  return [
    { event: "message_start", json: JSON.stringify({ type: "message_start", message: { ...message, usage } }) },
    { event: "ping", json: '{"type":"ping"}' },
  ];
}

function readChunk(chunk: Json, asked: AskedMessage, blocks: SequentialBlocks, ended: ChatEnd): void {
  for (const choice of arrayOf(chunk["choices"])) if (isObject(choice) && choice["index"] === 0) readChoice(choice, asked, blocks, ended);
}

function readChoice(choice: Json, { names, showsThinking }: AskedMessage, blocks: SequentialBlocks, ended: ChatEnd): void {
  const delta = objectOf(choice["delta"]);
  const thinking = textOf(delta["reasoning_content"]);
  if (thinking !== null && showsThinking) blocks.thinking(thinking);
  const text = textOf(delta["content"]);
  if (text !== null) blocks.text(text);
  const refusal = textOf(delta["refusal"]);
  if (refusal !== null) {
    ended.refused = true;
    blocks.text(refusal);
  }
  for (const call of arrayOf(delta["tool_calls"])) {
    const { index, id, function: called } = objectOf(call);
    const { name, arguments: piece } = objectOf(called);
    const start = typeof name === "string" ? { id: String(id), name: names.full(name) } : null;
    ended.calls = true;
    blocks.tool(Number(index), start, typeof piece === "string" ? piece : "");
  }
  ended.finish = choice["finish_reason"] ?? ended.finish;
  ended.stoppedBy = choice["stop_reason"] ?? ended.stoppedBy;
}

// Translates a whole chat answer into a message of the Anthropic dialect (docs/behaviour/translation.md#stop-reasons, messages.md#answers).

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

function newMessageId(): string {
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

interface ChatEnd {
  finish: unknown;
  /** The stop sequence that vLLM and others report beside the finish reason. */
  stoppedBy: unknown;
  refused: boolean;
  /** Whether any tool is called. */
  calls: boolean;
  /** Whether the arguments of every call are complete. */
  whole: boolean;
}

function messageEnd({ finish, stoppedBy, refused, calls, whole }: ChatEnd, stopSequences: readonly string[]): MessageEnd {
  // Helpers read incomplete arguments as {} and would run the tool: such an answer must not look complete.
  if (finish === "length" || !whole) return { stop_reason: "max_tokens", stop_sequence: null };
  if (finish === "content_filter" || refused) return { stop_reason: "refusal", stop_sequence: null };
  if (calls) return { stop_reason: "tool_use", stop_sequence: null };
  if (typeof stoppedBy === "string" && stopSequences.includes(stoppedBy)) return { stop_reason: "stop_sequence", stop_sequence: stoppedBy };
  return { stop_reason: "end_turn", stop_sequence: null };
}
