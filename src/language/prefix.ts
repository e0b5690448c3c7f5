// The beginning of a prompt, by which requests that may share a prompt cache are known: what providers keep is found by its first tokens.

import { isObject, type Json } from "../providers/json/read.ts";

/** Of each part: two prompts that differ only behind it may go to one route. */
const partCharacters = 4_096;
/** Of an object or a list: a long one may hold millions, and hardly a beginning needs more. */
const membersMax = 256;

/** Texts in the parts, in order and cut. Reads no further than it has to, however long a part is. */
export function prefixOf(...parts: readonly unknown[]): string {
  return parts.map((part) => textsOf(part)).join("\0");
}

function textsOf(part: unknown): string {
  let found = "";
  const open = [part];
  while (open.length > 0 && found.length < partCharacters) {
    const value = open.pop();
    if (typeof value === "string") found += `${value.slice(0, partCharacters)}\u0001`;
    else if (Array.isArray(value) || isObject(value)) open.push(...membersOf(value).slice(0, membersMax).reverse());
  }
  return found.slice(0, partCharacters);
}

/** Clients mark the newest message as the one to cache, and write a text as itself or as a part: neither makes another prompt of it. */
const unread = new Set(["cache_control", "type"]);

function membersOf(value: unknown[] | Json): unknown[] {
  return Array.isArray(value) ? value : Object.keys(value).flatMap((name) => (unread.has(name) ? [] : [value[name]]));
}

/** Of a chat: its instructions, and the first message after them, which stays the same for a whole conversation. */
export function prefixOfChat(messages: readonly { role?: unknown; content?: unknown }[]): string {
  const first = messages.findIndex(({ role }) => role !== "system" && role !== "developer");
  const instructions = first < 0 ? messages : messages.slice(0, first);
  return prefixOf(
    instructions.map(({ content }) => content),
    messages[first]?.content,
  );
}
