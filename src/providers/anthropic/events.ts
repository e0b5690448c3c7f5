// Reads the events of a streamed message into the contract's form (docs/behaviour/streams.md#message-events): blocks count up from 0
// without gaps, undeclared members are dropped, and the stop reason and the usage are kept for the flow. messages.ts sends them in order.
import type { ServerTool } from "../../../generated/withheld-fields.ts";
import { noToolCalls, type ToolCalls } from "../../usage.ts";
import { readErrorValue, safeReason } from "../errors/error-text.ts";
import { errorUnder200 } from "../errors/faults.ts";
import { withoutKeys } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { isObject, type Json, objectOf, textOf } from "../json/read.ts";
import { readRecordData, unreadable } from "../transport/json.ts";
import { cover, newTally, type SseRecord } from "../transport/read-stream.ts";
import type { PromptUsage, Provider } from "../types.ts";
import type { MessageRecord, MessageTally } from "../verbs/messages.ts";
import { addUsage, messageId, readBlock, readEnd, readMessageUsage, readPromptUsage } from "./response.ts";
import { openSequence } from "./sequence.ts";

interface OpenBlock {
  /** Our index; null for a dropped block. */
  index: number | null;
  type: string;
  /** Arguments that came whole, for a block whose deltas carry none. */
  input: Json;
  pieces: boolean;
}

interface MessageEvents {
  tally: MessageTally;
  started: boolean;
  /** message_stop was read. */
  stopped: boolean;
  /** The records that one event becomes, in order. Throws UpstreamError; `begun` decides which fault. */
  read(record: SseRecord, begun: boolean): MessageRecord[] | Promise<MessageRecord[]>;
  /** Closes the blocks that the upstream left open. Throws where every block was dropped. */
  close(): MessageRecord[];
}

interface EventsOptions {
  publicModel: string;
  provider: Provider;
  promptTokens: () => Promise<number>;
  /** The tools that the provider may run. */
  serverTools: readonly ServerTool[];
  /** Told what the message calls itself. */
  named: (id: unknown) => void;
}

export function readEvents({ publicModel, provider, promptTokens, serverTools, named }: EventsOptions): MessageEvents {
  const tally: MessageTally = { ...newTally(), end: null };
  const blocks = openBlocks(tally, serverTools);
  let usage: Json = {};

  async function start(given: Json): Promise<MessageRecord[]> {
    if (events.started) return [];
    events.started = true;
    named(given["id"]);
    usage = addUsage(usage, given["usage"]);
    Object.assign(tally, { prompt: readPromptUsage(usage), servedTier: textOf(usage["service_tier"]) ?? undefined });
    const prompt = tally.prompt ?? { input: await promptTokens(), cacheRead: 0, cacheWrite: 0 };
    const message = {
      ...{ id: messageId(given), type: "message", role: "assistant", model: publicModel, content: [] },
      ...{ stop_reason: null, stop_sequence: null },
      usage: usageAtStart(prompt),
    };
    return [record("message_start", { message })];
  }

  function takeEnd(event: Json): void {
    usage = addUsage(usage, event["usage"]);
    tally.prompt = readPromptUsage(usage);
    // The figure of message_start is a placeholder: one of the end is needed.
    if (typeof objectOf(event["usage"])["output_tokens"] === "number") cover(tally, readMessageUsage(usage, blocks.ran()));
    const said = objectOf(event["delta"]);
    if (typeof said["stop_reason"] === "string")
      Object.assign(tally, { end: readEnd(said, blocks.called(), provider), finished: true, ended: 1 });
  }

  function readEvent(type: string, event: Json, data: string): MessageRecord[] | Promise<MessageRecord[]> {
    if (type === "message_start") return start(objectOf(event["message"]));
    if (!events.started) {
      if (type === "ping") return [];
      throw unreadable("the stream does not start with a message");
    }
    switch (type) {
      case "ping":
        return [record("ping", {})];
      case "content_block_start":
        return blocks.open(event);
      case "content_block_delta":
        return blocks.add(event, data);
      case "content_block_stop":
        return blocks.close(event["index"]);
      case "message_delta":
        takeEnd(event);
        return [];
      case "message_stop":
        tally.end ??= readEnd({}, blocks.called(), provider);
        events.stopped = true;
    }
    return []; // kinds of events that are not known yet
  }

  const events: MessageEvents = {
    tally,
    started: false,
    stopped: false,
    read({ event: name, data: sent }, begun) {
      const data = withoutKeys(sent, provider);
      if (data === "" || data.trim() === "[DONE]") return [];
      const event = readRecordData(data, name);
      return readEvent(...typed(event, name, begun, provider), data);
    },
    close: blocks.closeAll,
  };
  return events;
}

function usageAtStart({ input, cacheRead, cacheWrite }: PromptUsage) {
  return { input_tokens: input, cache_creation_input_tokens: cacheWrite, cache_read_input_tokens: cacheRead, output_tokens: 0 };
}

/** An event and its type. Throws what an error says, and what is no event. */
function typed(event: unknown, name: string, begun: boolean, provider: Provider): [string, Json] {
  const type = isObject(event) && typeof event["type"] === "string" ? event["type"] : name;
  if (type === "error" || (isObject(event) && isObject(event["error"]))) throw eventError(event, begun, provider);
  if (!isObject(event)) throw unreadable("a record of the stream is not an object");
  return [type, event];
}

