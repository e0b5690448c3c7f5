// POST /chat/completions: from the request's bytes to a plan, as one document or as a stream of chunks.
import { type Plan, planAnswer } from "../protocol.ts";
import { refuse } from "../request-fields.ts";
import { createdAt, madeUpId } from "../seed.ts";
import { widen } from "../words.ts";
import { answerChat, type Choice, labelsListed } from "./chat-answer.ts";
import { type ChatRequest, readChatRequest } from "./chat-request.ts";
import { chatUsage, countPrompt } from "./chat-usage.ts";
import { chatChunks, logprobOf } from "./chunks.ts";

/** sim-tokens-N times n: the words themselves are held in memory, streamed or not. */
const requestedTokensMax = 2_000_000;

export function planChat(body: Buffer): Plan {
  const request = readChatRequest(body);
  const { model, directives, stream } = request;
  if (request.choices * (directives.tokens ?? 0) > requestedTokensMax)
    refuse("n", `All choices together have at most ${requestedTokensMax} tokens.`);
  const promptTokens = countPrompt(request);
  const choices = answerChat(request);
  return planAnswer({
    model,
    directives,
    stream,
    tokens: choices.reduce((sum, choice) => sum + choice.tokens, 0),
    extraBytesPerToken: bytesOfLogprobs(request),
    whole: () => JSON.stringify(completion(request, promptTokens, choices)),
    records: () => chatChunks(request, promptTokens, choices),
    terminator: "[DONE]",
    inputTokens: promptTokens,
    searches: request.searches,
    hiddenTokens: directives.hiddenReasoning ? choices.reduce((sum, { reasoning }) => sum + reasoning.length, 0) : 0,
    tokensIn: (record) => (/"(?:content|reasoning|reasoning_content|arguments)":"[^"]/.test(record) ? 1 : 0),
  });
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
    ...(request.directives.noUsage ? {} : { usage: chatUsage(request, promptTokens, choices) }),
    service_tier: request.serviceTier,
    system_fingerprint: "fp_simulator",
  };
}

function completionChoice(request: ChatRequest, choice: Choice, index: number): Record<string, unknown> {
  const { seed, topLogprobs, directives } = request;
  const { reasoning, content, toolCalls, finishReason } = choice;
  const reasoningField = directives.reasoningField ? "reasoning" : "reasoning_content";
  const message = {
    role: "assistant",
    content: content === null ? null : content.map((token) => widen(token, directives)).join(""),
    refusal: null,
    ...(reasoning.length > 0 && !directives.hiddenReasoning ? { [reasoningField]: reasoning.join("") } : {}),
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
  const labels = labelsListed(request);
  const logprobs =
    topLogprobs === null || content === null
      ? null
      : { content: content.map((token, at) => logprobOf(token, `${seed}:${index}`, at, topLogprobs, labels)), refusal: null };
  return { index, message, logprobs, finish_reason: finishReason };
}
