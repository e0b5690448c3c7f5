// Embeddings and rankings over the `bedrock` protocol: InvokeModel, whose body is the vendor's own (Titan, Cohere, Amazon's reranker).
import { type Clock, systemClock } from "../../clock.ts";
import { inputUsage } from "../../usage.ts";
import { arrayOf, count, type Json, objectOf, parseLong, textOf } from "../json/read.ts";
import { wholeOf } from "../json/text.ts";
import { readVectors } from "../openai/embed.ts";
import { readRanking } from "../rerank/rerank.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { exchange, wholeText } from "../transport/exchange.ts";
import { jsonRequest, readAnswer } from "../transport/json.ts";
import type { Upstream } from "../transport/types.ts";
import type { UpstreamCall } from "../types.ts";
import { batchesOf, eachOf } from "../verbs/batches.ts";
import type { Embed, EmbedCall, Rerank } from "../verbs/without-output.ts";
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

// Embeddings. Titan takes one text a request, Cohere 96.

const cohereTexts = 96;

export function bedrockEmbed(upstream: Upstream, clock: Clock = systemClock): Embed {
  return async (call) => {
    const body = objectOf(parseLong(wholeOf(call.body)));
    const texts = typeof body["input"] === "string" ? [body["input"]] : arrayOf(body["input"]);
    if (!texts.every((text) => typeof text === "string")) throw new UpstreamError("gone", "this protocol cannot carry tokens");
    const cohere = vendorOf(call.route.model) === "cohere";
    const batches = cohere ? batchesOf(texts, cohereTexts) : texts.map((text) => [text]);
    const answers = await eachOf(batches, (batch) =>
      invoke(upstream, call, cohere ? cohereBody(batch, body, call) : titanBody(batch[0]!, call), clock),
    );
    const vectors = answers.flatMap(({ answer }) => (cohere ? cohereVectors(answer) : [answer["embedding"]]));
    const tokens = answers.reduce((sum: number | null, one) => (sum === null || one.tokens === null ? null : sum + one.tokens), 0);
    const data = vectors.map((embedding, index) => ({ index, embedding }));
    return {
      kind: "whole",
      vectors: readVectors(data, call),
      usage: tokens === null || tokens === 0 ? null : inputUsage(tokens),
    };
  };
}

function titanBody(inputText: string, { dimensions }: EmbedCall): Json {
  return { inputText, ...(dimensions === null ? {} : { dimensions }) };
}

function cohereBody(texts: string[], { input_type: kind }: Json, { dimensions }: EmbedCall): Json {
  return {
    texts,
    input_type: textOf(kind) ?? "search_document",
    embedding_types: ["float"],
    ...(dimensions === null ? {} : { output_dimension: dimensions }),
  };
}

/** By type, as asked for; older models answer with a plain list. */
function cohereVectors({ embeddings }: Json): unknown[] {
  return Array.isArray(embeddings) ? embeddings : arrayOf(objectOf(embeddings)["float"]);
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
