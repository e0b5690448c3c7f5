// Embeddings and rankings over the `bedrock` protocol: InvokeModel, whose body is the vendor's own (Titan, Cohere, Amazon's reranker).
import { type Clock, systemClock } from "../../clock.ts";
import { inputUsage } from "../../usage.ts";
import { arrayOf, count, type Json, objectOf, parseLong, textOf } from "../json/read.ts";
import { wholeOf } from "../json/splice.ts";
import { readVectors } from "../openai/embed.ts";
import { readRanking } from "../rerank/rerank.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import { batchesOf, eachOf, type Embed, type EmbedCall, type Rerank } from "../verbs/without-output.ts";
import { readBedrockError } from "./errors.ts";
import { modelPath, vendorOf } from "./request.ts";

/** 96 vectors of 1536 numbers as text are 2 MB. */
const answerBytesMax = 33_554_432;

interface Invoked {
  answer: Json;
  /** Null: the host didn't say. */
  tokens: number | null;
}

async function invoke(upstream: Upstream, call: UpstreamCall, body: Json, clock: Clock): Promise<Invoked> {
  const request = jsonRequest(call, modelPath(call.route.model, "invoke"), JSON.stringify(body));
  const answered = await exchange(upstream, request, clock, readBedrockError);
  const answer = readAnswer(await wholeText(answered, answerBytesMax), call.route.provider);
  return { answer, tokens: count(answer["inputTextTokenCount"], answered.headers["x-amzn-bedrock-input-token-count"]) };
}

// Embeddings. Titan and Nova take one text a request, Cohere 96.

interface EmbedForm {
  /** Texts of a request. */
  texts: number;
  bodyOf(texts: string[], asked: Json, call: EmbedCall): Json;
  vectorsOf(answer: Json): unknown[];
}

const titan: EmbedForm = {
  texts: 1,
  bodyOf: ([inputText], _asked, { dimensions }) => ({ inputText, ...(dimensions === null ? {} : { dimensions }) }),
  vectorsOf: ({ embedding }) => [embedding],
};

const nova: EmbedForm = {
  texts: 1,
  bodyOf: ([value], _asked, { dimensions }) => ({
    taskType: "SINGLE_EMBEDDING",
    singleEmbeddingParams: {
      embeddingPurpose: "GENERIC_INDEX",
      ...(dimensions === null ? {} : { embeddingDimension: dimensions }),
      text: { truncationMode: "NONE", value },
    },
  }),
  vectorsOf: ({ embeddings }) => arrayOf(embeddings).map((one) => objectOf(one)["embedding"]),
};

const cohere: EmbedForm = {
  texts: 96,
  bodyOf: (texts, { input_type: kind }, { dimensions }) => ({
    texts,
    input_type: textOf(kind) ?? "search_document",
    embedding_types: ["float"],
    ...(dimensions === null ? {} : { output_dimension: dimensions }),
  }),
  // By type, as asked for; older models answer with a plain list.
  vectorsOf: ({ embeddings }) => arrayOf(Array.isArray(embeddings) ? embeddings : objectOf(embeddings)["float"]),
};

function formOf(model: string): EmbedForm {
  if (vendorOf(model) === "cohere") return cohere;
  return /\bnova\b/.test(model) ? nova : titan;
}

export function bedrockEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  return async (call) => {
    const body = objectOf(parseLong(wholeOf(call.body)));
    const texts = typeof body["input"] === "string" ? [body["input"]] : arrayOf(body["input"]);
    if (!texts.every((text) => typeof text === "string")) throw new UpstreamError("gone", "this protocol cannot carry tokens");
    const form = formOf(call.route.model);
    const answers = await eachOf(batchesOf(texts, form.texts), (batch) => invoke(upstream, call, form.bodyOf(batch, body, call), clock));
    const vectors = answers.flatMap(({ answer }) => form.vectorsOf(answer));
    const tokens = answers.reduce((sum: number | null, one) => (sum === null || one.tokens === null ? null : sum + one.tokens), 0);
    const data = vectors.map((embedding, index) => ({ index, embedding }));
    return {
      kind: "whole",
      vectors: readVectors(data, call),
      usage: tokens === null || tokens === 0 ? null : inputUsage(tokens),
    };
  };
}

// Rankings.

export function bedrockRerank(upstream: Upstream, clock: Clock = systemClock): Rerank {
  return async (call) => {
    const { query, documents, top_n } = objectOf(parseLong(wholeOf(call.body)));
    const texts = arrayOf(documents).map((document) =>
      typeof document === "string" ? document : (textOf(objectOf(document)["text"]) ?? ""),
    );
    const body = { query, documents: texts, ...(top_n == null ? {} : { top_n }) };
    const cohere = vendorOf(call.route.model) === "cohere" ? { api_version: 2 } : {};
    const { answer } = await invoke(upstream, call, { ...body, ...cohere }, clock);
    return readRanking(answer, call);
  };
}
