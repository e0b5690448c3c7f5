// Translates the messages of a chat request into those of the Anthropic dialect (docs/behaviour/translation.md#edge-cases): system text
// first, every tool call with one result right after it. Blank texts and a first assistant turn are left to the anthropic adapter.
import { arrayOf, isObject, type Json, objectOf, parseExact, textOf } from "../json/read.ts";
import { contentBlocks, plainText, refuse } from "./chat-to-message-content.ts";

interface MessageHistory {
  /** A text, or blocks where one of them is cached; null without system text. */
  system: string | Json[] | null;
  messages: Json[];
}

/** Everything between two assistant turns. */
interface UserTurn {
  /** Ids of the calls to answer → their results; the last of several wins, null: none yet. */
  results: Map<string, Json | null>;
  /** Calls without a result, in order. */
  open: Set<string>;
  /** Other content, and results that answer no call. */
  said: Json[][];
}

export function messageHistory(chat: readonly unknown[]): MessageHistory {
  const messages: Json[] = [];
  const ids = newToolIds();
  let turn = newTurn([]);
  const first = chat.findIndex((message) => !isSystem(message));
  const leading = first === -1 ? chat.length : first;

  function closeUserTurn(): void {
    const results = [...turn.results].map(([id, result]) => result ?? missingResult(id));
    const content = [...results, ...turn.said.flat()];
    if (content.length > 0) messages.push({ role: "user", content });
  }

  function takeAssistant(message: Json, where: string): void {
    closeUserTurn();
    const { blocks, called } = assistantBlocks(message, where, ids.call);
    const last = messages.at(-1);
    if (last?.["role"] === "assistant") for (const block of blocks) (last["content"] as Json[]).push(block);
    else if (blocks.length > 0) messages.push({ role: "assistant", content: blocks });
    turn = newTurn(called);
  }

  function takeResult(message: Json, where: string): void {
    const named = textOf(message["role"] === "function" ? message["name"] : message["tool_call_id"]);
    const [first] = turn.open;
    const id = named === null ? first : ids.answered(named); // a result with an empty id answers the first open call
    const content = contentBlocks(message["content"], where);
    if (id === undefined || !turn.results.has(id)) return void turn.said.push(content);
    turn.open.delete(id);
    turn.results.set(id, { type: "tool_result", tool_use_id: id, content: shortest(content) });
  }

  chat.slice(leading).forEach((entry, offset) => {
    const message = objectOf(entry);
    const where = `messages[${leading + offset}].content`;
    if (message["role"] === "assistant") takeAssistant(message, where);
    else if (message["role"] === "tool" || message["role"] === "function") takeResult(message, where);
    else if (isSystem(message)) turn.said.push(taggedSystem(message));
    else turn.said.push(contentBlocks(message["content"], where));
  });
  closeUserTurn();
  assertAnswerable(messages.at(-1), chat.length - 1);
  return { system: systemOf(chat.slice(0, leading)), messages };
}

function newTurn(calls: readonly string[]): UserTurn {
  return { results: new Map(calls.map((id) => [id, null])), open: new Set(calls), said: [] };
}

/** Only a caller of the same dialect knows which models can continue an assistant message. */
function assertAnswerable(last: Json | undefined, index: number): void {
  if (last?.["role"] !== "assistant" || plainText(last["content"]).trim() === "") return;
  refuse(`messages[${index}]`, "This model cannot continue an assistant message: the conversation must end with a user message.");
}

function isSystem(message: unknown): boolean {
  const { role } = objectOf(message);
  return role === "system" || role === "developer";
}

/** Joined by line feeds; as blocks where one of them is to be cached. */
function systemOf(messages: readonly unknown[]): string | Json[] | null {
  const blocks = messages.flatMap((message, index) => contentBlocks(objectOf(message)["content"], `messages[${index}].content`));
  if (blocks.length === 0) return null;
  return blocks.some((block) => "cache_control" in block) ? blocks : blocks.map(({ text }) => text).join("\n");
}

/** Only the newest models take a system message between turns, and the catalog doesn't say which: tagged user text works for all. */
function taggedSystem(message: Json): Json[] {
  const text = plainText(message["content"]);
  return text.trim() === "" ? [] : [{ type: "text", text: `<system>\n${text}\n</system>` }];
}

function missingResult(id: string): Json {
  return { type: "tool_result", tool_use_id: id, content: "No result was provided.", is_error: true };
}

/** One plain text becomes a string; no blocks become the empty string. */
function shortest(blocks: Json[]): string | Json[] {
  if (blocks.length === 0) return "";
  const [only] = blocks;
  return blocks.length === 1 && only!["type"] === "text" && !("cache_control" in only!) ? String(only!["text"]) : blocks;
}

/** Thinking of earlier turns is dropped: it has no signature that Claude would accept. */
function assistantBlocks(message: Json, where: string, nameCall: (id: string) => string): { blocks: Json[]; called: string[] } {
  const refusal = textOf(message["refusal"]);
  const blocks = [...contentBlocks(message["content"], where), ...(refusal === null ? [] : [{ type: "text", text: refusal }])];
  const legacy = isObject(message["function_call"]) ? [legacyCall(message["function_call"])] : [];
  const calls = new Map<string, Json>(); // of two calls with one id the last wins
  for (const [index, call] of [...arrayOf(message["tool_calls"]).filter(isObject), ...legacy].entries()) {
    const called = objectOf(call["function"] ?? call["custom"]);
    calls.set(textOf(call["id"]) ?? `#${index}`, {
      name: textOf(called["name"]) ?? "tool",
      input: inputOf(called["arguments"] ?? called["input"]),
    });
  }
  const uses = [...calls].map(([id, call]) => ({ type: "tool_use", id: nameCall(id), ...call }));
  return { blocks: [...blocks, ...uses], called: uses.map(({ id }) => id) };
}

/** The older form has no ids: results name the function. */
function legacyCall(called: Json): Json {
  return { id: called["name"], function: called };
}

/** Claude requires an object; other arguments are kept as text. */
function inputOf(given: unknown): Json {
  if (isObject(given)) return given;
  const text = typeof given === "string" ? given : "";
  if (text.trim() === "") return {};
  try {
    const input = parseExact(text);
    if (isObject(input)) return input;
  } catch {
    // the text is kept below
  }
  return { _raw: text };
}

// Ids of tool calls in one request: only letters that Anthropic takes, each used once, and results find their call again. A long history
// may repeat one id thousands of times, so lookups must not search.

interface ToolIds {
  /** Starts a new call under the caller's id and returns its new id. */
  call(id: string): string;
  /** The new id of the latest call with this id; undefined where there was none. */
  answered(id: string): string | undefined;
}

function newToolIds(): ToolIds {
  const used = new Set<string>();
  const copies = new Map<string, number>();
  const latest = new Map<string, string>();
  return {
    call(id) {
      const plain = id.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 200) || "call";
      let ours = plain;
      let copy = copies.get(plain) ?? 1;
      while (used.has(ours)) ours = `${plain}_${(copy += 1)}`;
      copies.set(plain, copy);
      used.add(ours);
      latest.set(id, ours);
      return ours;
    },
    answered: (id) => latest.get(id),
  };
}
