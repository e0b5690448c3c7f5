// Translates a message request into a chat request (docs/behaviour/translation.md#requests). Pure: src/language/messages/request.ts has
// already dropped or lowered what the model doesn't take.
import { UpstreamError } from "../errors/upstream-error.ts";
import type { Json } from "../json/read.ts";
import {
  blocksOf,
  type DocumentBlock,
  type ImageBlock,
  type KnownBlock,
  type MessageRequest,
  type MessageTool,
  type ToolResult,
  type ToolUse,
} from "./message-types.ts";
import { shortId, type ToolNames } from "./tool-names.ts";

/** `names` remembers the names that had to be shortened. */
export function messageToChatRequest(request: MessageRequest, names: ToolNames): Json {
  return withoutUndefined({
    model: request.model,
    messages: chatMessages(request, names),
    ...toolFields(request, names),
    max_tokens: request.max_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    stop: request.stop_sequences?.length === 0 ? undefined : request.stop_sequences,
    user: userOf(request.metadata?.user_id),
    // Anthropic's own word for what the other dialect calls default; a tier with a price has the same name in both.
    service_tier: request.service_tier === "standard_only" ? "default" : request.service_tier,
    response_format: formatOf(request.output_config?.format),
    ...reasoningFields(request),
    // Always asked for: the call is billed by it.
    ...(request.stream === true ? { stream: true, stream_options: { include_usage: true } } : {}),
  });
}

function toolFields({ tools, tool_choice: choice }: MessageRequest, names: ToolNames): Json {
  if (tools === undefined || tools.length === 0) return {}; // hosts refuse a choice without tools
  const oneAtATime = choice !== undefined && "disable_parallel_tool_use" in choice && choice.disable_parallel_tool_use === true;
  return {
    tools: tools.map((tool) => chatTool(tool, names)),
    tool_choice: choice === undefined ? undefined : toolChoice(choice, names),
    parallel_tool_calls: oneAtATime ? false : undefined,
  };
}

function chatTool({ type, name, description, input_schema, strict }: MessageTool & { strict?: unknown }, names: ToolNames): Json {
  if (type != null && type !== "custom") throw unreadable("tools that a provider runs itself");
  const tool = { name: names.short(name), description, parameters: input_schema, strict: strict === true ? true : undefined };
  return { type: "function", function: withoutUndefined(tool) };
}

function toolChoice(choice: NonNullable<MessageRequest["tool_choice"]>, names: ToolNames): unknown {
  if (choice.type === "tool") return { type: "function", function: { name: names.short(choice.name) } };
  return choice.type === "any" ? "required" : choice.type;
}

/** A budget wins over an effort (docs/behaviour/translation.md#reasoning); thinking without a cap has no effort of its own. */
function reasoningFields({ thinking, output_config }: MessageRequest): Json {
  const effort = output_config?.effort ?? undefined;
  if (thinking == null) return { reasoning_effort: effort };
  if (thinking.type === "disabled") return { reasoning_effort: "none" };
  if (thinking.type === "enabled" && thinking.budget_tokens !== undefined) return { reasoning: { max_tokens: thinking.budget_tokens } };
  return { reasoning_effort: effort ?? "medium" };
}

function formatOf(format: NonNullable<MessageRequest["output_config"]>["format"]): Json | undefined {
  return format == null ? undefined : { type: "json_schema", json_schema: { name: "response", schema: format.schema, strict: true } };
}

/** Hosts refuse longer ids, and Claude Code's are longer. */
const userMax = 64;

function userOf(id: string | null | undefined): string | undefined {
  return id == null || id === "" ? undefined : shortId(id, userMax);
}

function withoutUndefined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

// Translates the conversation of a message request into chat messages (docs/behaviour/translation.md#requests, #edge-cases).

type ChatMessage = Record<string, unknown> & { role: "system" | "user" | "assistant" | "tool" };

type Turn = { role: "user" | "assistant" | "system"; blocks: KnownBlock[] };

function chatMessages({ system, messages }: Pick<MessageRequest, "system" | "messages">, names: ToolNames): ChatMessage[] {
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
  if (blocks.some(({ type }) => type === "server_tool_use" || type.endsWith("_tool_result")))
    throw unreadable("calls of a provider's tools");
  if (blocks.some(({ type }) => type === "compaction")) throw unreadable("a provider's summaries");
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
