// The pieces of a whole message told as a stream. The records obey the same rules as events.ts's.
import { objectOf, type Json } from "../json/read.ts";
import { type Piece, toldStream } from "../transport/replay-stream.ts";
import type { MessageRecord, MessageStream, MessageTally, MessageWhole } from "../types.ts";

export function streamOfMessage({ message, usage }: MessageWhole, signal: AbortSignal, estimate: number): MessageStream {
  const { id, type, role, model, content, stop_reason, stop_sequence, stop_details } = message;
  const end = { stop_reason, stop_sequence, ...(stop_details === undefined ? {} : { stop_details }) };
  const tally: MessageTally = { usage, deltas: 0, characters: 0, prompt: null, end };
  const prompt = { input_tokens: usage?.input ?? estimate, cache_creation_input_tokens: usage?.cacheWrite ?? 0 };
  const started = { ...prompt, cache_read_input_tokens: usage?.cacheRead ?? 0, output_tokens: 0 };
  const head = { id, type, role, model, content: [], stop_reason: null, stop_sequence: null, usage: started };
  const pieces = [piece("message_start", { message: head }), ...content.flatMap((block, index) => blockPieces(block as Json, index))];
  return toldStream(pieces, tally, signal);
}

function blockPieces(block: Json, index: number): Piece<MessageRecord>[] {
  const { opening, deltas } = taken(block);
  return [
    piece("content_block_start", { index, content_block: opening }, block["type"] === "tool_use" ? String(block["name"]).length : 0),
    ...deltas.map((delta) => piece("content_block_delta", { index, delta }, said(delta).length)),
    piece("content_block_stop", { index }),
  ];
}

/** The block as a stream opens it, and what is said after. */
function taken(block: Json): { opening: Json; deltas: Json[] } {
  switch (block["type"]) {
    case "tool_use": {
      const text = JSON.stringify(objectOf(block["input"]));
      return { opening: { ...block, input: {} }, deltas: [{ type: "input_json_delta", partial_json: text }] };
    }
    case "thinking":
      return { opening: { ...block, thinking: "" }, deltas: [{ type: "thinking_delta", thinking: block["thinking"] }] };
    case "text": {
      const { citations } = block;
      const quoted = Array.isArray(citations) ? citations.map((citation: unknown) => ({ type: "citations_delta", citation })) : [];
      const opening = { ...block, text: "", ...(Array.isArray(citations) ? { citations: [] } : {}) };
      return { opening, deltas: [{ type: "text_delta", text: block["text"] }, ...quoted] };
    }
    default:
      return { opening: block, deltas: [] };
  }
}

function said(delta: Json): string {
  const text = delta["text"] ?? delta["thinking"] ?? delta["partial_json"];
  return typeof text === "string" ? text : "";
}

function piece(event: MessageRecord["event"], fields: Json, characters = 0): Piece<MessageRecord> {
  return { record: { event, json: JSON.stringify({ type: event, ...fields }) }, characters };
}
