// A chat answer as OpenAI streams it: a role chunk, a chunk per token, a finish chunk per choice, a usage chunk when asked.
// Several choices take turns. The knobs that make other hosts' habits of it stand here too.
import type { ToolCall } from "../called-tools.ts";
import { madeUpId } from "../seed.ts";
import { widen } from "../words.ts";
import type { Choice } from "./chat-answer.ts";
import type { ChatRequest } from "./chat-request.ts";
import { chatUsage, usageOf } from "./chat-usage.ts";
import { labelsListed } from "./label-answer.ts";
import { logprobOf } from "./logprobs.ts";
import { createdAt } from "./models.ts";

/** One step of a choice: what its chunk says, and how many tokens that was. */
interface Step {
  delta: Record<string, unknown>;
  logprobs?: unknown;
  finishReason: string | null;
  tokens: number;
  reasoned: number;
}

export function* chatChunks(request: ChatRequest, promptTokens: number, choices: readonly Choice[]): Iterable<string> {
  const { knobs, includeUsage } = request;
  const head = {
    id: madeUpId("chatcmpl-", request.seed),
    object: "chat.completion.chunk",
    created: createdAt,
    model: request.model,
    system_fingerprint: "fp_simulator",
  };
  const shown = !knobs.noUsage;
  let said = 0;
  let reasoned = 0;
  for (const [index, step] of inTurns(choices.map((choice, at) => steps(request, choice, `${request.seed}:${at}`)))) {
    said += step.tokens;
    reasoned += step.reasoned;
    const usage = shown && (knobs.usageEveryChunk || (knobs.usageInFinish && step.finishReason !== null));
    const usageField = usage ? { usage: usageOf(request, promptTokens, said, reasoned) } : includeUsage && shown ? { usage: null } : {};
    yield JSON.stringify({
      ...head,
      choices: [{ index, delta: step.delta, logprobs: step.logprobs ?? null, finish_reason: step.finishReason }],
      ...usageField,
    });
  }
  if (!shown || !includeUsage || knobs.usageInFinish) return;
  if (knobs.usageLate) {
    yield JSON.stringify({ ...head, choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: null }], usage: null });
    yield JSON.stringify({ ...head, choices: [], usage: null });
  }
  const last = JSON.stringify({ ...head, choices: [], usage: chatUsage(request, promptTokens, choices) });
  yield last;
  if (knobs.usageTwice) yield last;
}

function* steps(request: ChatRequest, choice: Choice, seed: string): Generator<Step> {
  const { knobs, topLogprobs } = request;
  const toolsOnly = choice.content === null;
  const labels = labelsListed(request);
  yield step({ role: "assistant", content: toolsOnly ? null : "", refusal: null }, 0);
  const reasoningField = knobs.reasoningField ? "reasoning" : "reasoning_content";
  for (const token of choice.reasoning) yield { ...step({ [reasoningField]: token }, 1), reasoned: 1 };
  for (const [at, token] of (choice.content ?? []).entries()) {
    const logprobs = topLogprobs === null ? null : { content: [logprobOf(token, seed, at, topLogprobs, labels)], refusal: null };
    yield { ...step({ content: widen(token, knobs) }, 1), logprobs };
  }
  const calls = choice.toolCalls.map((call, index) => toolSteps(request, call, index));
  if (knobs.interleavedTools) for (const [, next] of inTurns(calls)) yield next;
  else for (const call of calls) yield* call;
  yield { ...step({}, 0), finishReason: choice.finishReason };
}

/** OpenAI names the call once and streams its arguments; other hosts repeat the names as null, or give the call whole. */
function* toolSteps({ knobs }: ChatRequest, call: ToolCall, index: number): Generator<Step> {
  const position = knobs.noToolIndex ? {} : { index };
  const first = (text: string) => ({ ...position, id: call.id, type: "function", function: { name: call.name, arguments: text } });
  if (knobs.wholeToolCalls || knobs.noToolIndex) {
    yield step({ tool_calls: [first(call.argumentTokens.join(""))] }, call.nameTokens + call.argumentTokens.length);
    return;
  }
  yield step({ tool_calls: [first("")] }, call.nameTokens);
  const nulls = knobs.nullToolFields ? { id: null, type: null } : {};
  for (const token of call.argumentTokens) {
    const called = knobs.nullToolFields ? { name: null, arguments: token } : { arguments: token };
    yield step({ tool_calls: [{ ...position, ...nulls, function: called }] }, 1);
  }
}

function step(delta: Record<string, unknown>, tokens: number): Step {
  return { delta, finishReason: null, tokens, reasoned: 0 };
}

/** One step of each choice after the other, until all have ended. */
function* inTurns(sources: Generator<Step>[]): Iterable<[number, Step]> {
  const open = new Set(sources.keys());
  while (open.size > 0) {
    for (const index of open) {
      const next = sources[index]!.next();
      if (next.done) open.delete(index);
      else yield [index, next.value];
    }
  }
}
