// Embeddings over the `openai` protocol: one call of one route. What an answer's vectors are is vectors.ts's; how the caller
// gets them, and what they cost, is for others to say.
import { systemClock, type Clock } from "../../clock.ts";
import { readAnswer } from "../transport/json-answer.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import type { Upstream, UpstreamRequest } from "../transport/http.ts";
import { readInputUsage } from "../input-usage.ts";
import { jsonRequest } from "../transport/json-request.ts";
import { spliceJson } from "../json/splice.ts";
import { type Embed, type EmbedCall, type EmbedWhole, type Route, UpstreamError } from "../types.ts";
import { readVectors } from "./vectors.ts";

/** 2048 vectors of 4096 numbers are 45 MB of base64; of 1536 numbers, from a host that writes no base64, 67 MB. */
const answerBytesMax = 134_217_728;
/** Texts from which on the numbers of an answer are megabytes of text: four times their base64, and ten times as slow to parse. */
const manyInputs = 64;

export function openaiEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  /** Hosts that refused base64 and served without: they aren't asked again. */
  const plain = new WeakSet<Route>();
  const send = async (call: EmbedCall, base64: boolean): Promise<EmbedWhole> => {
    const answer = await exchange(upstream, embedRequest(call, base64), clock);
    const body = readAnswer(await wholeText(answer, answerBytesMax), call.route.provider);
    return { kind: "whole", vectors: readVectors(body["data"], call), usage: readInputUsage(body["usage"]) };
  };
  return async (call) => {
    const base64 = (call.base64 || call.inputs > manyInputs) && !plain.has(call.route);
    try {
      return await send(call, base64);
    } catch (error) {
      if (!base64 || !mayMeanFormat(error)) throw error;
      const whole = await send(call, false).catch((again: unknown) => {
        // Refused either way: what it said first, it said of the request.
        throw again instanceof UpstreamError && again.fault === "rejected" ? error : again;
      });
      plain.add(call.route);
      return whole;
    }
  };
}

/** `float` is what every host writes when nothing is asked; Voyage refuses the word. */
function embedRequest(call: EmbedCall, base64: boolean): UpstreamRequest {
  return jsonRequest(call, "/embeddings", spliceJson(call.body, { encoding_format: base64 ? '"base64"' : null }));
}

/** Older vLLM says so; proxies refuse base64 with sentences that name something else, or nothing. */
function mayMeanFormat(error: unknown): boolean {
  if (!(error instanceof UpstreamError) || error.fault !== "rejected" || error.status === 413) return false;
  return error.param === null || error.param === "encoding_format" || /encoding_format|base64/i.test(error.reason);
}
