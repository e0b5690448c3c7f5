// Reads a whole message of Anthropic's hosts into the contract's form; events.ts reads streams. `usage` is read here and left out
// of the message, because the flow writes its own.
import { randomUUID } from "node:crypto";
import type { ServerTool } from "../../../generated/withheld-fields.ts";
import { noToolCalls, sumOfUsages, type ToolCalls, type Usage } from "../../usage.ts";
import { hideInMembers } from "../errors/hide-secrets.ts";
import { arrayOf, count, isObject, type Json, objectOf, parseLong, readToolCalls, textOf } from "../json/read.ts";
import { readAnswer, unreadable } from "../transport/json.ts";
import type { PromptUsage, Provider } from "../types.ts";
import type { MessageEnd, MessageWhole } from "../verbs/messages.ts";

/** `named`: told what the answer calls itself. */
export function readMessage(
  text: string,
  publicModel: string,
  provider: Provider,
  serverTools: readonly ServerTool[] = [],
  named: (id: unknown) => void = () => undefined,
): MessageWhole {
  const answer = readAnswer(text, provider, parseLong);
  named(answer["id"]);
  const given = answer["content"];
  if (!Array.isArray(given)) throw unreadable("the answer has no content");
  const content = given.map((block) => readBlock(block, serverTools)).filter((block) => block !== null);
  if (content.length === 0 && given.length > 0) throw unreadable("the answer has no block that can be shown");
  const message: Json = {
    id: messageId(answer),
    type: "message",
    role: "assistant",
    model: publicModel,
    content,
    ...readEnd(
      answer,
      content.some(({ type }) => type === "tool_use"),
      provider,
    ),
  };
  return {
    kind: "whole",
    message: message as unknown as MessageWhole["message"], // every member was set just above
    usage: readMessageUsage(answer["usage"], callsShown(content, serverTools)),
  };
}

/** How often an answer with these blocks shows each of the tools that its provider may run. */
function callsShown(blocks: readonly Json[], serverTools: readonly ServerTool[]): ToolCalls {
  if (serverTools.length === 0) return noToolCalls;
  const shows = (tool: ServerTool) => blocks.filter(({ type, name }) => type === "server_tool_use" && name === tool).length;
  return Object.fromEntries(serverTools.map((tool) => [tool, shows(tool)]));
}

/** Anthropic's own form. Clouds that resell its models use ids that name them (`msg_bdrk_…`). */
const plainId = /^msg_[A-Za-z0-9]{1,100}$/;

/** The upstream's id where it may be shown, else a new one. */
export function messageId(message: Json): string {
  const id = textOf(message["id"]);
  return id !== null && plainId.test(id) ? id : `msg_${randomUUID().replaceAll("-", "")}`;
}

// Stop reasons of the contract (spec/messages/messages.tsp, StopReason).

type StopReason = MessageEnd["stop_reason"];

const reasons: ReadonlySet<string> = new Set<StopReason>([
  "end_turn",
  "max_tokens",
  "stop_sequence",
  "tool_use",
  "pause_turn",
  "refusal",
  "compaction",
  "model_context_window_exceeded",
]);

/** An unknown or missing reason counts as end_turn; with tool calls it is tool_use. */
export function readEnd(said: Json, calledTools: boolean, provider: Provider): MessageEnd {
  const { stop_reason, stop_sequence, stop_details } = said;
  const known = typeof stop_reason === "string" && reasons.has(stop_reason);
  return {
    stop_reason: known ? (stop_reason as StopReason) : calledTools ? "tool_use" : "end_turn",
    stop_sequence: typeof stop_sequence === "string" ? stop_sequence : null,
    ...(isObject(stop_details) ? { stop_details: hideInMembers(stop_details, provider) } : {}),
  };
}

// Blocks of an answer in the contract's form (spec/messages/message-blocks.tsp): undeclared members and undeclared types of block
// are dropped; the tools of such blocks were never asked for. So are calls of a provider's tools that were not asked for.

