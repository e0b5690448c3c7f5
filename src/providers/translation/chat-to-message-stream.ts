// Translates a chat stream into the Anthropic dialect, from message_start to the last content_block_stop
// (docs/behaviour/translation.md#chat-stream-to-messages). The gateway adds message_delta and message_stop, which carry the charge.
import { parseJson } from "../../json/parse.ts";
import { arrayOf, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { inOrder } from "../transport/in-order.ts";
import type { ChatStream } from "../verbs/chat.ts";
import type { MessageRecord, MessageStream, MessageTally } from "../verbs/messages.ts";
import { type AskedMessage, type ChatEnd, messageEnd, newMessageId } from "./chat-to-message-answer.ts";
import { openSequentialBlocks, type SequentialBlocks } from "./sequential-blocks.ts";

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
