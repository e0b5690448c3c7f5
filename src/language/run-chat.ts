// The story of a chat request: resolve, gate, count, reserve, route, charge. Answers in plain values; the dialects
// (chat, messages, completions) differ only before and after it.
import { type OperationId, operations } from "../../generated/operations.ts";
import type { Model } from "../catalog/types.ts";
import type { Caller, Context } from "../context.ts";
import { shownError } from "../error-text.ts";
import { ApiError } from "../fail.ts";
import { countCall, orGiveBack } from "../limits/call.ts";
import type { ChatCompletion, ChatStream, ChatWhole } from "../providers/types.ts";
import { UpstreamError } from "../providers/types.ts";
import { attempt } from "../routing/attempt.ts";
import { type Candidate, candidatesOf } from "../routing/candidates.ts";
import { GatewayStopping } from "../stopping.ts";
import { noUsage, type Usage } from "../usage.ts";
import { admitModel, assertMayUse, mayUse, tokenPricesOf } from "./admit.ts";
import { type Bill, openCall, type OpenCall } from "./open-call.ts";
import { suggestOthers } from "./other-models.ts";
import { countedOutputTokens, promptSize } from "./prompt-size.ts";
import { assertDeclares, declares, requirementsOf } from "./requirements.ts";
import { type Hold, type OutputCap, reserveTokens } from "./reserve.ts";
import { routeHeaders } from "./route-headers.ts";
import { type ChatFields, upstreamBody } from "./upstream-body.ts";

export interface ChatAsk {
  operation: OperationId;
  caller: Caller;
  requestId: string;
  receivedAt: Date;
  signal: AbortSignal;
  /** Of every answer from now on, a refusal as well. */
  addHeaders: (headers: Record<string, string>) => void;
  /** The request as JSON text, in the OpenAI dialect, and parsed. */
  text: string;
  body: ChatFields & Parameters<typeof requirementsOf>[0] & { n?: number | null };
}

export type ChatAnswer = { call: OpenCall; headers: Record<string, string> } & (
  { kind: "whole"; completion: ChatCompletion; bill: Bill } | { kind: "stream"; source: ChatStream }
);

export async function runChat(context: Context, ask: ChatAsk): Promise<ChatAnswer> {
  const admitted = admitModel(context.catalog, ask.body.model, "language");
  const { model } = admitted;
  const needs = requirementsOf(ask.body);
  assertDeclares(model, needs);
  await assertMayUse(context, ask.caller, model);
  const size = promptSize(ask.body);
  const stream = ask.body.stream === true;
  const cap = outputCap(ask.body);
  const tokens = { input: size.tokensLikely, output: Math.min(cap.asked ?? 0, model.maxOutputTokens) * cap.choices };
  const rate = await countCall(context, { ...ask, model, tokens });
  const hold = await orGiveBack(rate, reserveTokens(context, ask.caller, model, tokenPricesOf(model), size, cap));
  const call = openCall(context, { caller: ask.caller, facts: { ...ask, stream }, admitted, hold, size, rate });
  const mayServe = (other: Model) => other.type === "language" && declares(other, needs) && mayUse(ask.caller, other);
  const candidates = candidatesOf(context.catalog, model, mayServe);
  try {
    const { result, candidate } = await attempt(candidates, context.breakers, ask.signal, call.attempts, (tried) =>
      callUpstream(context, ask, tried, hold, model.id),
    );
    call.served = candidate;
    call.firstByteMs = context.clock().getTime() - ask.receivedAt.getTime();
    const headers = routeHeaders(admitted, candidate, hold);
    if (result.kind === "stream") return leaveTogether(context, ask, { kind: "stream", call, headers, source: result });
    const bill = await call.complete(result.usage, countedUsage(call, contentOf(result)));
    return { kind: "whole", call, headers, completion: result.completion, bill };
  } catch (thrown) {
    const error = thrown instanceof GatewayStopping ? new ApiError("overloaded", { cause: thrown }) : thrown;
    await settleWithout(context, ask, call, error);
    throw suggestOthers(error, context.catalog, candidates, mayServe);
  }
}

async function callUpstream(
  context: Context,
  ask: ChatAsk,
  candidate: Candidate,
  hold: Hold,
  publicModel: string,
): Promise<ChatWhole | ChatStream> {
  const chat = context.providers.chat[candidate.route.provider.protocol];
  if (chat === undefined) throw new UpstreamError("gone", `no chat adapter for protocol ${candidate.route.provider.protocol}`);
  return chat({
    route: candidate.route,
    signal: ask.signal,
    requestId: ask.requestId,
    body: upstreamBody(ask.text, ask.body, candidate, hold),
    stream: ask.body.stream === true,
    publicModel,
  });
}

/** A stream whose client leaves before anybody reads it must be settled all the same. */
function leaveTogether({ log }: Context, ask: ChatAsk, answer: Extract<ChatAnswer, { kind: "stream" }>): ChatAnswer {
  const settle = () =>
    (isLeft(ask.signal) ? chargeDelivered(answer) : answer.call.interrupted()).catch((cause: unknown) =>
      log.error({ err: cause, request_id: ask.requestId }, "a stream that was left could not be settled"),
    );
  if (ask.signal.aborted) void settle();
  else ask.signal.addEventListener("abort", settle, { once: true });
  return answer;
}

/** The client left; not so where the gateway itself has to stop. */
export function isLeft(signal: AbortSignal): boolean {
  return signal.aborted && !(signal.reason instanceof GatewayStopping);
}

/** "A caller who leaves a stream pays for what was delivered": measured where the upstream said, else counted. */
export async function chargeDelivered({ call, source }: Extract<ChatAnswer, { kind: "stream" }>): Promise<void> {
  const { usage, deltas, characters } = source.tally;
  await call.aborted(usage ?? countedUsage(call, { deltas, characters }), usage !== null);
}

export function countedUsage(call: Pick<OpenCall, "size">, content: { deltas: number; characters: number }): Usage {
  return {
    input: call.size.tokensLikely,
    cacheRead: 0,
    cacheWrite: 0,
    output: countedOutputTokens(content.deltas, content.characters),
    reasoning: 0,
  };
}

async function settleWithout(context: Context, ask: ChatAsk, call: OpenCall, error: unknown): Promise<void> {
  const planned = error instanceof ApiError ? error : new ApiError("internal_error", {});
  try {
    if (isLeft(ask.signal)) await call.aborted(noUsage, false);
    else await call.failed(planned.code, shownError(planned, operations[ask.operation].dialect));
  } catch (cause) {
    // The hold ends by itself; the caller's error is what matters to the caller.
    context.log.error({ err: cause, request_id: ask.requestId }, "a failed call could not be settled");
  }
}

/** Counted as the tally of a stream is, so that both forms of an answer cost the same. */
function contentOf({ completion }: ChatWhole): { deltas: number; characters: number } {
  const texts = completion.choices.flatMap(({ message }) => [
    message.content,
    message.reasoning_content,
    message.refusal,
    ...(message.tool_calls ?? []).map((call) => call.function?.arguments),
  ]);
  return { deltas: 0, characters: texts.reduce<number>((sum, text) => sum + (text?.length ?? 0), 0) };
}

function outputCap(body: ChatAsk["body"]): OutputCap {
  const caps = [body.max_tokens, body.max_completion_tokens].filter((cap) => cap != null);
  return { asked: caps.length === 0 ? null : Math.min(...caps), choices: body.n ?? 1 };
}
