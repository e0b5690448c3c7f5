// Blocks of an answer in the contract's form (spec/messages/message-blocks.tsp): nothing undeclared leaves.
// Blocks of kinds that are not declared are dropped: their tools were never asked for.
import { randomUUID } from "node:crypto";
import { arrayOf, isObject, objectOf, textOf, type Json } from "../json/read.ts";

/** Null: a kind that has no place in an answer. */
export function readBlock(block: unknown): Json | null {
  const given = objectOf(block);
  switch (given["type"]) {
    case "thinking":
      // The contract promises an empty signature; what is signed could not come back to the same provider for certain.
      return { type: "thinking", thinking: stringOf(given["thinking"]), signature: "" };
    case "redacted_thinking":
      return { type: "redacted_thinking", data: stringOf(given["data"]) };
    case "text":
      return { type: "text", text: stringOf(given["text"]), ...citationsOf(given) };
    case "tool_use":
      return { type: "tool_use", id: textOf(given["id"]) ?? newToolId(), name: stringOf(given["name"]), input: objectOf(given["input"]) };
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
