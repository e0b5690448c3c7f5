// Reads a Converse answer as the Anthropic dialect has it: blocks, stop reasons, usage. The readers of anthropic/ do the rest.
import { malformedOutput } from "../errors/upstream-error.ts";
import { arrayOf, count, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ToolNames } from "../translation/tool-names.ts";

/** A message in the Anthropic dialect. Throws for an answer that says its output is malformed and has no text or call. */
export function messageOfConverse(answer: Json, names: ToolNames): Json {
  const message = objectOf(objectOf(answer["output"])["message"]);
  const given = message["content"];
  const mayShow = isMalformed(answer["stopReason"]) ? isWhole : isObject;
  const content = Array.isArray(given) ? given.filter(mayShow).flatMap((block) => blockOf(block, names)) : undefined;
  const hasCall = content?.some(({ type }) => type === "tool_use") ?? false;
  const hasText = content?.some(({ type, text }) => type === "text" && text !== "") ?? false;
  return { content, ...endOf(answer, hasCall ? "call" : hasText ? "text" : "nothing"), usage: usageOf(answer) };
}

/** Whether a block can be the caller's: a call without its arguments must not be run. */
function isWhole(block: unknown): block is Json {
  return isObject(block) && (!isObject(block["toolUse"]) || isObject(block["toolUse"]["input"]));
}

function blockOf(block: Json, names: ToolNames): Json[] {
  if (typeof block["text"] === "string") return [{ type: "text", text: block["text"] }];
  if (isObject(block["toolUse"])) return [toolUse(block["toolUse"], names)];
  if (isObject(block["reasoningContent"])) return reasoning(block["reasoningContent"]);
  if (isObject(block["citationsContent"])) {
    const said = arrayOf(block["citationsContent"]["content"]).map((part) => textOf(objectOf(part)["text"]) ?? "");
    return [{ type: "text", text: said.join("") }];
  }
  return []; // kinds that were never asked for
}

export function toolUse({ toolUseId, name, input }: Json, names: ToolNames): Json {
  return { type: "tool_use", id: toolUseId, name: names.full(String(name)), input: objectOf(input) };
}

function reasoning({ reasoningText, redactedContent }: Json): Json[] {
  if (typeof redactedContent === "string") return [{ type: "redacted_thinking", data: redactedContent }];
  return isObject(reasoningText) ? [{ type: "thinking", thinking: reasoningText["text"], signature: "" }] : [];
}

/** What was said before the end: a call, if any, may be the malformed one. */
export type Said = "nothing" | "text" | "call";

/**
 * Of a whole answer, or of a messageStop. What was said before an output became malformed is an answer: its provider bills it, and a caller's tools can
 * bring it about. It ends by a word that nobody knows, beside a call as one that was cut off, so that no client runs it. Throws where nothing was said.
 */
export function endOf({ stopReason, additionalModelResponseFields }: Json, said: Said): Json {
  if (isMalformed(stopReason) && said === "nothing") throw malformedOutput();
  if (isMalformed(stopReason) && said === "call") return { stop_reason: "max_tokens", stop_sequence: null };
  const sequence = objectOf(additionalModelResponseFields)["stop_sequence"];
  const isRefused = stopReason === "guardrail_intervened" || stopReason === "content_filtered";
  return { stop_reason: isRefused ? "refusal" : stopReason, stop_sequence: textOf(sequence) };
}

function isMalformed(stopReason: unknown): boolean {
  return stopReason === "malformed_model_output" || stopReason === "malformed_tool_use";
}

/** Of a whole answer, or of a stream's metadata. `inputTokens` counts neither cache; what was written for an hour is in the details. */
export function usageOf({ usage, serviceTier }: Json): Json | undefined {
  if (!isObject(usage)) return undefined;
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheWriteInputTokens, cacheDetails } = usage;
  const hour = arrayOf(cacheDetails)
    .filter((detail) => objectOf(detail)["ttl"] === "1h")
    .reduce((sum: number, detail) => sum + (count(objectOf(detail)["inputTokens"]) ?? 0), 0);
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_read_input_tokens: cacheReadInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    ...(hour === 0 ? {} : { cache_creation: { ephemeral_1h_input_tokens: hour } }),
    ...(isObject(serviceTier) ? { service_tier: serviceTier["type"] } : {}),
  };
}
