// Translates the items of a conversation into chat messages: one assistant message for a turn's thinking, text and calls, followed at once by
// the results of those calls, wherever they stood (docs/behaviour/translation.md#edge-cases).
import { fail, failParameter } from "../../errors/fail.ts";
import { shownKind } from "../messages/requirements.ts";
import { failFileId, failReference } from "./stateless.ts";
import { functionName, type OfferedTools } from "./tools.ts";
import type { ChatMessage, ChatPart, InputItem, InputPart, ResponseRequest } from "./types.ts";

interface Conversation {
  messages: ChatMessage[];
  /** Maps the path of a content part in the messages to its path in the request. */
  origins: Map<string, string>;
}

interface Building {
  model: string;
  offered: OfferedTools;
  messages: ChatMessage[];
  partOrigins: Map<ChatPart, string>;
  /** The assistant's message that is still open. */
  turn: ChatMessage | null;
  /** Thinking whose message has not begun. */
  thinking: string;
  /** Results that are not yet next to their call, by call id. */
  results: Map<string, { item: InputItem; param: string }>;
  /** The summaries in compaction items. */
  summaries: ReadonlyMap<InputItem, string>;
  /** Those that came so far. */
  notes: ChatMessage[];
}

/** What a provider's own tools left behind, which no model here can read; and tools, which src/language/responses/tools.ts reads. */
const dropped = new Set(["web_search_call", "image_generation_call", "additional_tools"]);

const summaryOpening =
  "The earlier part of this conversation was replaced by this summary. What the user wrote then may still be shown below; your own answers are not.\n\n";

export function toMessages(
  { model, instructions, input }: Pick<ResponseRequest, "model" | "instructions" | "input">,
  offered: OfferedTools,
  summaries: ReadonlyMap<InputItem, string> = new Map(),
): Conversation {
  const building: Building = {
    ...{ model, offered, messages: [], partOrigins: new Map(), turn: null, thinking: "", results: new Map() },
    ...{ summaries, notes: [] },
  };
  if (instructions) building.messages.push({ role: "system", content: instructions });
  if (typeof input === "string") building.messages.push({ role: "user", content: input });
  else {
    if (input.length === 0) failParameter("input", "it must hold at least one item");
    input.forEach((item, index) => {
      if (isResult(item)) building.results.set(required(item, "call_id", `input[${index}]`), { item, param: `input[${index}]` });
    });
    input.forEach((item, index) => addItem(building, item, `input[${index}]`));
    endTurn(building);
  }
  // At the start, where every host takes them: a system message after the user's is refused by some.
  building.messages.splice(instructions ? 1 : 0, 0, ...building.notes);
  const messages = oneSystemMessage(building.messages);
  if (messages.length === 0) failParameter("input", "it says nothing");
  return { messages, origins: originsOf(messages, building.partOrigins) };
}

function addItem(building: Building, item: InputItem, param: string): void {
  const type = item.type ?? "message";
  if (type === "message") return addMessage(building, item, param);
  if (type === "reasoning") {
    building.thinking += thinkingOf(item, { param, model: building.model });
    return;
  }
  if (type === "function_call" || type === "custom_tool_call") return addCall(building, item, param);
  if (isResult(item)) return addLoneResult(building, item, param);
  if (dropped.has(type)) return;
  const summary = building.summaries.get(item);
  if (summary !== undefined) return void building.notes.push({ role: "system", content: summaryOpening + summary });
  if (type === "item_reference") failReference(param);
  fail("unsupported_content", { param, text: { model: building.model, kind: shownKind(type) } });
}

function addMessage(building: Building, item: InputItem, param: string): void {
  const role = required(item, "role", param);
  if (item.content == null) fail("missing_parameter", { param: `${param}.content`, text: { param: `${param}.content` } });
  const parts = partsOf(building, item.content, `${param}.content`);
  if (role === "assistant") {
    endTurn(building);
    building.turn = startTurn(building, textOf(parts));
    return;
  }
  if (role !== "user" && role !== "system" && role !== "developer")
    failParameter(`${param}.role`, "it must be user, assistant, system or developer");
  endTurn(building);
  // Hosts other than OpenAI's know no developer role, and accept only text from the system.
  if (role !== "user") building.messages.push({ role: "system", content: parts.map((part) => textOf([part])).join("\n\n") });
  else building.messages.push({ role: "user", content: plainOr(parts) });
}

function addCall(building: Building, item: InputItem, param: string): void {
  const turn = (building.turn ??= startTurn(building, null));
  if (building.thinking !== "") turn.reasoning_content = (turn.reasoning_content ?? "") + takeThinking(building);
  const name = functionName(building.offered, item.namespace ?? null, required(item, "name", param));
  const given =
    item.type === "custom_tool_call" ? JSON.stringify({ input: required(item, "input", param) }) : required(item, "arguments", param);
  (turn.tool_calls ??= []).push({ id: required(item, "call_id", param), type: "function", function: { name, arguments: given } });
}

function startTurn(building: Building, content: string | null): ChatMessage {
  const turn: ChatMessage = { role: "assistant", content };
  const thinking = takeThinking(building);
  if (thinking !== "") turn.reasoning_content = thinking;
  building.messages.push(turn);
  return turn;
}

