// Messages over the `anthropic` protocol, as near to pass-through as billing allows: one call of one route. Returns an answer or
// throws the fault that decides what to do next.
import { type Clock, systemClock } from "../../clock.ts";
import { type Json, objectOf, parseLong } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { chatToMessageRequest } from "../translation/chat-to-message-request.ts";
import { messageToChatAnswer, messageToChatStream } from "../translation/message-to-chat-stream.ts";
import { exchange, isJson, nameAnswer, type ReadError, wholeText } from "../transport/exchange.ts";
import { inOrder, openOutlet, type Outlet } from "../transport/outlet.ts";
import { type Piece, readStream, type RecordParser, replayedTally, replayStream, type StreamReader } from "../transport/read-stream.ts";
import type { Upstream, UpstreamRequest } from "../transport/types.ts";
import type { Chat } from "../verbs/chat.ts";
import type { MessageCall, MessageRecord, Messages, MessageStream, MessageTally, MessageWhole } from "../verbs/messages.ts";
import { readEvents } from "./events.ts";
import { messageRequest } from "./request.ts";
import { readMessage } from "./response.ts";

export interface MessageTimes {
  clock: Clock;
  /** Milliseconds that an accepted stream may stay without a block before it counts as begun. */
  startAfterMs: number;
}

export function anthropicMessages(upstream: Upstream, change: Partial<MessageTimes> = {}): Messages {
  return messagesOver(upstream, (call) => ({ request: messageRequest(call), read: (text) => readWhole(text, call) }), change);
}

/** One call of a protocol that carries this dialect, or whose answers are turned into it. */
interface MessageExchange {
  request: UpstreamRequest;
  read(text: string): MessageWhole;
  /** Absent: errors as most hosts have them. */
  readError?: ReadError;
  /** Absent: the stream is one of server-sent events. */
  parser?: () => RecordParser;
}

export function messagesOver(
  upstream: Upstream,
  open: (call: MessageCall) => MessageExchange,
  change: Partial<MessageTimes> = {},
): Messages {
  const { clock, startAfterMs }: MessageTimes = { clock: systemClock, startAfterMs: 3_000, ...change };
  return async (call) => {
    const { request, read, readError, parser } = open(call);
    const answer = await exchange(upstream, request, clock, readError);
    if (call.stream && !isJson(answer))
      return await readStream(answer, (onEnd) => messageReader(call, onEnd, parser?.()), call, startAfterMs);
    const whole = read(await wholeText(answer));
    if (!call.stream) return whole;
    return streamOfMessage(whole, call.signal, whole.usage === null ? await call.promptTokens() : 0);
  };
}

export function readWhole(text: string, call: MessageCall): MessageWhole {
  const { publicModel, route, serverTools } = call;
  return readMessage(text, publicModel, route.provider, serverTools, (id) => nameAnswer(call.heard, id));
}

// The records of a replayed message; they keep the rules of events.ts.

function streamOfMessage({ message, usage }: MessageWhole, signal: AbortSignal, estimate: number): MessageStream {
  const { id, type, role, model, content, stop_reason, stop_sequence, stop_details } = message;
  const end = { stop_reason, stop_sequence, ...(stop_details === undefined ? {} : { stop_details }) };
  const tally: MessageTally = { ...replayedTally(usage), end };
  const prompt = { input_tokens: usage?.input ?? estimate, cache_creation_input_tokens: usage?.cacheWrite ?? 0 };
  const started = { ...prompt, cache_read_input_tokens: usage?.cacheRead ?? 0, output_tokens: 0 };
  const head = { id, type, role, model, content: [], stop_reason: null, stop_sequence: null, usage: started };
  const pieces = [piece("message_start", { message: head }), ...content.flatMap((block, index) => blockPieces(block as Json, index))];
  return replayStream(pieces, tally, signal);
}

function blockPieces(block: Json, index: number): Piece<MessageRecord>[] {
  const { opening, deltas } = taken(block);
  return [
    piece(
      "content_block_start",
      { index, content_block: opening },
      deltas[0]?.["type"] === "input_json_delta" ? String(block["name"]).length : 0,
    ),
    ...deltas.map((delta) => piece("content_block_delta", { index, delta }, said(delta).length)),
    piece("content_block_stop", { index }),
  ];
}

