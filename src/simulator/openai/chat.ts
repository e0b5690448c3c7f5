// POST /chat/completions: from the request's bytes to a plan, as one document or as a stream of chunks.
import { hasFault } from "../knobs.ts";
import { jsonReply, type Plan } from "../protocol.ts";
import { refuse } from "../refused.ts";
import { madeUpId } from "../seed.ts";
import { answerChat, widen, type Choice } from "./chat-answer.ts";
import { readChatRequest, type ChatRequest } from "./chat-request.ts";
import { chatUsage, countPrompt } from "./chat-usage.ts";
import { chatChunks } from "./chunks.ts";
import { logprobOf } from "./logprobs.ts";
import { createdAt } from "./models.ts";

/** A stream up to here is made once and kept as text; a longer one is made anew as it is sent. */
const keptTokensMax = 1000;
/** A chunk's JSON without logprobs, roughly. */
const bytesPerChunk = 300;
/** An answer in one piece is held in memory; the chunks of a stream aren't. */
const wholeBytesMax = 64 * 1024 * 1024;
/** sim-tokens-N times n: the words themselves are held in memory, streamed or not. */
const orderedTokensMax = 2_000_000;

export function planChat(body: Buffer): Plan {
  const request = readChatRequest(body);
  const { model, knobs } = request;
  if (request.choices * (knobs.tokens ?? 0) > orderedTokensMax)
    refuse("n", `All choices together have at most ${orderedTokensMax} tokens.`);
  const promptTokens = countPrompt(request);
  const choices = answerChat(request);
  const tokens = choices.reduce((sum, choice) => sum + choice.tokens, 0);
  const bytes = tokens * Math.max(knobs.bigBytes ?? 0, bytesPerChunk + bytesOfLogprobs(request));
  if (!request.stream) {
    if (bytes > wholeBytesMax) refuse("model", "An answer of more than 64 MB can only be streamed.");
    return { model, knobs, reply: jsonReply(200, JSON.stringify(completion(request, promptTokens, choices))), bytes };
  }
  const keeps = tokens <= keptTokensMax && knobs.bigBytes === undefined && !hasFault(knobs);
  let kept: string[] | null = null;
  const records = () => (keeps ? (kept ??= [...chatChunks(request, promptTokens, choices)]) : chatChunks(request, promptTokens, choices));
  return { model, knobs, reply: { kind: "stream", records, terminator: "[DONE]" }, bytes };
}

function bytesOfLogprobs({ topLogprobs }: ChatRequest): number {
  return topLogprobs === null ? 0 : 80 * (topLogprobs + 1);
}

function completion(request: ChatRequest, promptTokens: number, choices: Choice[]): Record<string, unknown> {
  return {
    id: madeUpId("chatcmpl-", request.seed),
    object: "chat.completion",
    created: createdAt,
    model: request.model,
    choices: choices.map((choice, index) => completionChoice(request, choice, index)),
    ...(request.knobs.noUsage ? {} : { usage: chatUsage(request, promptTokens, choices) }),
    service_tier: "default",
    system_fingerprint: "fp_simulator",
  };
}

function completionChoice({ seed, topLogprobs, knobs }: ChatRequest, choice: Choice, index: number): Record<string, unknown> {
  const { reasoning, content, toolCalls, finishReason } = choice;
  const reasoningField = knobs.reasoningField ? "reasoning" : "reasoning_content";
  const message = {
    role: "assistant",
    content: content === null ? null : content.map((token) => widen(token, knobs)).join(""),
    refusal: null,
    ...(reasoning.length > 0 ? { [reasoningField]: reasoning.join("") } : {}),
    ...(toolCalls.length > 0
      ? {
          tool_calls: toolCalls.map(({ id, name, argumentTokens }) => ({
            id,
            type: "function",
            function: { name, arguments: argumentTokens.join("") },
          })),
        }
      : {}),
  };
  const logprobs =
    topLogprobs === null || content === null
      ? null
      : { content: content.map((token, at) => logprobOf(token, `${seed}:${index}`, at, topLogprobs)), refusal: null };
  return { index, message, logprobs, finish_reason: finishReason };
}
