// A chat answer as OpenAI streams it: a role chunk, a chunk per token, a finish chunk per choice, a usage chunk when asked.
// Several choices take turns. The directives that make other hosts' habits of it stand here too.
import type { ToolCall } from "../called-tools.ts";
import { createdAt, madeUpId, seededRandom } from "../seed.ts";
import { widen } from "../words.ts";
import { type Choice, labelsListed } from "./chat-answer.ts";
import type { ChatRequest } from "./chat-request.ts";
import { chatUsage, usageOf } from "./chat-usage.ts";

/** One step of a choice: what its chunk says, and how many tokens that was. */
interface Step {
  delta: Record<string, unknown>;
  logprobs?: unknown;
  finishReason: string | null;
  tokens: number;
  reasoned: number;
}

export function* chatChunks(request: ChatRequest, promptTokens: number, choices: readonly Choice[]): Iterable<string> {
  const { directives, includeUsage } = request;
  const head = {
    id: madeUpId("chatcmpl-", request.seed),
    object: "chat.completion.chunk",
    created: createdAt,
    model: request.model,
    ...(request.fields["service_tier"] === undefined && directives.tier === undefined ? {} : { service_tier: request.serviceTier }),
    system_fingerprint: "fp_simulator",
  };
  const shown = !directives.noUsage;
  let chosen = 0;
  let reasoned = 0;
  for (const [index, step] of inTurns(choices.map((choice, at) => steps(request, choice, `${request.seed}:${at}`)))) {
    chosen += step.tokens;
    reasoned += step.reasoned;
    const usage = shown && (directives.usageEveryChunk || (directives.usageInFinish && step.finishReason !== null));
    const usageField = usage ? { usage: usageOf(request, promptTokens, chosen, reasoned) } : includeUsage && shown ? { usage: null } : {};
    yield JSON.stringify({
      ...head,
      choices: [{ index, delta: step.delta, logprobs: step.logprobs ?? null, finish_reason: step.finishReason }],
      ...usageField,
    });
  }
  if (!shown || !includeUsage || directives.usageInFinish) return;
  if (directives.usageLate) {
    yield JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: null }], usage: null });
    yield JSON.stringify({ ...head, choices: [], usage: null });
  }
  const last = JSON.stringify({ ...head, choices: [], usage: chatUsage(request, promptTokens, choices) });
  yield last;
  if (directives.usageTwice) yield last;
}

function* steps(request: ChatRequest, choice: Choice, seed: string): Generator<Step> {
  const { directives, topLogprobs } = request;
  const toolsOnly = choice.content === null;
  const labels = labelsListed(request);
  const hidden = directives.hiddenReasoning ? choice.reasoning.length : 0;
  yield { ...step({ role: "assistant", content: toolsOnly ? null : "", refusal: null }, hidden), reasoned: hidden };
  const reasoningField = directives.reasoningField ? "reasoning" : "reasoning_content";
  for (const token of hidden > 0 ? [] : choice.reasoning) yield { ...step({ [reasoningField]: token }, 1), reasoned: 1 };
  for (const [at, token] of (choice.content ?? []).entries()) {
    const logprobs = topLogprobs === null ? null : { content: [logprobOf(token, seed, at, topLogprobs, labels)], refusal: null };
    yield { ...step({ content: widen(token, directives) }, 1), logprobs };
  }
  const calls = choice.toolCalls.map((call, index) => toolSteps(request, call, index));
  if (directives.interleavedTools) for (const [, next] of inTurns(calls)) yield next;
  else for (const call of calls) yield* call;
  yield { ...step({}, 0), finishReason: choice.finishReason };
}

/** OpenAI names the call once and streams its arguments; other hosts repeat the names as null, or give the call whole. */
function* toolSteps({ directives }: ChatRequest, call: ToolCall, index: number): Generator<Step> {
  const position = directives.noToolIndex ? {} : { index };
  const first = (text: string) => ({ ...position, id: call.id, type: "function", function: { name: call.name, arguments: text } });
  if (directives.wholeToolCalls || directives.noToolIndex) {
    yield step({ tool_calls: [first(call.argumentTokens.join(""))] }, call.nameTokens + call.argumentTokens.length);
    return;
  }
  yield step({ tool_calls: [first("")] }, call.nameTokens);
  const nulls = directives.nullToolFields ? { id: null, type: null } : {};
  for (const token of call.argumentTokens) {
    const called = directives.nullToolFields ? { name: null, arguments: token } : { arguments: token };
    yield step({ tool_calls: [{ ...position, ...nulls, function: called }] }, 1);
  }
}

function step(delta: Record<string, unknown>, tokens: number): Step {
  return { delta, finishReason: null, tokens, reasoned: 0 };
}

/** One step of each choice after the other, until all have ended. */
export function* inTurns<Item>(sources: Generator<Item>[]): Iterable<[number, Item]> {
  const open = new Set(sources.keys());
  while (open.size > 0) {
    for (const index of open) {
      const next = sources[index]!.next();
      if (next.done) open.delete(index);
      else yield [index, next.value];
    }
  }
}

// Made-up log probabilities in the real shape: the chosen token is the likeliest, and all alternatives together stay below 1.

interface TokenLogprob {
  token: string;
  logprob: number;
  bytes: number[];
}

export interface ContentLogprob extends TokenLogprob {
  top_logprobs: TokenLogprob[];
}

const alternatives = "The |the |And |and |You |One |Two |Old |New |Red |Sea |Sky |Yes |No |A|B|C|It |Now |For |But |So ".split("|");

/**
 * One entry; `at` and the seed decide its figures, so that a streamed answer carries the same ones as a whole one. The other
 * `labels` are its likeliest alternatives.
 */
export function logprobOf(token: string, seed: string, at: number, top: number, labels: readonly string[] = []): ContentLogprob {
  const random = seededRandom(`${seed}:logprob:${at}`);
  // At least one half, so that no alternative can be likelier than the chosen token.
  let probability = 0.5 + random() * 0.49;
  const chosen = entry(token, probability);
  const first = labels.filter((label) => label !== token);
  const others = alternatives.filter((other) => other !== token && !labels.includes(other));
  let left = 1 - probability;
  const list = top > 0 ? [chosen] : [];
  while (list.length < top) {
    probability = left * 0.5;
    left -= probability;
    const from = first.length > 0 ? first : others;
    list.push(entry(from.splice(Math.floor(random() * from.length), 1)[0]!, probability));
  }
  return { ...chosen, top_logprobs: list };
}

function entry(token: string, probability: number): TokenLogprob {
  return { token, logprob: Math.log(probability), bytes: [...Buffer.from(token)] };
}
