// Rankings over the `rerank` protocol (Cohere, Jina and those like them): one call of one route. What an answer says is ranking.ts's.
import { systemClock, type Clock } from "../../clock.ts";
import { readAnswer } from "../transport/json-answer.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import type { Upstream, UpstreamAnswer } from "../transport/http.ts";
import { jsonRequest } from "../transport/json-request.ts";
import { type Rerank, type RerankCall, UpstreamError } from "../types.ts";
import { readRanking } from "./ranking.ts";

export function rerank(upstream: Upstream, clock: Clock = systemClock): Rerank {
  return async (call) => {
    const answer = await send(upstream, call, clock);
    return readRanking(readAnswer(await wholeText(answer), call.route.provider), call);
  };
}

async function send(upstream: Upstream, call: RerankCall, clock: Clock): Promise<UpstreamAnswer> {
  try {
    return await exchange(upstream, jsonRequest(call, "/rerank", call.body), clock);
  } catch (error) {
    // gateway-api.md "Endpoint-specific code tables": here a 415 is said of the request too.
    if (error instanceof UpstreamError && error.status === 415 && error.fault === "our_fault")
      throw new UpstreamError("rejected", error.reason, { status: 415, param: error.param, cause: error });
    throw error;
  }
}