/** Null for a type that the contract doesn't declare. `serverTools`: those that the provider may run. */
export function readBlock(block: unknown, serverTools: readonly ServerTool[]): Json | null {
  const given = objectOf(block);
  switch (given["type"]) {
    case "thinking":
      // The contract promises an empty signature: a real one might come back on a route to another provider.
      return { type: "thinking", thinking: stringOf(given["thinking"]), signature: "" };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: stringOf(given["data"]) };
    case "text":
      return { type: "text", text: stringOf(given["text"]), ...citationsOf(given) };
    case "tool_use":
      return { type: "tool_use", id: textOf(given["id"]) ?? newToolId(), name: stringOf(given["name"]), input: objectOf(given["input"]) };
    case "server_tool_use": {
      const { id, name, input } = given;
      return serverTools.some((tool) => tool === name) && textOf(id) !== null
        ? { type: "server_tool_use", id, name, input: objectOf(input) }
        : null;
    }
    case "web_search_tool_result":
    case "web_fetch_tool_result": {
      const { type, tool_use_id, content } = given;
      return serverTools.some((tool) => `${tool}_tool_result` === type) && textOf(tool_use_id) !== null
        ? { type, tool_use_id, content }
        : null;
    }
    case "compaction":
      return { ...given, content: textOf(given["content"]) }; // opaque members have to come back as they are
    default:
      return null;
  }
}

function citationsOf(block: Json): Json {
  const { citations } = block;
  if (citations === null) return { citations };
  return Array.isArray(citations) ? { citations: arrayOf(citations).filter(isObject) } : {};
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function newToolId(): string {
  return `toolu_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
}

// Reads the tokens that Anthropic's hosts report into the gateway's disjoint buckets (docs/behaviour/translation.md#usage).

/**
 * Null without output tokens or without prompt tokens: half a report must not make the other half free. `shown`: the calls
 * of a provider's tools that the answer shows, for a host that doesn't say.
 */
export function readMessageUsage(usage: unknown, shown: ToolCalls): Usage | null {
  const own = readOwnUsage(usage, shown);
  const summaries = arrayOf(objectOf(usage)["iterations"]).filter((step) => objectOf(step)["type"] === "compaction");
  return own === null || summaries.length === 0 ? own : { ...own, ...sumOfUsages([own, ...summaries.map((step) => readOwnUsage(step))]) };
}

/** Without the summaries of the conversation, which hosts bill beside the answer and list as steps (`context_management`). */
function readOwnUsage(usage: unknown, shown = noToolCalls): Usage | null {
  const prompt = readPromptUsage(usage);
  const output = count(objectOf(usage)["output_tokens"]);
  if (prompt === null || output === null) return null;
  const thinking = count(objectOf(objectOf(usage)["output_tokens_details"])["thinking_tokens"]) ?? 0;
  const tier = textOf(objectOf(usage)["service_tier"]);
  const toolCalls = readToolCalls(objectOf(usage)["server_tool_use"], shown);
  return {
    ...{ ...prompt, output, reasoning: Math.min(thinking, output) },
    ...(toolCalls === null ? {} : { toolCalls }),
    ...(tier === null ? {} : { serviceTier: tier }),
  };
}

/** `input_tokens` excludes both caches. Null where nothing is reported; all zeros are a placeholder, as no prompt has 0 tokens. */
export function readPromptUsage(usage: unknown): PromptUsage | null {
  if (!isObject(usage)) return null;
  const input = count(usage["input_tokens"]);
  if (input === null) return null;
  const cacheRead = count(usage["cache_read_input_tokens"]) ?? 0;
  const parts = objectOf(usage["cache_creation"]);
  const hour = count(parts["ephemeral_1h_input_tokens"]) ?? 0;
  // Some hosts report only the parts.
  const cacheWrite = count(usage["cache_creation_input_tokens"]) ?? (count(parts["ephemeral_5m_input_tokens"]) ?? 0) + hour;
  if (input + cacheRead + cacheWrite === 0) return null;
  return { input, cacheRead, cacheWrite, ...(hour === 0 ? {} : { cacheWriteHour: Math.min(hour, cacheWrite) }) };
}

/** All figures that are read above; a host may add any others. */
const figures = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
  "output_tokens_details",
  "server_tool_use",
  "service_tier",
  "iterations",
] as const;

/**
 * Figures of a stream are totals: later ones replace earlier ones, absent ones stay (docs/behaviour/streams.md#message-events). A prompt
 * of zeros beside a measured one is a placeholder.
 */
export function addUsage(before: Json, later: unknown): Json {
  if (!isObject(later)) return before;
  const reported = figures.map((key) => [key, later[key]] as const).filter(([, value]) => value !== null && value !== undefined);
  const merged: Json = { ...before, ...Object.fromEntries(reported) };
  if (readPromptUsage(before) === null || readPromptUsage(merged) !== null) return merged;
  return { ...merged, ...Object.fromEntries(Object.entries(before).filter(([key]) => key.includes("input") || key.startsWith("cache"))) };
}
