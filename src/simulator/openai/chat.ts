// POST /chat/completions and POST /completions: from the request's bytes to a plan, as one document or as a stream of chunks.
import { countTokens, splitTokens } from "../prose.ts";
import { type Plan, planAnswer } from "../protocol.ts";
import { readFields, readWhole, refuse } from "../request-fields.ts";
import { createdAt, madeUpId } from "../seed.ts";
import { widen } from "../words.ts";
import { answerChat, type Choice, labelsListed } from "./chat-answer.ts";
import { type ChatRequest, readChatRequest } from "./chat-request.ts";
import { chatUsage, countPrompt, usageOf } from "./chat-usage.ts";
import { chatChunks, type ContentLogprob, inTurns, logprobOf } from "./chunks.ts";

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

// POST /completions: each prompt is continued as a chat's only message would be answered.

interface Continued {
  /** What the prompt is shown as where it is repeated, in tokens. */
  prompt: string[];
  /** The first of its words. */
  request: ChatRequest;
  choice: Choice;
}

export function planCompletion(body: Buffer): Plan {
  const fields = readFields(body);
  const prompts = readPrompts(fields["prompt"]);
  const n = readWhole(fields, "n", 1, 128) ?? 1;
  const bestOf = readWhole(fields, "best_of", 1, 128) ?? n;
  const stream = fields["stream"] === true;
  if (bestOf < n || (stream && bestOf > n)) refuse("best_of", "You requested that the server return more choices than it will generate.");
  const requests = prompts.map((prompt) => asChat(fields, textOfPrompt(prompt), bestOf));
  const made = requests.map(answerChat);
  const shown = requests.flatMap((request, at) =>
    made[at]!.slice(0, n).map((choice): Continued => ({ prompt: splitTokens(textOfPrompt(prompts[at]!)), request, choice })),
  );
  const { model, directives, includeUsage, seed, topLogprobs } = requests[0]!;
  const suffix = typeof fields["suffix"] === "string" ? countTokens(fields["suffix"]) : 0;
  const promptTokens = prompts.reduce<number>((sum, prompt) => sum + suffix + tokensOfPrompt(prompt), 0);
  const tokens = made.flat().reduce((sum, choice) => sum + choice.tokens, 0);
  const usage = directives.noUsage ? {} : { usage: usageOf(requests[0]!, promptTokens, tokens, 0) };
  const head = { id: madeUpId("cmpl-", seed), object: "text_completion", created: createdAt, model };
  const echo = fields["echo"] === true;
  return planAnswer({
    model,
    directives,
    stream,
    tokens,
    extraBytesPerToken: topLogprobs === null ? 0 : 80 * (topLogprobs + 1),
    whole: () => JSON.stringify({ ...head, choices: shown.map((one, index) => wholeText(one, index, echo)), ...usage }),
    *records() {
      for (const [, choice] of inTurns(shown.map((one, index) => textPieces(one, index, echo))))
        yield JSON.stringify({ ...head, choices: [choice] });
      if (includeUsage && !directives.noUsage) yield JSON.stringify({ ...head, choices: [], ...usage });
    },
    terminator: "[DONE]",
    inputTokens: promptTokens,
    hiddenTokens: 0,
    tokensIn: (record) => (/"text":"[^"]/.test(record) && !record.includes('"repeated":true') ? 1 : 0),
  });
}

type Prompt = string | number[];

function readPrompts(prompt: unknown): Prompt[] {
  const list: unknown[] = Array.isArray(prompt) && typeof prompt[0] !== "number" ? prompt : [prompt];
  const isPrompt = (one: unknown): one is Prompt => typeof one === "string" || (Array.isArray(one) && one.every(Number.isInteger));
  if (list.length === 0 || !list.every(isPrompt)) refuse("prompt", "Invalid 'prompt'.");
  return list;
}

/** Its tokens are numbers: each is shown as the same word of four bytes. */
const textOfPrompt = (prompt: Prompt): string =>
  typeof prompt === "string" ? prompt : prompt.map((token) => String(token % 1000).padStart(3, "0") + " ").join("");
const tokensOfPrompt = (prompt: Prompt): number => (typeof prompt === "string" ? countTokens(prompt) : prompt.length);

function asChat(
  { prompt: _prompt, best_of: _bestOf, echo: _echo, suffix: _suffix, ...fields }: Record<string, unknown>,
  text: string,
  n: number,
): ChatRequest {
  const chat = readChatRequest(Buffer.from(JSON.stringify({ ...fields, messages: [{ role: "user", content: text }], n })));
  return { ...chat, reasoningTokens: 0 };
}

function wholeText(one: Continued, index: number, echo: boolean): Record<string, unknown> {
  const pieces = [...textPieces(one, index, echo)];
  const lists = pieces.flatMap(({ logprobs }) => logprobs ?? []);
  const all = <Key extends keyof TextLogprobs>(key: Key) => lists.flatMap((list) => list[key] as unknown[]);
  return {
    text: pieces.map(({ text }) => text).join(""),
    index,
    logprobs:
      lists.length === 0
        ? null
        : {
            tokens: all("tokens"),
            token_logprobs: all("token_logprobs"),
            top_logprobs: all("top_logprobs"),
            text_offset: all("text_offset"),
          },
    finish_reason: one.choice.finishReason,
  };
}

interface TextLogprobs {
  tokens: string[];
  token_logprobs: (number | null)[];
  top_logprobs: (Record<string, number> | null)[];
  text_offset: number[];
}

interface TextPiece {
  text: string;
  index: number;
  logprobs: TextLogprobs | null;
  finish_reason: string | null;
  /** Of a prompt that is repeated; hosts add members of their own. */
  repeated?: true;
}

function textLogprobs({ token, logprob, top_logprobs: top }: ContentLogprob, offset: number, isFirst: boolean): TextLogprobs {
  return {
    tokens: [token],
    token_logprobs: [isFirst ? null : logprob],
    top_logprobs: [isFirst ? null : Object.fromEntries(top.map((one) => [one.token, one.logprob]))],
    text_offset: [offset],
  };
}

/** The last one has no text. */
function* textPieces({ prompt, request, choice }: Continued, index: number, echo: boolean): Generator<TextPiece> {
  const { topLogprobs, seed, directives } = request;
  const before = echo ? prompt : [];
  let offset = 0;
  for (const [at, token] of [...before, ...(choice.content ?? [])].entries()) {
    const text = at < before.length ? token : widen(token, directives);
    const isFirst = at === 0 && echo; // it follows from nothing
    const logprobs = topLogprobs === null ? null : textLogprobs(logprobOf(text, `${seed}:${index}`, at, topLogprobs), offset, isFirst);
    offset += text.length;
    const repeated = at < before.length ? { repeated: true as const } : {};
    yield { text, index, logprobs, finish_reason: null, ...repeated };
  }
  yield { text: "", index, logprobs: null, finish_reason: choice.finishReason };
}
