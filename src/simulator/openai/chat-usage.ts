// Token counts of a chat: what a prompt costs to read, and the usage object with the directives that bend it.
import { countTokens } from "../prose.ts";
import { type Fields, isFields } from "../request-fields.ts";
import type { Choice } from "./chat-answer.ts";
import type { ChatRequest } from "./chat-request.ts";

/** Role and framing of each message. */
const tokensPerMessage = 4;
/** An image, sound or file counts the same whatever its size: the gateway can't know better either. */
const tokensPerMediaPart = 85;

interface ChatUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  /** Some hosts say how often they searched. */
  server_tool_use?: { web_search_requests: number };
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens?: number; audio_tokens: number };
  completion_tokens_details: Record<
    "reasoning_tokens" | "audio_tokens" | "accepted_prediction_tokens" | "rejected_prediction_tokens",
    number
  >;
}

export function countPrompt({ messages, fields }: ChatRequest): number {
  const spoken = messages.reduce((sum, message) => sum + tokensPerMessage + countMessage(message), 0);
  const tools = Array.isArray(fields["tools"]) ? fields["tools"] : [];
  const described = tools.reduce((sum: number, tool) => sum + countTokens(JSON.stringify(tool)), 0);
  const format = isFields(fields["response_format"]) ? fields["response_format"]["json_schema"] : undefined;
  return spoken + described + (format === undefined ? 0 : countTokens(JSON.stringify(format)));
}

export function chatUsage(request: ChatRequest, promptTokens: number, choices: readonly Choice[]): ChatUsage {
  const answered = choices.reduce((sum, choice) => sum + choice.tokens, 0);
  const reasoned = choices.reduce((sum, choice) => sum + choice.reasoning.length, 0);
  return usageOf(request, promptTokens, answered, reasoned);
}

/** Also for a stream that is still running, with the tokens it has sent so far. */
export function usageOf({ directives, searches }: ChatRequest, countedPrompt: number, answered: number, reasoned: number): ChatUsage {
  const prompt = directives.promptTokens ?? countedPrompt;
  const completion = directives.completionTokens ?? answered;
  const cached = Math.min(directives.cachedTokens ?? 0, prompt);
  const written =
    directives.cacheWriteTokens === undefined ? {} : { cache_write_tokens: Math.min(directives.cacheWriteTokens, prompt - cached) };
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    ...(searches > 0 && directives.searches !== undefined ? { server_tool_use: { web_search_requests: searches } } : {}),
    prompt_tokens_details: { cached_tokens: cached, ...written, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: Math.min(reasoned, completion),
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function countMessage(message: Fields): number {
  let tokens = typeof message["name"] === "string" ? countTokens(message["name"]) : 0;
  const { content, tool_calls: calls } = message;
  if (typeof content === "string") tokens += countTokens(content);
  if (Array.isArray(content)) {
    for (const part of content)
      tokens += isFields(part) && typeof part["text"] === "string" ? countTokens(part["text"]) : tokensPerMediaPart;
  }
  if (Array.isArray(calls)) tokens += calls.reduce((sum: number, call) => sum + countCall(call), 0);
  return tokens;
}

function countCall(call: unknown): number {
  const called = isFields(call) && isFields(call["function"]) ? call["function"] : {};
  return countTokens(textOf(called["name"])) + countTokens(textOf(called["arguments"]));
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
