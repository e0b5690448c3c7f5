// Decisions: one chat call for each question, in parallel, all on one route, charged as one request
// (docs/behaviour/endpoints.md#decisions).
import type { components } from "../../../generated/api.d.ts";
import type { Ask } from "../../calls/ask.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors/fail.ts";
import { uuidHex } from "../../ids.ts";
import { noOutput } from "../context-window.ts";
import { type PromptSize, sizeOf } from "../prompt-size.ts";
import { type RequestAdapter, serveWhole } from "../serve.ts";
import { toUsd } from "../../money.ts";
import { UpstreamError } from "../../providers/errors/upstream-error.ts";
import type { Whole } from "../../providers/types.ts";
import { adapterOf } from "../../routing/candidates.ts";
import { noUsage, sumOfUsages, type Usage } from "../../usage.ts";
import { UnfinishedCall } from "../abandoned-call.ts";
import { type Decided, decideQuestion, type DecisionRoute, documentFields, documentPrompt, labelPrompt } from "./question.ts";
import { decisionModelName, type DecisionTask, decisionTask, type Question } from "./request.ts";

interface DecisionsWhole extends Whole {
  /** One for each question, in their order. */
  answers: Decided["answer"][];
}

/** One caller's questions must not take all of a provider's connections. */
const questionsAtOnce = 16;
/** The question's own message, and the state's. */
const messagesAQuestion = 2;

function decisionAdapter(
  { providers }: Pick<Context, "providers">,
  model: string,
  { state, questions, routing }: DecisionTask,
): RequestAdapter<DecisionsWhole> {
  return {
    model,
    type: "decisions",
    stream: false,
    assertFits: () => undefined,
    fits: () => true,
    measure: () => decisionSize(state, questions),
    cap: noOutput,
    routing,
    async call({ candidate, upstream }) {
      const chat = adapterOf(providers.chat, candidate);
      const route: DecisionRoute = { chat, upstream, state, noLogprobs: false };
      const { disconnect } = upstream;
      const asked: Question[] = [];
      const ask = (question: Question, signal: AbortSignal) => {
        asked.push(question);
        return decideQuestion(route, question, signal);
      };
      const isGone = () => disconnect?.isGone() ?? false;
      // What was asked is billed, the rest never is; without its answers there is nothing to keep for a repeat.
      const unfinished = (usage: Usage | null) => new UnfinishedCall(usage, () => countQuestions(state, asked));
      try {
        const decided = await sideBySide(questions, { atOnce: questionsAtOnce, signal: upstream.signal, stops: isGone }, ask);
        const usage = sumOfUsages(decided.map((one) => one.usage));
        if (decided.length < questions.length) throw unfinished(usage);
        return { kind: "whole", usage, answers: decided.map(({ answer }) => answer) };
      } catch (error) {
        if (disconnect?.stopUpstream.aborted && asked.length < questions.length) throw unfinished(null);
        throw asOurs(error);
      }
    },
    charactersOf: ({ answers }) => answers.length * charactersAToken,
    declared: inOwnCodes,
  };
}

/** For an answer whose upstream reports no usage: each counts as one token at least. */
const charactersAToken = 4;

/** The prompts of the questions that were asked, by labels. */
async function countQuestions(state: string, asked: readonly Question[]): Promise<Usage> {
  return { ...noUsage, input: await decisionSize(state, asked).countTokens() };
}

/** Each question reads the whole state; a route without log probabilities is asked twice. */
function decisionSize(state: string, questions: readonly Question[]): PromptSize {
  const stateSize = sizeOf({ texts: [state], messages: messagesAQuestion, images: 0 });
  const labelled = sizeOf({ texts: questions.map(labelPrompt), messages: 0, images: 0 });
  const documents = questions.map((question) => documentPrompt(question) + JSON.stringify(documentFields(question)));
  const asDocuments = sizeOf({ texts: documents, messages: 0, images: 0 });
  const { length } = questions;
  return {
    tokensMax: 2 * length * stateSize.tokensMax + labelled.tokensMax + asDocuments.tokensMax,
    tokensLikely: length * stateSize.tokensLikely + labelled.tokensLikely,
    images: 0,
    contexts: 2 * length,
    prompts: length,
    uncountedMax: () => 0,
    countTokens: async () => length * (await stateSize.countTokens()) + (await labelled.countTokens()),
  };
}

/** The caller cannot fix a prompt that the gateway wrote and a route rejects: the next route is tried. */
function asOurs(error: unknown): unknown {
  if (!(error instanceof UpstreamError) || error.fault !== "rejected" || !ownFields.test(error.param ?? "")) return error;
  return new UpstreamError("gone", error.reason, { status: error.status, cause: error });
}

const ownFields = /^(?:model|max_tokens|temperature|(?:top_)?logprobs|response_format|messages\[0\])/;

/** The operation declares no codes for content that an upstream rejects or refuses: what the caller chose is the state and its questions. */
function inOwnCodes(error: unknown): unknown {
  if (!(error instanceof ApiError) || (error.code !== "request_rejected" && error.code !== "route_refused")) return error;
  const { text, cause } = error.details;
  const reason = `the model ${error.code === "route_refused" ? "refused" : "rejected"} it: ${text?.["reason"] ?? ""}`;
  return new ApiError("invalid_parameter", { param: "state", text: { param: "state", reason }, cause });
}

// Runs a function over many items with bounded parallelism; the first failure cancels the others.

interface Running {
  atOnce: number;
  signal: AbortSignal;
  /** Whether no further item is to be begun. */
  stops(): boolean;
}

/**
 * Results in the items' order: of all of them, or of the first ones where it was to stop. Rejects with the first failure, once everything that
 * ran has ended; `work` gets a signal that fires then, or when `signal` does.
 */
export async function sideBySide<Item, Result>(
  items: readonly Item[],
  { atOnce, signal, stops }: Running,
  work: (item: Item, signal: AbortSignal) => Promise<Result>,
): Promise<Result[]> {
  const failed = new AbortController();
  const either = AbortSignal.any([signal, failed.signal]);
  const results: Result[] = [];
  let next = 0;
  const workThrough = async () => {
    while (next < items.length && !(next > 0 && stops())) {
      const at = next++;
      either.throwIfAborted();
      results[at] = await work(items[at] as Item, either);
    }
  };
  const running = Array.from({ length: Math.min(atOnce, items.length) }, workThrough);
  try {
    await Promise.all(running);
  } catch (error) {
    failed.abort(error);
    await Promise.allSettled(running);
    throw error;
  }
  return results;
}

// From request to body, the same under both paths.

type Schemas = components["schemas"];

export async function answerDecision(
  context: Context,
  ask: Ask,
  request: Schemas["DecisionRequest"],
): Promise<{ headers: Record<string, string>; body: Schemas["DecisionResult"] }> {
  const task = decisionTask(request);
  const name = decisionModelName(context.catalog, request.model);
  const { answer, bill, call, headers } = await serveWhole(context, ask, decisionAdapter(context, name, task));
  const { input, cacheRead, cacheWrite, output } = bill.usage;
  return {
    headers,
    body: {
      id: `dec_${uuidHex(call.hold.id)}`,
      model: call.admitted.model.id,
      answers: Object.fromEntries(task.questions.map(({ id }, at) => [id, answer.answers[at]!])),
      usage: { input_tokens: input + cacheRead + cacheWrite, output_tokens: output, cost: toUsd(bill.cost) },
    },
  };
}
