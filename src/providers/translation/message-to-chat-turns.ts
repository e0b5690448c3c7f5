// Translates the conversation of a message request into chat messages (docs/behaviour/translation.md#requests, #edge-cases).
import { UpstreamError } from "../errors/upstream-error.ts";
import {
  blocksOf,
  type DocumentBlock,
  type ImageBlock,
  type KnownBlock,
  type MessageRequest,
  type ToolResult,
  type ToolUse,
} from "./message-types.ts";
import type { ToolNames } from "./tool-names.ts";

export type ChatMessage = Record<string, unknown> & { role: "system" | "user" | "assistant" | "tool" };

type Turn = { role: "user" | "assistant" | "system"; blocks: KnownBlock[] };

export function chatMessages({ system, messages }: Pick<MessageRequest, "system" | "messages">, names: ToolNames): ChatMessage[] {
  const last = messages.at(-1);
  // Hosts of this family differ in what they do with it, and most would start a new answer instead of continuing.
  if (last?.role === "assistant") {
    throw new UpstreamError("rejected", "this model cannot continue an assistant message: the conversation must end with a user message", {
      param: `messages[${messages.length - 1}]`,
    });
  }
  const turns = messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) }));
  let called = new Set<string>();
  const said = mergeResults(turns).flatMap((turn) => {
    const messages = turnMessages(turn, names, called);
    if (turn.role !== "system") called = callsOf(turn);
    return messages;
  });
  return [...systemMessages(blocksOf(system)), ...said];
}

function callsOf({ role, blocks }: Turn): Set<string> {
  return new Set(role === "assistant" ? blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])) : []);
}

/** Some clients spread the results of parallel calls over several user messages; an upstream wants them together. */
function mergeResults(turns: readonly Turn[]): Turn[] {
  const merged: Turn[] = [];
  let results: Turn | null = null; // the last turn, if it is a user turn with results
  for (const turn of turns) {
    const answers = turn.role === "user" && turn.blocks.some(isResult);
    if (answers && results !== null) for (const block of turn.blocks) results.blocks.push(block);
    else merged.push(turn);
    if (!answers) results = null;
    else results ??= turn;
  }
  return merged;
}

function turnMessages({ role, blocks }: Turn, names: ToolNames, called: ReadonlySet<string>): ChatMessage[] {
  if (role === "system") return systemMessages(blocks);
  return role === "user" ? userMessages(blocks, called) : assistantMessages(blocks, names);
}

/** Claude Code's note for Anthropic's billing: it differs in every request and would defeat every prompt cache. */
const attribution = "x-anthropic-billing-header:";

function systemMessages(blocks: readonly KnownBlock[]): ChatMessage[] {
  const texts = textsOf(blocks).filter((text) => !text.startsWith(attribution));
  return texts.length === 0 ? [] : [{ role: "system", content: texts.join("\n\n") }];
}

/**
 * Results come first, each as a message of its own; their images and files follow the last of them. A result that answers no call of the
 * turn before (`called`) becomes text, because hosts refuse it as a result.
 */
function userMessages(blocks: readonly KnownBlock[], called: ReadonlySet<string>): ChatMessage[] {
  const results = blocks.filter(isResult);
  const shown: ChatPart[] = [];
  const tools: ChatMessage[] = [];
  for (const result of results) {
    const message = toolMessage(result, shown);
    if (called.has(result.tool_use_id)) tools.push(message);
    else shown.push({ type: "text", text: String(message["content"]) });
  }
  const parts = [...shown, ...blocks.flatMap(partsOf)];
  return parts.length === 0 && tools.length > 0 ? tools : [...tools, { role: "user", content: contentOf(parts) }];
}

/** Most hosts take only text in a tool message: everything else goes into `shown`. */
function toolMessage({ tool_use_id, content, is_error }: ToolResult, shown: ChatPart[]): ChatMessage {
  const texts = blocksOf(content)
    .flatMap(partsOf)
    .map((part) => {
      if (part.type === "text") return part.text;
      shown.push(part);
      return part.type === "file" ? "[document returned by tool]" : "[image returned by tool]";
    });
  return { role: "tool", tool_call_id: tool_use_id, content: `${is_error === true ? "Error: " : ""}${texts.join("\n")}` };
}

/** Thinking of earlier turns is dropped: hosts of this family ignore or refuse it. */
function assistantMessages(blocks: readonly KnownBlock[], names: ToolNames): ChatMessage[] {
  const text = textsOf(blocks).join("");
  const calls = blocks.filter((block) => block.type === "tool_use").map((call) => toolCall(call, names));
  if (calls.length > 0) return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }];
  return text === "" ? [] : [{ role: "assistant", content: text }];
}

function toolCall({ id, name, input }: ToolUse, names: ToolNames) {
  return { id, type: "function", function: { name: names.short(name), arguments: JSON.stringify(input) } };
}

function textsOf(blocks: readonly KnownBlock[]): string[] {
  return blocks.flatMap((block) => (block.type === "text" && block.text !== "" ? [block.text] : []));
}

function isResult(block: KnownBlock): block is ToolResult {
  return block.type === "tool_result";
}

// The parts of a chat message for a message's blocks: texts, images and files.

type ChatPart =
  | { type: "text"; text: string }
  | { type: "image_url"; image_url: { url: string } }
  | { type: "file"; file: { filename: string; file_data: string } };

/** Empty texts become no part, because several hosts refuse them. Thinking and tool blocks are handled by the callers. */
function partsOf(block: KnownBlock): ChatPart[] {
  switch (block.type) {
    case "text":
      return textPart(block.text);
    case "image":
      return [imagePart(block)];
    case "document":
      return documentParts(block);
    case "search_result":
      return textPart([block.title, block.source, ...block.content.map(({ text }) => text)].join("\n"));
    case "tool_reference": // every tool goes out anyway: the model only needs to know that its search worked
      return textPart(`Found the tool ${block.tool_name}; it can be called.`);
    default:
      return [];
  }
}

/** A single text becomes a plain string, which every host takes. */
function contentOf(parts: readonly ChatPart[]): string | readonly ChatPart[] {
  const [first] = parts;
  if (first === undefined) return "";
  return parts.length === 1 && first.type === "text" ? first.text : parts;
}

function textPart(text: string): ChatPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function imagePart({ source }: ImageBlock): ChatPart {
  if (source.type === "base64") return { type: "image_url", image_url: { url: dataUrl(source) } };
  if (source.type === "url") return { type: "image_url", image_url: { url: source.url } };
  throw unreadable("a stored file");
}

function documentParts({ source, title, context }: DocumentBlock): ChatPart[] {
  const about = [title, context].filter((text) => text != null && text !== "");
  const heading = textPart(about.join("\n"));
  switch (source.type) {
    case "base64":
      return [
        ...(context == null ? [] : textPart(context)),
        { type: "file", file: { filename: title ?? "document.pdf", file_data: dataUrl(source) } },
      ];
    case "text":
      return textPart([...about, source.data].join("\n\n"));
    case "content":
      return [...heading, ...blocksOf(source.content).flatMap(partsOf)];
    default:
      throw unreadable("a document at an address");
  }
}

function dataUrl({ media_type, data }: { media_type: string; data: string }): string {
  return `data:${media_type};base64,${data}`;
}

/** A route that speaks the Anthropic dialect may read it; where there is none, the request adapter has refused it already. */
function unreadable(what: string): UpstreamError {
  return new UpstreamError("gone", `this protocol cannot carry ${what}`);
}
