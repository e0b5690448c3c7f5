// Vectors as the caller asked for them, whatever the upstream wrote (gateway-api.md, POST /v1/embeddings; WIRE.md 4.3).
import type { components } from "../../generated/api.d.ts";
import { toUsd } from "../money.ts";
import type { Vector } from "../providers/types.ts";
import type { Bill } from "./open-call.ts";

type EmbeddingList = components["schemas"]["EmbeddingList"];

export function embeddingList(model: string, vectors: readonly Vector[], { usage, cost }: Bill, base64: boolean): EmbeddingList {
  const tokens = usage.input;
  return {
    object: "list",
    model,
    data: vectors.map((vector, index) => ({ object: "embedding", index, embedding: base64 ? base64Of(vector) : numbersOf(vector) })),
    usage: { prompt_tokens: tokens, total_tokens: tokens, cost: toUsd(cost) },
  };
}

function base64Of(vector: Vector): string {
  const { buffer, byteOffset, byteLength } = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function numbersOf(vector: Vector): number[] {
  return vector instanceof Float32Array ? Array.from(vector, shortDecimal) : [...vector];
}

const decimals = 1e10;

/** The same float32 in ten decimals where they suffice: half the text of the exact value, whose other digits say nothing. */
function shortDecimal(value: number): number {
  const short = Math.round(value * decimals) / decimals;
  return Math.fround(short) === value ? short : value;
}
