// A Converse answer in one piece and as a stream of frames, made from what the same model would say over Anthropic's protocol.
import { crc32 } from "node:zlib";
import { parseJson } from "../../json/parse.ts";
import type { Answer } from "../anthropic/answer.ts";
import { messageEvents, wholeMessage } from "../anthropic/message.ts";
import { usageOf } from "../anthropic/usage.ts";
import type { Fields } from "../request-fields.ts";
import type { ConverseRequest } from "./read-request.ts";

const metrics = { latencyMs: 1 };

export function wholeAnswer(request: ConverseRequest, promptTokens: number, answer: Answer): Fields {
  const content = wholeMessage(request.message, promptTokens, answer)["content"] as Fields[];
  return {
    output: { message: { role: "assistant", content: content.flatMap(blockOf) } },
    ...endOf(request, answer),
    ...(request.message.directives.noUsage ? {} : { usage: usageFields(request, promptTokens, answer) }),
    metrics,
  };
}

function blockOf(block: Fields): Fields[] {
  switch (block["type"]) {
    case "text":
      return [{ text: block["text"] }];
    case "thinking":
      return [{ reasoningContent: { reasoningText: { text: block["thinking"], signature: block["signature"] } } }];
    case "redacted_thinking":
      return [{ reasoningContent: { redactedContent: block["data"] } }];
    case "tool_use":
      return [{ toolUse: { toolUseId: block["id"], name: block["name"], input: block["input"] } }];
    default:
      return [];
  }
}

const stops: Readonly<Record<string, string>> = { refusal: "content_filtered", pause_turn: "end_turn" };

function endOf({ namesStop, message: { directives } }: ConverseRequest, { stopReason, stopSequence }: Answer): Fields {
  return {
    stopReason: directives.malformedCall ? "malformed_tool_use" : (stops[stopReason] ?? stopReason),
    ...(namesStop ? { additionalModelResponseFields: { stop_sequence: stopSequence } } : {}),
  };
}

function usageFields({ message }: ConverseRequest, promptTokens: number, answer: Answer): Fields {
  const usage = usageOf(message, promptTokens, answer.tokens, answer.thinkingTokens);
  const { input_tokens: inputTokens, output_tokens: outputTokens } = usage;
  const written = usage.cache_creation_input_tokens;
  const ttl = JSON.stringify([message.fields["system"], message.fields["tools"], message.messages]).includes('"ttl":"1h"') ? "1h" : "5m";
  return {
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens + usage.cache_read_input_tokens + written,
    cacheReadInputTokens: usage.cache_read_input_tokens,
    cacheWriteInputTokens: written,
    cacheDetails: written === 0 ? [] : [{ ttl, inputTokens: written }],
  };
}

/** The last frame, which alone has the usage. */
export function metadataRecord(request: ConverseRequest, promptTokens: number, answer: Answer): string {
  return JSON.stringify({ metadata: { usage: usageFields(request, promptTokens, answer), metrics } });
}

/** Text and reasoning open with their first delta; only calls of tools are announced. */
export function* converseRecords(request: ConverseRequest, promptTokens: number, answer: Answer): Iterable<string> {
  for (const text of messageEvents(request.message, promptTokens, answer)) {
    const event = parseJson(text) as Fields;
    const record = recordOf(event, request, answer);
    if (record !== null) yield JSON.stringify(record);
  }
}

function recordOf(event: Fields, request: ConverseRequest, answer: Answer): Fields | null {
  const at = { contentBlockIndex: event["index"] };
  switch (event["type"]) {
    case "message_start":
      return { messageStart: { role: "assistant" } };
    case "content_block_start":
      return startOf(event["content_block"] as Fields, at);
    case "content_block_delta":
      return deltaOf(event["delta"] as Fields, at);
    case "content_block_stop":
      return { contentBlockStop: at };
    case "message_delta":
      return { messageStop: endOf(request, answer) };
    default:
      return null;
  }
}

function startOf(block: Fields, at: Fields): Fields | null {
  if (block["type"] === "redacted_thinking")
    return { contentBlockDelta: { delta: { reasoningContent: { redactedContent: block["data"] } }, ...at } };
  if (block["type"] !== "tool_use") return null;
  return { contentBlockStart: { start: { toolUse: { toolUseId: block["id"], name: block["name"] } }, ...at } };
}

function deltaOf({ type, text, thinking, signature, partial_json: input }: Fields, at: Fields): Fields | null {
  switch (type) {
    case "text_delta":
      return { contentBlockDelta: { delta: { text }, ...at } };
    case "thinking_delta":
      return { contentBlockDelta: { delta: { reasoningContent: { text: thinking } }, ...at } };
    case "signature_delta":
      return { contentBlockDelta: { delta: { reasoningContent: { signature } }, ...at } };
    case "input_json_delta":
      return { contentBlockDelta: { delta: { toolUse: { input } }, ...at } };
    default:
      return null;
  }
}

// Amazon's event stream: a record of a stream as a binary frame, with the checksums of its head and of the whole.

/** A record is `{"EVENT":{…}}`, as Amazon's SDKs show it; one without such a name is an error's body. */
export function frameOf(record: string): Buffer {
  const event = /^\{"(messageStart|contentBlockStart|contentBlockDelta|contentBlockStop|messageStop|metadata)":/.exec(record)?.[1];
  if (event === undefined) return frame({ ":exception-type": "modelStreamErrorException", ":message-type": "exception" }, record);
  return frame({ ":event-type": event, ":message-type": "event" }, bodyOf(record, event));
}

/** A record that a directive has cut is a body that isn't JSON. */
function bodyOf(record: string, event: string): string {
  try {
    return JSON.stringify((parseJson(record) as Record<string, unknown>)[event]);
  } catch {
    return record.slice(record.indexOf(":") + 1);
  }
}

/** Of a header's value: text. */
const textType = 7;

function frame(named: Record<string, string>, text: string): Buffer {
  const headers = Buffer.concat(Object.entries({ ...named, ":content-type": "application/json" }).flatMap(headerOf));
  const body = Buffer.from(text);
  const head = Buffer.alloc(12);
  head.writeUInt32BE(head.length + headers.length + body.length + 4, 0);
  head.writeUInt32BE(headers.length, 4);
  head.writeUInt32BE(crc32(head.subarray(0, 8)), 8);
  const whole = Buffer.concat([head, headers, body]);
  const end = Buffer.alloc(4);
  end.writeUInt32BE(crc32(whole), 0);
  return Buffer.concat([whole, end]);
}

function headerOf([name, value]: [string, string]): Buffer[] {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value), 0);
  return [Buffer.from([name.length]), Buffer.from(name), Buffer.from([textType]), length, Buffer.from(value)];
}
