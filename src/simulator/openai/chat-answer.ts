// What a chat says: reasoning, text or a document, or tool calls, each as the list of its tokens.
// Plain data for both forms of the reply (chat.ts, chunks.ts); counting and cutting happen here, once.
import { cutCalls, type ToolCall } from "../called-tools.ts";
import type { Knobs } from "../knob-list.ts";
import { type Random, seededRandom } from "../seed.ts";
import { stopAt, writeText, writeThought } from "../words.ts";
import type { ChatRequest } from "./chat-request.ts";
import { chooseLabel } from "./label-answer.ts";
import { callTools } from "./tools.ts";

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
  const reasoning = writeThought(random, request.reasoningTokens).slice(0, tokensMax);
  const left = tokensMax - reasoning.length;
  const calls = callTools(request, random, index);
  if (calls.length > 0) return finishCalls(reasoning, calls, left, knobs);

  const whole = chooseLabel(request, random) ?? writeText(request, random);
  const cut = left < whole.length ? whole.slice(0, left) : whole;
  const { tokens: content, stoppedBy } = stopAt(cut, request.stop);
  const finishReason = stoppedBy === null && cut.length < whole.length ? "length" : "stop";
  return { reasoning, content, toolCalls: [], finishReason: finishName(finishReason, knobs), tokens: reasoning.length + content.length };
}

/** A call's name and arguments count. */
function finishCalls(reasoning: string[], called: ToolCall[], tokensMax: number, knobs: Knobs): Choice {
  const { calls, isCut, tokens } = cutCalls(called, tokensMax);
  const finishReason = finishName(isCut ? "length" : "tool_calls", knobs);
  return { reasoning, content: null, toolCalls: calls, finishReason, tokens: reasoning.length + tokens };
}

function finishName(reason: string, knobs: Knobs): string {
  if (knobs.finishFiltered) return "content_filter";
  if (knobs.finishEos) return "eos";
  return knobs.finishEmpty ? "" : reason;
}
