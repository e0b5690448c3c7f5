// Embeddings and rankings over Cohere's v2.
import { type Clock, systemClock } from "../../clock.ts";
import { inputUsage } from "../../usage.ts";
import { arrayOf, count, isObject, type Json, objectOf, parseLong, textOf } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { answerBytesMax, readVectors } from "../openai/embed.ts";
import { readRanking } from "../rerank/rerank.ts";
import { exchange, nameAnswer, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import { batchesOf, type Embed, type Rerank, textsOf, type Vector } from "../verbs/without-output.ts";
import { readCohereError } from "./chat.ts";

/** More are refused. */
const batchMax = 96;
/** The dialect doesn't say what the vectors are for; who knows Cohere can. */
const purposes = new Set(["search_document", "search_query", "classification", "clustering"]);

export function cohereEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  return async (call) => {
    const { input, input_type: purpose } = objectOf(parseLong(wholeOf(call.body)));
    const texts = textsOf(input);
    const fields = {
      model: call.route.model,
      input_type: typeof purpose === "string" && purposes.has(purpose) ? purpose : "search_document",
      embedding_types: ["float"],
      ...(call.dimensions === null ? {} : { output_dimension: call.dimensions }),
    };
    const vectors: Vector[] = [];
    let billed: number | null = 0;
    for (const batch of batchesOf(texts, batchMax)) {
      const request = jsonRequest(call, "/v2/embed", JSON.stringify({ ...fields, texts: batch }));
      const answer = await exchange(upstream, request, clock, readCohereError);
      const body = readAnswer(await wholeText(answer, answerBytesMax), call.route.provider);
      nameAnswer(call.heard, body["id"]);
      const data = arrayOf(objectOf(body["embeddings"])["float"]).map((embedding) => ({ embedding }));
      vectors.push(...readVectors(data, { inputs: batch.length, dimensions: call.dimensions }));
      const said = count(objectOf(objectOf(body["meta"])["billed_units"])["input_tokens"]);
      billed = billed === null || said === null || said === 0 ? null : billed + said; // half a report would make the rest free
    }
    return { kind: "whole", vectors, usage: billed === null ? null : inputUsage(billed) };
  };
}

/** Documents are plain texts there, and an answer never repeats one. */
export function cohereRerank(upstream: Upstream, clock: Clock = systemClock): Rerank {
  return async (call) => {
    const { query, documents, top_n, max_tokens_per_doc, return_documents } = objectOf(parseLong(wholeOf(call.body)));
    const given = arrayOf(documents);
    const texts = given.map((document) => (typeof document === "string" ? document : (textOf(objectOf(document)["text"]) ?? "")));
    const body = { model: call.route.model, query, documents: texts, top_n, max_tokens_per_doc };
    const answer = await exchange(upstream, jsonRequest(call, "/v2/rerank", JSON.stringify(body)), clock, readCohereError);
    const said = readAnswer(await wholeText(answer), call.route.provider);
    nameAnswer(call.heard, said["id"]);
    return readRanking(return_documents === true ? withDocuments(said, texts) : said, call);
  };
}

function withDocuments(answer: Json, texts: readonly string[]): Json {
  const results = arrayOf(answer["results"]).map((result) => {
    const text = isObject(result) && typeof result["index"] === "number" ? texts[result["index"]] : undefined;
    return text === undefined ? result : { ...(result as Json), document: { text } };
  });
  return { ...answer, results };
}
