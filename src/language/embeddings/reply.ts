// Writes vectors as the caller asked for them, however the upstream wrote them (docs/behaviour/endpoints.md#embeddings).
import { setImmediate as breathe } from "node:timers/promises";
import type { components } from "../../../generated/api.d.ts";
import { toUsd } from "../../money.ts";
import type { Vector } from "../../providers/verbs/without-output.ts";
import type { TokenBill } from "../token-call.ts";

type EmbeddingList = components["schemas"]["EmbeddingList"];

/** Takes about ten milliseconds to write; the event loop runs in between, since an answer may hold three million numbers. */
const numbersAtOnce = 65_536;

/** An EmbeddingList as JSON. */
export async function embeddingList(
  model: string,
  vectors: readonly Vector[],
  { usage, cost }: TokenBill,
  base64: boolean,
): Promise<Buffer> {
  const tokens = usage.input;
  const list: Omit<EmbeddingList, "data"> = {
    object: "list",
    model,
    usage: { prompt_tokens: tokens, total_tokens: tokens, cost: toUsd(cost) },
  };
  const pieces = [Buffer.from(`${JSON.stringify(list).slice(0, -1)},"data":[`)];
  let numbers = 0;
  for (const [index, vector] of vectors.entries()) {
    const embedding = base64 ? base64Of(vector) : numbersOf(vector);
    const one: EmbeddingList["data"][number] = { object: "embedding", index, embedding };
    pieces.push(Buffer.from(`${index === 0 ? "" : ","}${JSON.stringify(one)}`));
    numbers += vector.length;
    if (numbers < numbersAtOnce) continue;
    numbers = 0;
    await breathe();
  }
  return Buffer.concat([...pieces, Buffer.from("]}")]);
}

function base64Of(vector: Vector): string {
  const { buffer, byteOffset, byteLength } = vector instanceof Float32Array ? vector : Float32Array.from(vector);
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function numbersOf(vector: Vector): number[] {
  return vector instanceof Float32Array ? Array.from(vector, shortDecimal) : [...vector];
}

const decimals = 1e10;

/** The same float32 in ten decimals where they suffice: half the text of the exact value, whose other digits carry nothing. */
function shortDecimal(value: number): number {
  const short = Math.round(value * decimals) / decimals;
  return Math.fround(short) === value ? short : value;
}
