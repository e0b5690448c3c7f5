// What adapters of embeddings and of reranking take and return: the operations without output tokens. And an embedding call that an
// upstream takes as several requests: its texts, in batches, a few at a time.
import type { JsonText } from "../json/splice.ts";
import { refuse } from "../translation/chat-to-message-content.ts";
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

/** `input` as the dialect has it: a text or a list of them. Hosts that take no tokens refuse token numbers. */
export function textsOf(input: unknown): string[] {
  const list = Array.isArray(input) && typeof input[0] !== "number" ? input : [input];
  return list.map((text) => (typeof text === "string" ? text : refuse("input", "This model embeds texts only, not token numbers.")));
}

export function batchesOf<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size));
}

/** Requests of one call that run at a time. */
const parallelMax = 8;

/** In order, a few at a time; none is begun after the first that fails. */
export async function eachOf<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let failed = false;
  const run = async () => {
    while (next < items.length && !failed) {
      const at = next++;
      try {
        results[at] = await work(items[at]!);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const runs = await Promise.allSettled(Array.from({ length: Math.min(parallelMax, items.length) }, run));
  for (const one of runs) if (one.status === "rejected") throw one.reason;
  return results;
}
