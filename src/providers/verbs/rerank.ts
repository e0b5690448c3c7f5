// What an adapter of reranking takes and returns. Types only.
import type { JsonText } from "../json/text.ts";
import type { UpstreamCall, Whole } from "../types.ts";

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
