// What an adapter of embeddings takes and gives. Types only.
import type { JsonText } from "../json/text.ts";
import type { UpstreamCall, Whole } from "../types.ts";

/** An embeddings request in the OpenAI dialect, as JSON text. How vectors are asked for is the adapter's, whatever the caller wants. */
export interface EmbedCall extends UpstreamCall {
  body: JsonText;
  /** Texts that were sent: as many vectors are an answer. */
  inputs: number;
  /** Length that was asked for; null: the model's own. */
  dimensions: number | null;
  /** The caller wants base64: an upstream that writes it saves both sides the numbers' text. */
  base64: boolean;
}

/** Numbers as the upstream wrote them, or the float32 values of its base64. */
export type Vector = readonly number[] | Float32Array;

export interface EmbedWhole extends Whole {
  /** One vector an input, in input order, all of one length. */
  vectors: Vector[];
}

export type Embed = (call: EmbedCall) => Promise<EmbedWhole>;
