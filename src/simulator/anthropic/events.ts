// A message as Anthropic streams it: strictly one block after the other, deltas of a token, usage at both ends.
import type { Knobs } from "../knob-list.ts";
import type { Fields } from "../request-fields.ts";
import { widen } from "../words.ts";
import type { Answer, AnswerBlock } from "./answer.ts";
import { citationOf, openingBlock } from "./blocks.ts";
import { messageHead, stopFields } from "./message.ts";
import type { MessageRequest } from "./read-request.ts";
import { signThinking } from "./signature.ts";
import { messageUsage, usageOf } from "./usage.ts";

/** The last event; a stream that ends without it is a broken one. */
export const messageStop = '{"type":"message_stop"}';

/** What a message_start says was put out, before anything was: a real host counts the first token. */
const startedWith = { tokens: 1, thinkingTokens: 0 };

export function* messageEvents(request: MessageRequest, promptTokens: number, answer: Answer): Iterable<string> {
  const { knobs } = request;
  const started = knobs.noUsage ? {} : messageUsage({ ...request, knobs: withoutForced(knobs) }, promptTokens, startedWith);
  const message = { ...messageHead(request), content: [], stop_reason: null, stop_sequence: null, stop_details: null, usage: started };
  yield event("message_start", { message });
  yield event("ping", {});
  for (const [index, block] of answer.blocks.entries()) {
    yield event("content_block_start", { index, content_block: openingBlock(block, knobs) });
    for (const delta of deltas(block, request)) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
  const none = { stop_reason: null, stop_sequence: null };
  if (knobs.usageTwice) yield event("message_delta", { delta: none, usage: usageOf(request, promptTokens, 1, 0) });
  const usage = knobs.noUsage ? {} : { usage: usageOf(request, promptTokens, answer.tokens, answer.thinkingTokens) };
  yield event("message_delta", { delta: stopFields(answer), ...usage });
}

function event(type: string, more: Fields): string {
  return JSON.stringify({ type, ...more });
}

/** What was ordered to be said in the end isn't known when a message begins. */
function withoutForced({ completionTokens: _, ...knobs }: Knobs): Knobs {
  return knobs;
}

function* deltas(block: AnswerBlock, { knobs, hidesThinking }: MessageRequest): Iterable<Fields> {
  const { type, tokens } = block;
  if (type === "thinking") {
    if (!hidesThinking) for (const token of tokens) yield { type: "thinking_delta", thinking: token };
    yield { type: "signature_delta", signature: signThinking(tokens.join("")) };
  } else if (type === "text") {
    for (const token of tokens) yield { type: "text_delta", text: widen(token, knobs) };
    if (knobs.citations) yield { type: "citations_delta", citation: citationOf(tokens.map((token) => widen(token, knobs)).join("")) };
  } else if (type === "tool_use" && !knobs.wholeToolCalls) {
    yield { type: "input_json_delta", partial_json: "" };
    for (const token of tokens) yield { type: "input_json_delta", partial_json: token };
  }
}
