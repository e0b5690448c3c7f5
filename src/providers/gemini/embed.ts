// Embeddings over Gemini's batchEmbedContents: as many requests as its batches take texts, one after the other.
import { type Clock, systemClock } from "../../clock.ts";
import { inputUsage } from "../../usage.ts";
import { arrayOf, count, isObject, objectOf, parseLong } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { answerBytesMax, readVectors } from "../openai/embed.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import { batchesOf, type Embed, textsOf, type Vector } from "../verbs/without-output.ts";
import { geminiPlace } from "./chat.ts";
import { readGoogleError } from "./errors.ts";

/** More are refused. */
const batchMax = 100;

export function geminiEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  return async (call) => {
    const { model } = call.route;
    const texts = textsOf(objectOf(parseLong(wholeOf(call.body)))["input"]);
    const vectors: Vector[] = [];
    let input: number | null = 0;
    for (const batch of batchesOf(texts, batchMax)) {
      const size = call.dimensions === null ? {} : { outputDimensionality: call.dimensions };
      const requests = batch.map((text) => ({ model: `models/${model}`, content: { parts: [{ text }] }, ...size }));
      const request = jsonRequest(call, `${geminiPlace.pathOf(call.route)}:batchEmbedContents`, JSON.stringify({ requests }));
      const answer = await exchange(upstream, request, clock, readGoogleError);
      const body = readAnswer(await wholeText(answer, answerBytesMax), call.route.provider);
      const data = arrayOf(body["embeddings"]).map((one) => ({ embedding: isObject(one) ? one["values"] : null }));
      vectors.push(...readVectors(data, { inputs: batch.length, dimensions: call.dimensions }));
      const said = count(objectOf(body["usageMetadata"])["promptTokenCount"]);
      input = input === null || said === null || said === 0 ? null : input + said; // half a report would make the rest free
    }
    return { kind: "whole", vectors, usage: input === null ? null : inputUsage(input) };
  };
}
