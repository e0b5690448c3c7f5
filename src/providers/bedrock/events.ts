// Turns the frames of a Converse stream into the records of a streamed message, which anthropic/events.ts reads: blocks that Converse
// opens by their first delta are opened, the end and the usage come in frames of their own.
import { parseJson } from "../../json/parse.ts";
import { isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ToolNames } from "../translation/tool-names.ts";
import { unreadable } from "../transport/json.ts";
import type { RecordParser, SseRecord } from "../transport/read-stream.ts";
import { endOf, type Said, toolUse, usageOf } from "./answer.ts";
import { openFrameReader, type Frame } from "./frames.ts";

/** What a stream has shown of its blocks. */
interface Blocks {
  open: Set<unknown>;
  said: Said;
}

export function openConverseParser(names: ToolNames): RecordParser {
  const read = openFrameReader();
  const blocks: Blocks = { open: new Set(), said: "nothing" };
  return {
    push: (chunk) => read(chunk).flatMap((frame) => recordsOf(frame, blocks, names)),
    end: () => [], // a frame that is not complete is nothing
  };
}

function recordsOf({ kind, type, body }: Frame, blocks: Blocks, names: ToolNames): SseRecord[] {
  if (kind !== "event") return [errorRecord(type, kind === "error" ? body : (textOf(objectOf(parsed(body))["message"]) ?? body))];
  const event = parsed(body);
  if (!isObject(event)) throw unreadable("a record of the stream is not an object");
  const { contentBlockIndex: index } = event;
  switch (type) {
    case "messageStart":
      return [record("message_start", { message: {} })];
    case "contentBlockStart":
      return startOf(objectOf(event["start"]), index, blocks, names);
    case "contentBlockDelta":
      return deltaOf(objectOf(event["delta"]), index, blocks);
    case "contentBlockStop":
      return blocks.open.delete(index) ? [record("content_block_stop", { index })] : [];
    case "messageStop":
      return [record("message_delta", { delta: endOf(event, blocks.said) })];
    case "metadata": // the last frame
      return [record("message_delta", { delta: {}, usage: usageOf(event) }), record("message_stop", {})];
    default:
      return []; // kinds of events that nobody knows yet
  }
}

function startOf({ toolUse: call }: Json, index: unknown, blocks: Blocks, names: ToolNames): SseRecord[] {
  if (!isObject(call)) return [];
  blocks.open.add(index);
  blocks.said = "call";
  return [record("content_block_start", { index, content_block: toolUse(call, names) })];
}

function deltaOf(delta: Json, index: unknown, blocks: Blocks): SseRecord[] {
  const { text, toolUse: call, reasoningContent } = delta;
  const { text: thinking, redactedContent: data, signature } = objectOf(reasoningContent);
  if (blocks.said === "nothing" && [text, thinking, data].some((shown) => textOf(shown) !== null)) blocks.said = "text";
  if (typeof text === "string") return inBlock(index, blocks, { type: "text", text: "" }, { type: "text_delta", text });
  if (isObject(call)) return [record("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: call["input"] } })];
  if (!isObject(reasoningContent)) return []; // citations, and kinds that were never asked for
  if (typeof data === "string") return inBlock(index, blocks, { type: "redacted_thinking", data }, null);
  const piece = typeof thinking === "string" ? { type: "thinking_delta", thinking } : { type: "signature_delta", signature };
  return inBlock(index, blocks, { type: "thinking", thinking: "", signature: "" }, piece);
}

function inBlock(index: unknown, blocks: Blocks, block: Json, delta: Json | null): SseRecord[] {
  const records: SseRecord[] = [];
  if (!blocks.open.has(index)) records.push(record("content_block_start", { index, content_block: block }));
  blocks.open.add(index);
  if (delta !== null) records.push(record("content_block_delta", { index, delta }));
  return records;
}

/** The words by which errors/faults.ts knows them. */
const errorTypes: Readonly<Record<string, string>> = {
  throttlingException: "rate_limit_error",
  validationException: "invalid_request_error",
  serviceUnavailableException: "overloaded_error",
};

function errorRecord(type: string, message: string): SseRecord {
  return record("error", { error: { type: errorTypes[type] ?? "api_error", message } });
}

function record(type: string, fields: Json): SseRecord {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw unreadable("a record of the stream is not JSON");
  }
}
