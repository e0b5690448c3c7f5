// Reads a Converse answer as the Anthropic dialect has it: blocks, stop reasons, usage. The readers of anthropic/ do the rest.
import { arrayOf, count, isObject, type Json, objectOf, textOf } from "../json/read.ts";
import type { ToolNames } from "../translation/tool-names.ts";
import { unreadable } from "../transport/json.ts";

/** A message in the Anthropic dialect. Throws for an answer that says its output is malformed. */
export function messageOfConverse(answer: Json, names: ToolNames): Json {
  const message = objectOf(objectOf(answer["output"])["message"]);
  const content = message["content"];
  return {
    content: Array.isArray(content) ? content.filter(isObject).flatMap((block) => blockOf(block, names)) : undefined,
    ...endOf(answer),
    usage: usageOf(answer),
  };
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

/** Of a whole answer, or of a messageStop. */
export function endOf({ stopReason, additionalModelResponseFields }: Json): Json {
  if (stopReason === "malformed_model_output" || stopReason === "malformed_tool_use") throw unreadable("the model's output is malformed");
  const sequence = objectOf(additionalModelResponseFields)["stop_sequence"];
  const isRefused = stopReason === "guardrail_intervened" || stopReason === "content_filtered";
  return { stop_reason: isRefused ? "refusal" : stopReason, stop_sequence: textOf(sequence) };
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
