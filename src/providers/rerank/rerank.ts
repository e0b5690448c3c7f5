// Rankings over the `rerank` protocol (Cohere, Jina and the like): one call of one route, and the results of its answer.
import { type Clock, systemClock } from "../../clock.ts";
import { hideInMembers } from "../errors/hide-secrets.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { count, isObject, type Json, objectOf, readInputUsage, textOf } from "../json/read.ts";
import { exchange, nameAnswer, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer, unreadable } from "../transport/json.ts";
import type { Upstream, UpstreamAnswer } from "../transport/types.ts";
import type { RankedDocument, Rerank, RerankCall, RerankWhole } from "../verbs/without-output.ts";

export function rerank(upstream: Upstream, clock: Clock = systemClock): Rerank {
  return async (call) => {
    const answer = await send(upstream, call, clock);
    const said = readAnswer(await wholeText(answer), call.route.provider);
    nameAnswer(call.heard, said["id"]);
    return readRanking(said, call);
  };
}

async function send(upstream: Upstream, call: RerankCall, clock: Clock): Promise<UpstreamAnswer> {
  try {
    return await exchange(upstream, jsonRequest(call, "/rerank", call.body), clock);
  } catch (error) {
    // On this operation a 415 is the request's fault too (docs/behaviour/providers.md#rerank).
    if (error instanceof UpstreamError && error.status === 415 && error.fault === "our_fault")
      throw new UpstreamError("rejected", error.reason, { status: 415, param: error.param, cause: error });
    throw error;
  }
}

// The five hosts' kinds of answers in one shape: `results`, best first, every index within the request.

type Asked = Pick<RerankCall, "publicModel" | "documents" | "topN" | "route">;

/** Voyage's `data` becomes `results`; OpenRouter's `provider` would show who serves. */
const ownKeys = new Set(["id", "object", "model", "results", "data", "usage", "meta", "provider", "error"]);
/** What the gateway pays stays with its operator. */
const moneyKey = /cost|price|bill|unit|byok|credit/i;

export function readRanking(answer: Json, asked: Asked): RerankWhole {
  const { provider } = asked.route;
  const { id, object, meta, usage } = answer;
  const foreign = Object.fromEntries(Object.entries(answer).filter(([key]) => !ownKeys.has(key)));
  return {
    kind: "whole",
    usage: readTokens(answer),
    usageShown: hideInMembers(withoutMoney(objectOf(usage)), provider),
    ranking: {
      ...(textOf(id) === null ? {} : { id }),
      // Voyage answers "list", which our results are not.
      ...(textOf(object) === null || object === "list" ? {} : { object }),
      model: asked.publicModel,
      results: readResults(answer["results"] ?? answer["data"], asked),
      ...hideInMembers(withoutMoney(foreign), provider),
      meta: hideInMembers(objectOf(meta), provider), // billed searches are not a price; the AI SDK's Cohere provider requires meta
    },
  };
}

/** Removes money from its own members and those of the objects in it. */
function withoutMoney(said: Json): Json {
  const kept = (part: Json) => Object.entries(part).filter(([key]) => !moneyKey.test(key));
  return Object.fromEntries(kept(said).map(([key, value]) => [key, isObject(value) ? Object.fromEntries(kept(value)) : value]));
}

function readResults(value: unknown, { documents, topN, route }: Asked): RankedDocument[] {
  if (!Array.isArray(value) || value.length === 0) throw unreadable("the answer ranks nothing");
  const seen = new Set<number>();
  const results = value.map((entry: unknown): RankedDocument => {
    const { index, relevance_score, ...rest } = objectOf(entry);
    if (typeof index !== "number" || !Number.isInteger(index) || index < 0 || index >= documents)
      throw unreadable("a result belongs to no document");
    if (seen.has(index)) throw unreadable("two results belong to one document");
    seen.add(index);
    if (typeof relevance_score !== "number" || !Number.isFinite(relevance_score)) throw unreadable("a result has no score");
    return { index, relevance_score, ...withDocument(hideInMembers(rest, route.provider)) };
  });
  results.sort((one, other) => other.relevance_score - one.relevance_score);
  return topN === null ? results : results.slice(0, topN); // for hosts that ignored top_n
}

/** A document is a text, or an object with the text. */
function withDocument({ document, ...rest }: Json): Json {
  return typeof document === "string" || isObject(document) ? { document, ...rest } : rest;
}

/** Null where the host bills searches (Cohere, some on OpenRouter): tokens that it may report are not what it billed. */
function readTokens({ usage, meta }: Json): RerankWhole["usage"] {
  const searches = count(objectOf(usage)["search_units"], objectOf(objectOf(meta)["billed_units"])["search_units"]);
  if (searches !== null && searches > 0) return null;
  return readInputUsage(usage) ?? readInputUsage(objectOf(meta)["tokens"]);
}
