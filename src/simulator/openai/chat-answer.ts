// What a chat says: reasoning, text or a document, or tool calls, each as the list of its tokens.
// Plain data for both forms of the reply (completion.ts, chunks.ts); counting and cutting happen here, once.
import type { Knobs } from "../knobs.ts";
import { echo, writeSentences } from "../prose.ts";
import { sampleSchema } from "../schema-sample.ts";
import { seededRandom, wholeBetween, type Random } from "../seed.ts";
import { splitTokens } from "../tokens.ts";
import type { ChatRequest } from "./chat-request.ts";
import { callTools, type ToolCall } from "./tools.ts";

export interface Choice {
  reasoning: string[];
  /** Null where tools are called instead. */
  content: string[] | null;
  toolCalls: ToolCall[];
  finishReason: string;
  /** All of it, reasoning included. */
  tokens: number;
}

export function answerChat(request: ChatRequest): Choice[] {
  return Array.from({ length: request.choices }, (_, index) => answerOnce(request, seededRandom(`${request.seed}:${index}`), index));
}

function answerOnce(request: ChatRequest, random: Random, index: number): Choice {
  const { knobs, tokensMax } = request;
  const thought =
    request.reasoningTokens > 0 ? splitTokens(writeSentences(random, request.reasoningTokens)).slice(0, request.reasoningTokens) : [];
  const reasoning = thought.slice(0, tokensMax);
  const left = tokensMax - reasoning.length;
  const calls = callTools(request, random, index);
  if (calls.length > 0) return finishCalls(reasoning, calls, left, knobs);

  const whole = writeText(request, random);
  const cut = left < whole.length ? whole.slice(0, left) : whole;
  const content = stopAt(cut, request.stop);
  const finishReason = content === cut && cut.length < whole.length ? "length" : "stop";
  return { reasoning, content, toolCalls: [], finishReason: finishName(finishReason, knobs), tokens: reasoning.length + content.length };
}

/** sim-big-N: a token is shown N bytes wide, and still counts as one. Widened where it is sent, so that memory stays flat. */
export function widen(token: string, { bigBytes }: Knobs): string {
  return bigBytes === undefined ? token : token + ".".repeat(Math.max(0, bigBytes - Buffer.byteLength(token)));
}

/** The tokens of a text or a document; sim-tokens-N sets how many. */
function writeText(request: ChatRequest, random: Random): string[] {
  const { knobs, documentSchema } = request;
  if (documentSchema !== null) return splitTokens(JSON.stringify(sampleSchema(documentSchema, random)));
  const lengthMin = knobs.tokens ?? wholeBetween(random, 16, 48);
  const opening = echo(request.userText);
  const tokens = splitTokens(opening + writeSentences(random, lengthMin));
  return knobs.tokens === undefined ? tokens : tokens.slice(0, knobs.tokens);
}

/** The same list where no stop sequence occurs; else the text before the first one, cut into tokens anew. */
function stopAt(tokens: string[], stop: string[]): string[] {
  if (stop.length === 0) return tokens;
  const text = tokens.join("");
  const at = Math.min(...stop.map((sequence) => text.indexOf(sequence)).filter((position) => position >= 0));
  return Number.isFinite(at) ? splitTokens(text.slice(0, at)) : tokens;
}

/** A call's name and arguments count; where the limit is met, the arguments end in the middle, as they do at real hosts. */
function finishCalls(reasoning: string[], calls: ToolCall[], tokensMax: number, knobs: Knobs): Choice {
  let left = tokensMax;
  const toolCalls: ToolCall[] = [];
  let finishReason = "tool_calls";
  for (const call of calls) {
    const argumentTokens = call.argumentTokens.slice(0, Math.max(0, left - call.nameTokens));
    if (left < call.nameTokens + call.argumentTokens.length) finishReason = "length";
    if (left < call.nameTokens) break;
    left -= call.nameTokens + argumentTokens.length;
    toolCalls.push({ ...call, argumentTokens });
  }
  const called = toolCalls.reduce((sum, call) => sum + call.nameTokens + call.argumentTokens.length, 0);
  return { reasoning, content: null, toolCalls, finishReason: finishName(finishReason, knobs), tokens: reasoning.length + called };
}

function finishName(reason: string, knobs: Knobs): string {
  if (knobs.finishFiltered) return "content_filter";
  if (knobs.finishEos) return "eos";
  return knobs.finishEmpty ? "" : reason;
}
