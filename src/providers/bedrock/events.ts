// Reads a Converse stream: its frames become the records of a streamed message, which anthropic/events.ts reads. Blocks that Converse opens
// by their first delta are opened, the end and the usage come in frames of their own.
import { EventStreamCodec } from "@smithy/core/event-streams";
import { parseJson } from "../../json/parse.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ToolNames } from "../translation/tool-names.ts";
import { unreadable } from "../transport/json.ts";
import type { RecordParser, SseRecord } from "../transport/read-stream.ts";
import { endOf, type Said, toolUse, usageOf } from "./answer.ts";

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

// Amazon's event stream: bytes in, frames out, however the bytes were cut. The format and its checksums are @smithy/core's; owned here are
// the border between two frames and the bound of one.

interface Frame {
  /** `event`, `exception` or `error`. */
  kind: string;
  /** The event's or exception's type; of an error its code. */
  type: string;
  /** JSON; of an error a sentence. */
  body: string;
}

/** A frame is a few hundred bytes; a larger one is not an answer. */
const frameBytesMax = 4_194_304;
/** A frame opens with its length. */
const lengthBytes = 4;

const codec = new EventStreamCodec(
  (bytes) => Buffer.from(bytes as Uint8Array).toString("utf8"),
  (text) => Buffer.from(text),
);

/** Returns the frames that are complete with this chunk. Throws UpstreamError for bytes that are no frame. */
function openFrameReader(): (chunk: Buffer) => Frame[] {
  let pieces: Buffer[] = [];
  let size = 0;
  let wanted = lengthBytes;
  const joined = () => {
    const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, size);
    pieces = [bytes];
    return bytes;
  };
  return (chunk) => {
    const frames: Frame[] = [];
    pieces.push(chunk);
    size += chunk.length;
    while (size >= wanted) {
      const bytes = joined();
      const length = bytes.readUInt32BE(0);
      if (length > frameBytesMax) throw new UpstreamError("unreadable", "one record of the stream is too large");
      if (size < length) {
        wanted = length;
        break;
      }
      frames.push(readFrame(bytes.subarray(0, length)));
      pieces = [bytes.subarray(length)];
      size -= length;
      wanted = lengthBytes;
    }
    return frames;
  };
}

function readFrame(bytes: Buffer): Frame {
  try {
    const { headers, body } = codec.decode(bytes);
    const header = (name: string) => String(headers[name]?.value ?? "");
    const kind = header(":message-type");
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
    if (kind === "error") return { kind, type: header(":error-code"), body: header(":error-message") };
    return { kind, type: header(kind === "exception" ? ":exception-type" : ":event-type"), body: text };
  } catch (cause) {
    throw new UpstreamError("unreadable", "a record of the stream is damaged", { status: 200, cause });
  }
}
