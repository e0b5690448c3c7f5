// The text and the thinking of a message or delta, under whatever name and in whatever form they came.
// Leaves `content` and at most one `reasoning_content` (WIRE.md 2.2: emit one name only).
import { arrayOf, isObject, textOf, type Json } from "../json/read.ts";

/** Changes the message or delta in place. */
export function normalizeContent(message: Json): void {
  if (Array.isArray(message["content"])) splitParts(message, message["content"]);
  else if ("content" in message && typeof message["content"] !== "string" && message["content"] !== null) delete message["content"];
  const newer = message["reasoning"];
  delete message["reasoning"];
  const older = message["reasoning_content"];
  if (textOf(older) === null) {
    if (typeof newer === "string") message["reasoning_content"] = newer;
    else if (typeof older !== "string") delete message["reasoning_content"];
  }
  if (message["refusal"] === null) delete message["refusal"];
}

/** Mistral: `content` is an array of text and thinking parts. Parts of other kinds have no place in this dialect. */
function splitParts(message: Json, parts: unknown[]): void {
  let text: string | null = null;
  let thinking = "";
  for (const part of parts) {
    if (typeof part === "string") text = (text ?? "") + part;
    else if (isObject(part) && part["type"] === "thinking") thinking += plainText(part["thinking"]);
    else if (isObject(part) && typeof part["text"] === "string") text = (text ?? "") + part["text"];
  }
  if (text === null) delete message["content"];
  else message["content"] = text;
  if (thinking !== "") message["reasoning_content"] = thinking;
}

function plainText(value: unknown): string {
  if (typeof value === "string") return value;
  return arrayOf(value)
    .map((part) => (isObject(part) && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}
