// What an adapter of embeddings takes and returns. Types only.
import type { JsonText } from "../json/text.ts";
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