/** The block as a stream opens it, and the deltas that follow. */
function taken(block: Json): { opening: Json; deltas: Json[] } {
  switch (block["type"]) {
    case "tool_use":
    case "server_tool_use": {
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
    case "compaction": {
      const { type: _, ...told } = block;
      return { opening: { ...block, content: null }, deltas: [{ type: "compaction_delta", ...told }] };
    }
    default:
      return { opening: block, deltas: [] };
  }
}

function said(delta: Json): string {
  const text = delta["text"] ?? delta["thinking"] ?? delta["partial_json"] ?? delta["content"];
  return typeof text === "string" ? text : "";
}

function piece(event: MessageRecord["event"], fields: Json, characters = 0): Piece<MessageRecord> {
  return { record: { event, json: JSON.stringify({ type: event, ...fields }) }, characters };
}

// The order in which a streamed message's records go out. events.ts reads each event, read-stream.ts decides when a stream begins
// and how it ended.

/** Holds records back until the first block: until then another route could still answer. */
interface Gate {
  outlet: Outlet<MessageRecord>;
  take(records: readonly MessageRecord[]): void | Promise<void>;
}

/** The stream begins with its first block. */
function messageReader(call: MessageCall, onEnd: () => void, parser?: RecordParser): StreamReader<MessageRecord, MessageTally> {
  const { publicModel, promptTokens, route, serverTools, heard } = call;
  const named = (id: unknown) => nameAnswer(heard, id); // keeps nothing else of the call: a stream would hold its body
  const events = readEvents({ publicModel, promptTokens, serverTools, named, provider: route.provider });
  const { outlet, take } = openGate(onEnd);
  const finish = async () => {
    const rest = events.close();
    outlet.start();
    await take(rest);
    outlet.end();
  };
  return {
    outlet,
    ...(parser === undefined ? {} : { parser }),
    tally: events.tally,
    take(record) {
      const read = events.read(record, outlet.begun);
      if (read instanceof Promise) return read.then(take);
      return events.stopped ? finish() : take(read);
    },
    isEmpty: () => !events.started,
    isWhole: () => events.tally.end !== null && !events.stopped, // a stop that was read has already ended the stream
    finish,
  };
}

function openGate(onEnd: () => void): Gate {
  const held: MessageRecord[] = [];
  let leaving: void | Promise<void>; // the records held until the start timer fired, still being sent
  const letGo = () => {
    leaving = inOrder(held.splice(0), outlet.emit);
    if (leaving) leaving = leaving.then(() => (leaving = undefined));
  };
  const outlet: Outlet<MessageRecord> = openOutlet(letGo, onEnd);
  return {
    outlet,
    take(records) {
      if (outlet.begun) return leaving ? leaving.then(() => inOrder(records, outlet.emit)) : inOrder(records, outlet.emit);
      // A host may ping without end before its first block: one ping is enough.
      for (const record of records) if (record.event !== "ping" || held.every(({ event }) => event !== "ping")) held.push(record);
      if (records.some(({ event }) => event === "content_block_start")) return inOrder(held.splice(0), outlet.emit);
    },
  };
}

// Chat over the `anthropic` protocol: translates the request into the Anthropic dialect and the answer back into OpenAI's.
// translation/ owns the mapping.

export function anthropicChat(messages: Messages, clock: Clock = systemClock): Chat {
  return async (call) => {
    const request = chatToMessageRequest(objectOf(parseLong(wholeOf(call.body))), call);
    const answer = await messages({ ...call, body: JSON.stringify(request), betas: null, serverTools: [], promptTokens: noCount });
    return answer.kind === "whole" ? messageToChatAnswer(answer, clock()) : messageToChatStream(answer, call.publicModel, clock());
  };
}

/** A chat stream reports no prompt tokens before its end. */
async function noCount(): Promise<number> {
  return 0;
}
