// The lifecycle of a request to a token-billed model, in any dialect: resolve, gate, count, reserve, route, charge.
// The request adapters know what each dialect's request asks for and what its answer says.
import { type Ask, isDisconnected } from "../calls/ask.ts";
import { asDeclared, endUnserved } from "../calls/call.ts";
import { type Resolved, servedModelOf } from "../catalog/resolve.ts";
import { callUpstream } from "../calls/upstream-connection.ts";
import { assertMayUse, mayUse } from "../calls/refusals.ts";
import type { Catalog, Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors/fail.ts";
import { msSince } from "../ledger/usage-log.ts";
import { usdText } from "../money.ts";
import { isTooLarge, UpstreamError } from "../providers/errors/upstream-error.ts";
import type { AnswerStream, Protocol, Route, Tally, UpstreamCall, Whole } from "../providers/types.ts";
import { chatProtocol } from "../providers/vertex/vertex.ts";
import { attempt, type AttemptRules } from "../routing/attempt.ts";
import { type Candidate, candidatesOf, layerAt } from "../routing/candidates.ts";
import { arranged, assertPrice, isWithinPrice, type RoutingWishes } from "../routing/wishes.ts";
import { noToolCalls, type ToolCalls, toolsIn } from "../usage.ts";
import { capFor } from "./chat/upstream-body.ts";
import { assertRoom, hasRoom, type OutputCap, surelyFits } from "./context-window.ts";
import { countedUsage } from "./counted-usage.ts";
import { chargeUnanswered, chargeWhole, stopsOnDisconnect, UnfinishedCall } from "./abandoned-call.ts";
import type { PromptSize } from "./prompt-size.ts";
import type { Charged } from "./stream-answer.ts";
import { type Caching, cachingOf, findAnswer, hitHeaders, kept, type KeptAnswer, missHeaders, replayed } from "./response-cache.ts";
import { openTokenCall, type TokenBill, type TokenCall } from "./token-call.ts";
import type { TokenHold, TokenRequest } from "./token-hold.ts";

/** One attempt at one route. */
interface RouteTry {
  candidate: Candidate;
  hold: TokenHold;
  size: PromptSize;
  /** Answers name the model that was asked for, with its alias resolved, whichever route serves it. */
  upstream: UpstreamCall;
}

/** Turns a dialect's request into what the lifecycle of a call needs. */
export interface RequestAdapter<Answer extends Whole, Stream extends AnswerStream<unknown> = never> {
  /** Id or alias. */
  model: string;
  type: Model["type"];
  stream: boolean;
  /** Refuses what the model does not declare, before any limit or money. */
  assertFits(model: Model): void;
  /** Whether the model may answer instead of the one that was asked for. */
  fits(other: Model): boolean;
  /** Whether a route can take the request; absent: all can. Of a model that fits at least one does. */
  takes?(route: Route): boolean;
  measure(): PromptSize;
  cap: OutputCap;
  /** The service tier that was asked for; absent or null: none. */
  tier?: string | null | undefined;
  /** The most calls of each tool that its provider may run for all answers on this model; absent: it asks for none. */
  toolCalls?(model: Model): ToolCalls;
  /** Whether the model's provider may summarize the conversation before it answers; absent: never. */
  summarizes?(model: Model, size: PromptSize): boolean;
  /** What it says of the routes that may serve it; absent or null: nothing. */
  routing?: RoutingWishes | null | undefined;
  /** The field by which its answer may become larger than an answer may be; absent or null: nothing that it asks for makes one so large. */
  largeBy?: string | null;
  /** The beginning of its prompt, by which routes with weights are chosen; absent: each request is spread by itself. */
  prefix?(): string;
  /** Makes one attempt at one route. */
  call(tried: RouteTry): Promise<Answer | Stream>;
  /** Characters of an answer whose upstream reports no usage, counted like a stream's tally, so that both cost the same. */
  charactersOf(answer: Answer): number;
  /** Returns an error with a code of the operation's own; other errors as they are. Absent where the operation has no such codes. */
  declared?(error: unknown): unknown;
}

type Served<Answer, Stream> = {
  ask: Ask;
  call: TokenCall;
  headers: Record<string, string>;
  /** What the chats of the route that answered are written in. */
  protocol: Protocol;
} & ({ kind: "whole"; answer: Answer; bill: TokenBill } | ({ kind: "stream"; source: Stream } & Charged));

export async function serve<Answer extends Whole, Stream extends AnswerStream<unknown> = never>(
  context: Context,
  ask: Ask,
  adapter: RequestAdapter<Answer, Stream>,
): Promise<Served<Answer, Stream>> {
  const admitted = servedModelOf(context.catalog, adapter.model, [adapter.type]);
  const { model } = admitted;
  adapter.assertFits(model);
  if (!mayUse(ask.caller, model)) await assertMayUse(context, ask.caller, model);
  const size = adapter.measure();
  const own = (thrown: unknown) => adapter.declared?.(thrown) ?? thrown;
  if (!surelyFits(model, size))
    await assertRoom(context, model, size, ask.operationId).catch((error: unknown) => {
      throw asDeclared(own(error), ask.operationId);
    });
  const { cap, stream, tier = null } = adapter;
  const wishes = adapter.routing ?? null;
  const priced = { prompt: size.tokensMax, images: size.images, tier };
  if (wishes !== null) assertPrice(model, wishes, priced);
  const toolCalls = adapter.toolCalls?.(model) ?? noToolCalls;
  const summarizes = adapter.summarizes?.(model, size) ?? false;
  const mayServe = (other: Model) =>
    other.type === adapter.type &&
    adapter.fits(other) &&
    hasRoom(other, size, cap) &&
    mayUse(ask.caller, other) &&
    allows(toolCalls, adapter.toolCalls?.(other)) &&
    (summarizes || !adapter.summarizes?.(other, size)) &&
    (wishes === null || isWithinPrice(other, wishes, priced));
  const asked = { admitted, stream, size, cap, tier, toolCalls, summarizes };
  const caching = cachingOf(ask, model, toolCalls);
  const found = caching === null ? null : await findAnswer(context, caching);
  if (found !== null) return serveKept(context, ask, asked, found, own);
  if (caching !== null) context.countKept(model.id, "miss");
  const keyOf = () => (adapter.prefix === undefined ? ask.requestId : `${ask.caller.accountId} ${model.id} ${adapter.prefix()}`);
  const usual = ableTo(candidatesOf(context.catalog, model, mayServe, keyOf), adapter);
  const candidates =
    wishes === null && model.routeBy === null
      ? usual
      : arranged(usual, model, wishes ?? {}, { figures: context.routeFigures, stream, prompt: size.tokensLikely, output: cap.asked });
  const call = await openTokenCall(context, ask, { ...asked, candidates });
  try {
    return await serveFrom(context, call, { adapter, candidates, caching, toolCalls });
  } catch (thrown) {
    const ending = { ask, failed: call.failed, disconnected: () => chargeUnanswered(context, call, thrown) };
    const ended: unknown = thrown instanceof UnfinishedCall ? ask.signal.reason : thrown;
    throw suggestOthers(await endUnserved(context, ending, ended, own), context.catalog, candidates, mayServe);
  }
}

/** Whether no more calls are asked for than that. */
function allows(most: ToolCalls, calls = noToolCalls): boolean {
  return toolsIn(calls).every((tool) => calls[tool]! <= (most[tool] ?? 0));
}

/** The candidates whose routes can take the request; the first of them is no fallback. */
function ableTo(candidates: readonly Candidate[], { takes }: { takes?(route: Route): boolean }): readonly Candidate[] {
  if (takes === undefined || candidates.every(({ route }) => takes(route))) return candidates;
  const able = candidates.filter(({ route }) => takes(route));
  return able.map((candidate, position) => ({ ...candidate, layer: layerAt(candidate, position) }));
}

interface Serving<Answer extends Whole, Stream extends AnswerStream<unknown>> {
  adapter: RequestAdapter<Answer, Stream>;
  candidates: readonly Candidate[];
  caching: Caching | null;
  toolCalls: ToolCalls;
}

/** The answer of the first candidate that serves the call. */
async function serveFrom<Answer extends Whole, Stream extends AnswerStream<unknown>>(
  context: Context,
  call: TokenCall,
  { adapter, candidates, caching, toolCalls }: Serving<Answer, Stream>,
): Promise<Served<Answer, Stream>> {
  const { ask, admitted, size, hold, stream } = call;
  let answered: { tally: Tally | null } = { tally: null };
  const callOne = (candidate: Candidate, heard: UpstreamCall["heard"]) => {
    answered = { tally: null };
    const stops = stopsOnDisconnect(candidate, stream && toolCalls === noToolCalls && size.billsUnseen !== true, answered);
    const work = (upstream: UpstreamCall) => blamedOn(adapter.largeBy ?? null, adapter.call({ candidate, hold, size, upstream }));
    return callUpstream(call, candidate, { heard, stops, work });
  };
  const { result: first, candidate } = await attempt(candidates, context.breakers, ask.signal, call.attempts, callOne, tokenRules);
  if (first.kind === "stream") answered.tally = first.tally;
  call.answeredBy(candidate);
  if (candidates.length > 1 && !isDisconnected(ask.signal))
    context.routeFigures.answered(
      candidate.routeId,
      call.attempts.at(-1)!.latencyMs,
      first.kind === "stream" ? null : (first.usage?.output ?? 0),
    );
  const result = caching === null ? first : kept(context, caching, call, first);
  call.source = result.kind === "stream" ? result : null;
  const protocol = chatProtocol(candidate.route);
  const headers = { ...routeHeaders(admitted, candidate, hold), ...(caching === null ? {} : missHeaders) };
  if (result.kind === "stream") return { kind: "stream", ask, call, headers, protocol, source: result as Stream };
  const answer = result as Answer;
  const characters = () => adapter.charactersOf(answer); // counted only where its upstream reports no usage
  // A caller who disconnected gets the answer by repeating the request with its idempotency key.
  const disconnected = isDisconnected(ask.signal);
  if (!disconnected) ask.signal.throwIfAborted();
  const counted = () => countedUsage(context, size, { deltas: 0, characters: characters(), prompt: null });
  const bill = await (disconnected ? chargeWhole(context, call, answer, characters) : call.complete(answer.usage, counted));
  return { kind: "whole", ask, call, headers: { ...headers, ...costHeader(bill) }, protocol, answer, bill };
}

/** A kept answer is charged before it is sent. */
async function serveKept<Answer extends Whole, Stream extends AnswerStream<unknown>>(
  context: Context,
  ask: Ask,
  asked: Omit<TokenRequest, "candidates">,
  found: KeptAnswer,
  own: (thrown: unknown) => unknown,
): Promise<Served<Answer, Stream>> {
  const { usage, protocol } = found;
  const call = await openTokenCall(context, ask, { ...asked, tier: null, candidates: [], kept: usage });
  call.firstByteMs = msSince(ask.since);
  const bill = await call
    .complete(usage, () => Promise.resolve(usage))
    .catch(async (thrown: unknown) => {
      throw await endUnserved(context, { ask, failed: call.failed, disconnected: call.unsent }, thrown, own);
    });
  const { model, alias } = asked.admitted;
  context.countKept(model.id, "hit");
  const headers = { "x-svc-model": model.id, ...(alias === null ? {} : { "x-svc-alias": alias }), ...hitHeaders(found) };
  if (found.kind === "stream") return { kind: "stream", ask, call, headers, protocol, source: replayed(found, ask.signal) as Stream, bill };
  return { kind: "whole", ask, call, headers: { ...headers, ...costHeader(bill) }, protocol, answer: found.answer as Answer, bill };
}

const costHeader = ({ cost }: TokenBill) => ({ "x-litellm-response-cost": usdText(cost) });

/** For operations that never stream. */
export async function serveWhole<Answer extends Whole>(context: Context, ask: Ask, adapter: RequestAdapter<Answer>) {
  const served = await serve(context, ask, adapter);
  if (served.kind === "stream") throw new Error(`${ask.operationId} does not stream`);
  return served;
}

/** A rejection by our own translation, before any upstream was asked, or by a fallback model: it says nothing about the other routes. */
const tokenRules: AttemptRules = { rejectsAlone: (error, { layer }) => error.status === null || (layer === 3 && !isTooLarge(error)) };

/** An answer that its own request made too large: every other route's would be, and it is no fault of this one. */
function blamedOn<Answer>(field: string | null, answering: Promise<Answer>): Promise<Answer> {
  if (field === null) return answering;
  return answering.catch((error: unknown) => {
    if (!(error instanceof UpstreamError) || !isTooLarge(error)) throw error;
    const reason = `the answer is larger than an answer that is not streamed may be: ask for less by ${field} or max_tokens, or for a stream`;
    throw new UpstreamError("rejected", reason, { status: 200, param: field, cause: error });
  });
}

// Which models to suggest when every route of one refused the content (route_refused).
// Near matches of an unknown name are in src/catalog/resolve.ts.

const suggestionsMax = 5;

/** Suggests only models that could serve this very request; another refusal would not help. Other errors stay as they are. */
function suggestOthers(
  error: unknown,
  { listed }: Pick<Catalog, "listed">,
  refusing: readonly Candidate[],
  mayServe: (other: Model) => boolean,
): unknown {
  if (!(error instanceof ApiError) || error.code !== "route_refused") return error;
  const refused = new Set(refusing.map(({ model }) => model));
  const others = listed.filter((model) => !refused.has(model) && mayServe(model));
  const best = others.toSorted((one, other) => Number(other.row.recommended) - Number(one.row.recommended)).slice(0, suggestionsMax);
  return new ApiError(error.code, { ...error.details, inside: { suggested_models: best.map(({ id }) => id) } });
}

// The headers that say how a request was served (docs/behaviour/requests.md#headers).

function routeHeaders({ model, alias }: Resolved, served: Candidate, hold: TokenHold): Record<string, string> {
  return {
    "x-svc-model": model.id,
    ...(alias === null ? {} : { "x-svc-alias": alias }),
    ...(served.layer === 0 ? {} : { "x-svc-fallback": "true", "x-svc-fallback-layer": String(served.layer) }),
    ...(served.layer === 3 ? { "x-svc-served-model": served.model.id } : {}),
    ...clampHeaders(capFor(served, hold), hold),
  };
}

/** Sent when `max_tokens` was lowered, with the value sent: by the balance, by the gateway's own limit or by the most that a fallback can write. */
function clampHeaders(sent: number | null, { asked, lowered, available }: TokenHold): Record<string, string> {
  if (sent === null || (lowered === null && sent >= (asked ?? sent))) return {};
  return { "x-svc-max-tokens-clamped": String(sent), "x-svc-credits-have": usdText(available) };
}