/** Hosts want the results of all calls of a turn before any other message. */
function endTurn(building: Building): void {
  const calls = building.turn?.tool_calls ?? [];
  building.turn = null;
  const images: ChatPart[][] = [];
  for (const { id } of calls) {
    const result = building.results.get(id);
    if (result === undefined) continue;
    building.results.delete(id);
    images.push(addResult(building, result.item, result.param));
  }
  showImages(building, images.flat());
}

/** A result whose call is present was already added; one without a call is left for the upstream to reject. */
function addLoneResult(building: Building, item: InputItem, param: string): void {
  endTurn(building);
  if (building.results.get(item.call_id!)?.item !== item) return;
  building.results.delete(item.call_id!);
  showImages(building, addResult(building, item, param));
}

function showImages({ messages }: Building, images: ChatPart[]): void {
  if (images.length > 0) messages.push({ role: "user", content: images });
}

/** Most hosts read only text from tools: returns the parts that a user message must carry instead. */
function addResult(building: Building, item: InputItem, param: string): ChatPart[] {
  const parts = partsOf(building, required(item, "output", param), `${param}.output`);
  const shown = parts.filter(({ type }) => type !== "text");
  const words = textOf(parts) || (shown.length > 0 ? "[image returned by tool]" : "");
  building.messages.push({ role: "tool", tool_call_id: item.call_id!, content: words });
  return shown;
}

function partsOf(building: Building, content: string | readonly InputPart[], param: string): ChatPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((part, index) => {
    const at = `${param}[${index}]`;
    const made = toChatPart(part, { param: at, model: building.model });
    if (made === null) return [];
    building.partOrigins.set(made, at);
    return [made];
  });
}

function plainOr(parts: ChatPart[]): string | ChatPart[] {
  return parts.length === 0 || (parts.length === 1 && parts[0]!.type === "text") ? textOf(parts) : parts;
}

/** The thinking itself where the item has it, else the summary that we answered with. */
function thinkingOf({ content, summary }: InputItem, place: PartPlace): string {
  if (typeof content === "string" && content !== "") return content;
  const parts = Array.isArray(content) && content.length > 0 ? content : (summary ?? []);
  return textOf(parts.flatMap((part) => toChatPart(part, place) ?? []));
}

function takeThinking(building: Building): string {
  const { thinking } = building;
  building.thinking = "";
  return thinking;
}

/** Strict chat templates take one system message, at the start. */
function oneSystemMessage(messages: ChatMessage[]): ChatMessage[] {
  const first = messages.findIndex(({ role }) => role !== "system");
  const leading = messages.slice(0, first === -1 ? messages.length : first);
  if (leading.length < 2) return messages;
  const content = leading.map((message) => message.content as string).join("\n\n");
  return [{ role: "system", content }, ...messages.slice(leading.length)];
}

function originsOf(messages: readonly ChatMessage[], partOrigins: ReadonlyMap<ChatPart, string>): Map<string, string> {
  const origins = new Map<string, string>();
  messages.forEach(({ content }, m) => {
    if (!Array.isArray(content)) return;
    content.forEach((part, p) => {
      const origin = partOrigins.get(part);
      if (origin !== undefined) origins.set(`messages[${m}].content[${p}]`, origin);
    });
  });
  return origins;
}

function isResult({ type }: InputItem): boolean {
  return type === "function_call_output" || type === "custom_tool_call_output";
}

function required<Key extends keyof InputItem & string>(item: InputItem, key: Key, param: string): NonNullable<InputItem[Key]> {
  return item[key] ?? fail("missing_parameter", { param: `${param}.${key}`, text: { param: `${param}.${key}` } });
}

// Parts of messages and of tools' results as chat's parts.

interface PartPlace {
  /** Path of the part, for errors. */
  param: string;
  /** The name in the request, for errors. */
  model: string;
}

/** Null for a part without words. */
function toChatPart(part: InputPart, place: PartPlace): ChatPart | null {
  switch (part.type) {
    case "input_text":
    case "output_text":
    case "text":
    case "summary_text":
    case "reasoning_text":
      return part.text ? { type: "text", text: part.text } : null;
    case "refusal":
      return part.refusal ? { type: "text", text: part.refusal } : null;
    case "input_image":
      return imagePart(part, place);
    case "input_file":
      return filePart(part, place);
    case "input_audio":
      return { type: "input_audio", input_audio: part["input_audio"] };
    default:
      return fail("unsupported_content", { param: place.param, text: { model: place.model, kind: shownKind(part.type) } });
  }
}

function textOf(parts: readonly ChatPart[]): string {
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function imagePart({ image_url, detail, file_id }: InputPart, { param }: PartPlace): ChatPart {
  if (image_url == null) return file_id == null ? failParameter(`${param}.image_url`, "it is required") : failFileId(`${param}.file_id`);
  const shown = detail === "original" ? "high" : detail;
  return { type: "image_url", image_url: { url: image_url, ...(shown == null ? {} : { detail: shown }) } };
}

function filePart({ file_data, file_id, filename, ...part }: InputPart, { param }: PartPlace): ChatPart {
  if (file_data != null) return { type: "file", file: { ...(filename == null ? {} : { filename }), file_data } };
  if (file_id != null) return failFileId(`${param}.file_id`);
  if (part["file_url"] != null) return failParameter(`${param}.file_url`, "files are not fetched here: send file_data, a data URL");
  return failParameter(`${param}.file_data`, "it is required");
}
