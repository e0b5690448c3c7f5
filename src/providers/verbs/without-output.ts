// What adapters of embeddings and of reranking take and return: the operations without output tokens. Types only.
import type { JsonText } from "../json/splice.ts";
import type { UpstreamCall, Whole } from "../types.ts";

/** An embeddings request in the OpenAI dialect, as JSON text. The adapter chooses the encoding, whatever the caller wants. */
export interface EmbedCall extends UpstreamCall {
  body: JsonText;
  /** Number of texts: the answer must have as many vectors. */
  inputs: number;
  /** Requested length of a vector; null: the model's own. */
  dimensions: number | null;
  /** Whether the caller wants base64: an upstream that writes it saves both sides the numbers' text. */
  base64: boolean;
}

/** Numbers as the upstream wrote them, or the float32 values of its base64. */
export type Vector = readonly number[] | Float32Array;

export interface EmbedWhole extends Whole {
  /** One vector for each input, in input order, all of one length. */
  vectors: Vector[];
}

export type Embed = (call: EmbedCall) => Promise<EmbedWhole>;

/** A rerank request in the form of Cohere and Jina, as JSON text. */
export interface RerankCall extends UpstreamCall {
  body: JsonText;
  /** Number of documents sent: an index beyond it is invalid. */
  documents: number;
  /** The most results that were asked for; null: all. */
  topN: number | null;
}

export interface RankedDocument {
  index: number;
  relevance_score: number;
  [key: string]: unknown;
}

export interface RerankWhole extends Whole {
  /** The upstream's answer in one shape: `results` best first, naming the public model, without usage. */
  ranking: { model: string; results: RankedDocument[]; [key: string]: unknown };
  /** The upstream's usage, without what the gateway pays. */
  usageShown: Record<string, unknown>;
}

export type Rerank = (call: RerankCall) => Promise<RerankWhole>;
