// A message in one piece and as a stream, and what both forms of it begin and end with.
import { parseJson } from "../../json/parse.ts";
import type { Directives } from "../directive-list.ts";
import type { Fields } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";
import { widen } from "../words.ts";
import type { Answer, AnswerBlock } from "./answer.ts";
import type { MessageRequest } from "./read-request.ts";
import { redactedData, signThinking } from "./signature.ts";
import { messageUsage, usageOf } from "./usage.ts";

export function wholeMessage(request: MessageRequest, promptTokens: number, answer: Answer): Fields {
  return {
    ...messageHead(request),
    content: answer.blocks.map((block) => wholeBlock(block, request.directives, request.hidesThinking)),
    ...stopFields(answer),
    container: null,
    ...(request.directives.noUsage ? {} : { usage: messageUsage(request, promptTokens, answer) }),
  };
}

function messageHead({ seed, model }: MessageRequest): Fields {
  return { id: madeUpId("msg_", seed), type: "message", role: "assistant", model };
}

function stopFields({ stopReason, stopSequence }: Answer): Fields {
  const details = stopReason === "refusal" ? { type: "refusal", category: null, explanation: null } : null;
  return { stop_reason: stopReason, stop_sequence: stopSequence, stop_details: details };
}

// A block of an answer in the shape of the wire, whole or as a stream opens it.

function wholeBlock(block: AnswerBlock, directives: Directives, hidesThinking: boolean): Fields {
  switch (block.type) {
    case "thinking": {
      const text = block.tokens.join("");
      return { type: "thinking", thinking: hidesThinking ? "" : text, signature: signThinking(text) };
    }
    case "redacted_thinking":
      return { type: "redacted_thinking", data: redactedData() };
    case "text": {
      const text = block.tokens.map((token) => widen(token, directives)).join("");
      return { type: "text", text, citations: directives.citations ? [citationOf(text)] : null };
    }
    case "tool_use":
    case "server_tool_use":
      return { type: block.type, id: block.call.id, name: block.call.name, input: parseInput(block.call.argumentTokens.join("")) };
    case "web_search_tool_result":
      return resultOf(block.id);
    case "web_fetch_tool_result":
      return fetchedBy(block.id);
  }
}

/** One page, whose text only the host itself can open. */
function resultOf(id: string): Fields {
  const page = { type: "web_search_result", url: "https://example.org/lighthouse", title: "A lighthouse", page_age: null };
  return { type: "web_search_tool_result", tool_use_id: id, content: [{ ...page, encrypted_content: madeUpId("enc_", id) }] };
}

/** A page of text, as the model read it. */
function fetchedBy(id: string): Fields {
  const source = { type: "text", media_type: "text/plain", data: "The lighthouse was built in 1871." };
  const content = { type: "document", source, title: "A lighthouse", citations: { enabled: false } };
  const result = { type: "web_fetch_result", url: "https://example.org/lighthouse/0", content, retrieved_at: "2026-01-01T00:00:00Z" };
  return { type: "web_fetch_tool_result", tool_use_id: id, content: result };
}

/** What content_block_start carries: everything that no delta brings. */
function openingBlock(block: AnswerBlock, directives: Directives): Fields {
  switch (block.type) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "text":
      return { type: "text", text: "", ...(directives.citations ? { citations: [] } : {}) };
    case "redacted_thinking":
    case "web_search_tool_result":
    case "web_fetch_tool_result":
      return wholeBlock(block, directives, false);
    case "tool_use":
    case "server_tool_use": {
      const whole = wholeBlock(block, directives, false);
      return directives.wholeToolCalls ? whole : { ...whole, input: {} };
    }
  }
}

/** sim-citations: as if the block quoted the first document of the prompt. */
function citationOf(text: string): Fields {
  const quoted = text.slice(0, 24);
  const place = { document_index: 0, document_title: null, start_char_index: 0, end_char_index: quoted.length, file_id: null };
  return { type: "char_location", cited_text: quoted, ...place };
}

/** An input that max_tokens cut in the middle is an empty one, as the SDKs read it from a stream. */
function parseInput(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return {};
  }
}

// A message as Anthropic streams it: strictly one block after the other, deltas of a token, usage at both ends.

/** The last event; a stream that ends without it is a broken one. */
export const messageStop = '{"type":"message_stop"}';

/** What a message_start says was put out, before anything was: a real host counts the first token. */
const startedWith = { tokens: 1, thinkingTokens: 0 };

export function* messageEvents(request: MessageRequest, promptTokens: number, answer: Answer): Iterable<string> {
  const { directives } = request;
  const started = directives.noUsage ? {} : messageUsage({ ...request, directives: withoutForced(directives) }, promptTokens, startedWith);
  const message = { ...messageHead(request), content: [], stop_reason: null, stop_sequence: null, stop_details: null, usage: started };
  yield event("message_start", { message });
  yield event("ping", {});
  for (const [index, block] of answer.blocks.entries()) {
    yield event("content_block_start", { index, content_block: openingBlock(block, directives) });
    for (const delta of deltas(block, request)) yield event("content_block_delta", { index, delta });
    yield event("content_block_stop", { index });
  }
  const none = { stop_reason: null, stop_sequence: null };
  if (directives.usageTwice) yield event("message_delta", { delta: none, usage: usageOf(request, promptTokens, 1, 0) });
  const usage = directives.noUsage ? {} : { usage: usageOf(request, promptTokens, answer.tokens, answer.thinkingTokens) };
  yield event("message_delta", { delta: stopFields(answer), ...usage });
}

function event(type: string, more: Fields): string {
  return JSON.stringify({ type, ...more });
}

/** The token count that a directive asks for isn't known when a message begins. */
function withoutForced({ completionTokens: _, ...directives }: Directives): Directives {
  return directives;
}

function* deltas(block: AnswerBlock, { directives, hidesThinking }: MessageRequest): Iterable<Fields> {
  const { type, tokens } = block;
  if (type === "thinking") {
    if (!hidesThinking) for (const token of tokens) yield { type: "thinking_delta", thinking: token };
    yield { type: "signature_delta", signature: signThinking(tokens.join("")) };
  } else if (type === "text") {
    for (const token of tokens) yield { type: "text_delta", text: widen(token, directives) };
    if (directives.citations)
      yield { type: "citations_delta", citation: citationOf(tokens.map((token) => widen(token, directives)).join("")) };
  } else if ((type === "tool_use" || type === "server_tool_use") && !directives.wholeToolCalls) {
    yield { type: "input_json_delta", partial_json: "" };
    for (const token of tokens) yield { type: "input_json_delta", partial_json: token };
  }
}
