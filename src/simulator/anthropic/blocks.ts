// A block of an answer in the shape of the wire, whole or as a stream opens it.
import { parseJson } from "../../json/parse.ts";
import type { Knobs } from "../knob-list.ts";
import type { Fields } from "../request-fields.ts";
import { widen } from "../words.ts";
import type { AnswerBlock } from "./answer.ts";
import { redactedData, signThinking } from "./signature.ts";

export function wholeBlock(block: AnswerBlock, knobs: Knobs, hidesThinking: boolean): Fields {
  switch (block.type) {
    case "thinking": {
      const text = block.tokens.join("");
      return { type: "thinking", thinking: hidesThinking ? "" : text, signature: signThinking(text) };
    }
    case "redacted_thinking":
      return { type: "redacted_thinking", data: redactedData() };
    case "text": {
      const text = block.tokens.map((token) => widen(token, knobs)).join("");
      return { type: "text", text, citations: knobs.citations ? [citationOf(text)] : null };
    }
    case "tool_use":
      return { type: "tool_use", id: block.call.id, name: block.call.name, input: parseInput(block.call.argumentTokens.join("")) };
  }
}

/** What content_block_start carries: everything that no delta brings. */
export function openingBlock(block: AnswerBlock, knobs: Knobs): Fields {
  switch (block.type) {
    case "thinking":
      return { type: "thinking", thinking: "", signature: "" };
    case "text":
      return { type: "text", text: "", ...(knobs.citations ? { citations: [] } : {}) };
    case "redacted_thinking":
      return wholeBlock(block, knobs, false);
    case "tool_use": {
      const whole = wholeBlock(block, knobs, false);
      return knobs.wholeToolCalls ? whole : { ...whole, input: {} };
    }
  }
}

/** sim-citations: as if the block quoted the first document of the prompt. */
export function citationOf(text: string): Fields {
  const quoted = text.slice(0, 24);
  const place = { document_index: 0, document_title: null, start_char_index: 0, end_char_index: quoted.length, file_id: null };
  return { type: "char_location", cited_text: quoted, ...place };
}

/** An input that max_tokens cut in the middle is an empty one, as the SDKs read it from a stream. */
function parseInput(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return {};
  }
}
