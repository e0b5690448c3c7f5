// Token counts of a message: what a prompt costs to read, and the usage object with the directives that bend it.
import { countTokens } from "../prose.ts";
import { type Fields, isFields } from "../request-fields.ts";
import type { Answer } from "./answer.ts";
import type { MessageRequest } from "./read-request.ts";

/** Role and framing of each message. */
const tokensPerMessage = 4;
/** An image or document counts the same whatever its size: the gateway can't know better either. */
const tokensPerMediaBlock = 85;

interface MessageUsage {
  input_tokens: number;
  cache_creation_input_tokens: number;
  cache_read_input_tokens: number;
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number };
  server_tool_use?: { web_search_requests: number; web_fetch_requests: number };
}

/** What a search finds or a fetch brings, which the model reads from then on. */
const tokensPerResult = 120;

/** Reads the conversation again after each of them. */
export function promptWithResults({ searches, fetches }: Pick<MessageRequest, "searches" | "fetches">, promptTokens: number): number {
  const results = searches + fetches;
  return promptTokens * (1 + results) + (tokensPerResult * results * (results + 1)) / 2;
}

export function countPrompt({ fields, messages }: Pick<MessageRequest, "fields" | "messages">): number {
  const spoken = messages.reduce((sum, message) => sum + tokensPerMessage + countContent(message["content"]), 0);
  const tools = Array.isArray(fields["tools"]) ? fields["tools"] : [];
  const described = tools.reduce((sum: number, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  const output = fields["output_config"];
  const format = isFields(output) && isFields(output["format"]) ? countTokens(JSON.stringify(output["format"]["schema"])) : 0;
  const system = fields["system"] === undefined ? 0 : tokensPerMessage + countContent(fields["system"]);
  return system + spoken + described + format;
}

/** `input_tokens` is what is neither read from a cache nor written into one. */
export function usageOf(
  { directives, searches, fetches }: MessageRequest,
  countedPrompt: number,
  answered: number,
  thought: number,
): MessageUsage {
  const prompt = directives.promptTokens ?? countedPrompt;
  const read = Math.min(directives.cachedTokens ?? 0, prompt);
  const written = Math.min(directives.cacheWriteTokens ?? 0, prompt - read);
  const output = directives.completionTokens ?? answered;
  return {
    input_tokens: prompt - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: output,
    output_tokens_details: { thinking_tokens: Math.min(thought, output) },
    ...(searches + fetches === 0 ? {} : { server_tool_use: { web_search_requests: searches, web_fetch_requests: fetches } }),
  };
}

/** The whole object of a message; that of a `message_delta` has no more than the figures. */
export function messageUsage(request: MessageRequest, countedPrompt: number, answered: Pick<Answer, "tokens" | "thinkingTokens">): Fields {
  const usage = usageOf(request, countedPrompt, answered.tokens, answered.thinkingTokens);
  const written = usage.cache_creation_input_tokens;
  const anHour = JSON.stringify([request.fields["system"], request.fields["tools"], request.messages]).includes('"ttl":"1h"');
  return {
    ...usage,
    cache_creation: { ephemeral_5m_input_tokens: anHour ? 0 : written, ephemeral_1h_input_tokens: anHour ? written : 0 },
    server_tool_use: usage.server_tool_use ?? null,
    service_tier: "standard",
  };
}

function countContent(content: unknown): number {
  if (typeof content === "string") return countTokens(content);
  if (!Array.isArray(content)) return 0;
  return content.reduce((sum: number, block) => sum + (isFields(block) ? countBlock(block) : 0), 0);
}

function countBlock(block: Fields): number {
  if (typeof block["text"] === "string") return countTokens(block["text"]);
  if (typeof block["thinking"] === "string") return countTokens(block["thinking"]);
  if (block["type"] === "tool_use") return countTokens(String(block["name"])) + countTokens(JSON.stringify(block["input"]));
  if (block["type"] === "tool_result") return countContent(block["content"]);
  return tokensPerMediaBlock;
}
