// Cleans the messages of a request for a Claude upstream (docs/behaviour/translation.md#edge-cases): no earlier thinking, no empty
// blocks, a user turn first. Only whole blocks are dropped; those that stay are not changed.
import { isObject, objectOf, type Json } from "../json/read.ts";

/** Replaces a user turn without content, which the upstream would refuse. */
const placeholder = "(no content)";

/** Returns the same array where nothing had to change. */
export function cleanMessages(messages: readonly unknown[]): readonly unknown[] {
  const cleaned = messages.map(cleanMessage).filter((message) => message !== null);
  const last = cleaned.at(-1);
  if (objectOf(last)["role"] === "assistant") cleaned[cleaned.length - 1] = withoutTrailingSpace(last as Json);
  if (objectOf(cleaned[0])["role"] === "assistant" || cleaned.length === 0) cleaned.unshift({ role: "user", content: placeholder });
  const same = cleaned.length === messages.length && cleaned.every((message, index) => message === messages[index]);
  return same ? messages : cleaned;
}

/** Whether `enabled` thinking would be refused: the last assistant turn calls tools or is to be continued, and has no thinking. */
export function lacksThinking(cleaned: readonly unknown[]): boolean {
  const last = cleaned.findLastIndex((message) => objectOf(message)["role"] === "assistant");
  return last !== -1 && (last === cleaned.length - 1 || blocksOf(cleaned[last], "assistant").some(({ type }) => type === "tool_use"));
}

/** Definitions of the tools that the history calls, for a request without tools: Claude requires them. */
export function toolsOfHistory(messages: readonly unknown[]): Json[] {
  const calls = messages.flatMap((message) => blocksOf(message, "assistant")).filter(({ type }) => type === "tool_use");
  const names = new Set(calls.map(({ name }) => name).filter((name) => typeof name === "string"));
  return [...names].map((name) => ({ name, input_schema: { type: "object", properties: {} } }));
}

/** Drops blank text blocks; undefined where nothing is left. */
export function cleanSystem(system: unknown): unknown {
  if (typeof system === "string") return isBlank(system) ? undefined : system;
  if (!Array.isArray(system)) return system;
  const said = system.filter((block) => !isEmptyText(block));
  if (said.length === 0) return undefined;
  return said.length === system.length ? system : said;
}

function blocksOf(message: unknown, role: string): Json[] {
  const { role: own, content } = objectOf(message);
  return own === role && Array.isArray(content) ? content.filter(isObject) : [];
}

/** Null drops an assistant turn that is now empty; its neighbours become one turn. */
function cleanMessage(message: unknown): unknown {
  if (!isObject(message)) return message;
  const { role, content } = message;
  if (typeof content === "string") return isBlank(content) ? emptied(message) : message;
  if (!Array.isArray(content)) return message;
  const kept = content.map(cleanBlock).filter((block) => block !== null && !(role === "assistant" && isThinking(block)));
  if (kept.length === 0) return emptied(message);
  return kept.length === content.length && kept.every((block, index) => block === content[index]) ? message : { ...message, content: kept };
}

function emptied(message: Json): Json | null {
  return message["role"] === "user" ? { ...message, content: placeholder } : null;
}

function cleanBlock(block: unknown): unknown {
  if (isEmptyText(block)) return null;
  if (!isObject(block) || block["type"] !== "tool_result") return block;
  if (block["content"] === null) return withoutContent(block);
  if (!Array.isArray(block["content"])) return block;
  const said = block["content"].filter((part) => !isEmptyText(part));
  return said.length === block["content"].length ? block : { ...block, content: said };
}

/** Removes a null `content`: the caller means "not given", which the dialect can't express as null. */
function withoutContent({ content: _, ...block }: Json): Json {
  return block;
}

/** Ours carry an empty signature, and another's may come from another provider. */
function isThinking(block: unknown): boolean {
  const { type } = objectOf(block);
  return type === "thinking" || type === "redacted_thinking";
}

function isEmptyText(block: unknown): boolean {
  const { type, text } = objectOf(block);
  return type === "text" && typeof text === "string" && isBlank(text);
}

function isBlank(text: string): boolean {
  return text.trim() === "";
}

/** Older models refuse trailing white space in a text that they are to continue. */
function withoutTrailingSpace(message: Json): Json {
  const { content } = message;
  if (typeof content === "string") return trimmed(message, "content", content);
  const last: unknown = Array.isArray(content) ? content.at(-1) : null;
  if (!isObject(last) || last["type"] !== "text" || typeof last["text"] !== "string") return message;
  const block = trimmed(last, "text", last["text"]);
  return block === last ? message : { ...message, content: [...(content as unknown[]).slice(0, -1), block] };
}

function trimmed(holder: Json, key: string, text: string): Json {
  const cut = text.trimEnd();
  return cut === text ? holder : { ...holder, [key]: cut };
}