/** The blocks of a message: counted from 0 by what is shown, one after the other. */
function openBlocks(tally: MessageTally, serverTools: readonly ServerTool[]) {
  const blocks = new Map<unknown, OpenBlock>();
  const sequence = openSequence();
  let next = 0;
  const calls = openCalls(serverTools);
  let dropped = false;

  function openBlock(event: Json): MessageRecord[] {
    if (blocks.size >= openBlocksMax) throw unreadable("too many blocks are open");
    const block = readBlock(event["content_block"], serverTools);
    if (block === null) {
      dropped = true;
      blocks.set(event["index"], { index: null, type: "", input: {}, pieces: false });
      return [];
    }
    const open: OpenBlock = { index: next++, type: String(block["type"]), input: {}, pieces: false };
    blocks.set(event["index"], open);
    if (isCall(open.type)) {
      const name = String(block["name"]);
      calls.add(open.type, name);
      tally.deltas += 1; // a tool's name counts as output
      tally.characters += name.length;
      open.input = objectOf(block["input"]);
      block["input"] = {};
    }
    const early = takeText(open.type, block);
    const records = [record("content_block_start", { index: open.index, content_block: block })];
    if (early !== "") records.push(...delta(open, { type: `${open.type}_delta`, [open.type]: early }));
    return sequence.put(next - 1, records, false);
  }

  function delta(open: OpenBlock, given: Json, event: Json | null = null, data = ""): MessageRecord[] {
    const type = String(given["type"]);
    if (type === "citations_delta")
      return isObject(given["citation"]) ? [blockDelta(open, { type, citation: given["citation"] }, null, "")] : [];
    const key = textKeys[type];
    const text = key === undefined ? undefined : given[key];
    if (key === undefined || (typeof text !== "string" && key !== "content")) return []; // a signature, or a type that the contract doesn't declare
    open.pieces ||= key === "partial_json" && text !== "";
    countText(tally, key, textOf(text) ?? "");
    return [blockDelta(open, key === "content" ? given : { type, [key]: text }, event, data)];
  }

  function closeBlock(index: unknown): MessageRecord[] {
    const open = blocks.get(index);
    blocks.delete(index);
    if (open === undefined || open.index === null) return [];
    const records: MessageRecord[] = [];
    if (isCall(open.type) && !open.pieces && Object.keys(open.input).length > 0)
      records.push(...delta(open, { type: "input_json_delta", partial_json: JSON.stringify(open.input) }));
    records.push(record("content_block_stop", { index: open.index }));
    return sequence.put(open.index, records, true);
  }

  return {
    open: (event: Json) => [...closeBlock(event["index"]), ...openBlock(event)],
    add(event: Json, data: string): MessageRecord[] {
      const open = blocks.get(event["index"]);
      if (open === undefined) throw unreadable("a piece of the stream belongs to no block");
      return open.index === null ? [] : sequence.put(open.index, delta(open, objectOf(event["delta"]), event, data), false);
    },
    close: closeBlock,
    closeAll(): MessageRecord[] {
      if (dropped && next === 0) throw unreadable("the answer has no block that can be shown");
      return [...blocks.keys()].flatMap(closeBlock);
    },
    called: calls.called,
    ran: calls.ran,
  };
}

/** Which tools a message called. */
function openCalls(serverTools: readonly ServerTool[]) {
  const ran = new Map<string, number>(serverTools.map((tool) => [tool, 0]));
  let called = false;
  return {
    add(type: string, name: string) {
      if (type === "tool_use") called = true;
      else ran.set(name, ran.get(name)! + 1);
    },
    /** Whether one of the caller's. */
    called: () => called,
    /** Those of the provider. */
    ran: (): ToolCalls => (ran.size === 0 ? noToolCalls : Object.fromEntries(ran)),
  };
}

/** Blocks whose input comes in pieces. */
function isCall(type: string): boolean {
  return type === "tool_use" || type === "server_tool_use";
}

function countText(tally: MessageTally, key: string, text: string): void {
  if (text === "") return;
  tally.characters += text.length;
  tally.deltas += 1;
  tally.reasoned ||= key === "thinking";
}

/** What a block says already where it begins: it goes on as a piece. */
function takeText(type: string, block: Json): string {
  if (type !== "text" && type !== "thinking") return "";
  const text = block[type];
  block[type] = "";
  return typeof text === "string" ? text : "";
}

/** Bounds the memory of open blocks; hosts open a few at once. */
const openBlocksMax = 4_096;

const textKeys: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  input_json_delta: "partial_json",
  compaction_delta: "content",
};

function record(event: MessageRecord["event"], fields: Json): MessageRecord {
  return { event, json: JSON.stringify({ type: event, ...fields }) };
}

/** The upstream's own bytes where they already say exactly this on one line. */
function blockDelta(open: OpenBlock, delta: Json, event: Json | null, data: string): MessageRecord {
  if (event !== null && event["index"] === open.index && isBare(event, delta) && !data.includes("\n"))
    return { event: "content_block_delta", json: data };
  return record("content_block_delta", { index: open.index, delta });
}

function isBare(event: Json, delta: Json): boolean {
  return Object.keys(event).length === 3 && Object.keys(objectOf(event["delta"])).length === Object.keys(delta).length;
}

function eventError(event: unknown, begun: boolean, provider: Provider): UpstreamError {
  if (!begun) return errorUnder200(event, provider);
  const { message, words } = readErrorValue(event);
  const status = words.has("overloaded_error") ? 529 : 200; // callers see a 529 as overloaded_error
  return new UpstreamError("unavailable", safeReason(message, provider, "the stream broke"), { status });
}
