// What an adapter of rerankings takes and gives. Types only.
import type { JsonText } from "../json/text.ts";
import type { UpstreamCall, Whole } from "../types.ts";

/** A rerank request in the form of Cohere and Jina, as JSON text. */
export interface RerankCall extends UpstreamCall {
  body: JsonText;
  /** How many documents were sent: an index beyond them is no answer. */
  documents: number;
  /** Most results that were asked for; null: all. */
  topN: number | null;
}

export interface RankedDocument {
  index: number;
  relevance_score: number;
  [key: string]: unknown;
}

export interface RerankWhole extends Whole {
  /** The upstream's answer with `results` best first, whatever its shape was (WIRE.md 11.2), naming the public model; its usage left out. */
  ranking: { model: string; results: RankedDocument[]; [key: string]: unknown };
  /** What the upstream says of its usage, without what it costs the gateway. */
  usageShown: Record<string, unknown>;
}

export type Rerank = (call: RerankCall) => Promise<RerankWhole>;
