// The text of an embeddings answer: however large, it doesn't block the event loop.
import { expect, test } from "vitest";
import { embeddingList } from "../../src/language/embeddings.ts";
import type { TokenBill } from "../../src/language/token-call.ts";
import { noUsage } from "../../src/usage.ts";

const bill = { usage: noUsage, cost: 0n } as TokenBill;

test("an answer of a million numbers yields to the event loop every 65,536 of them", async () => {
  const vectors = Array.from({ length: 1_024 }, (_, index) => new Float32Array(1_024).fill(index / 1_024));
  let turns = 0;
  const others = setInterval(() => (turns += 1), 0);
  const bytes = await embeddingList("demo/embed", vectors, bill, false);
  clearInterval(others);
  expect(turns).toBeGreaterThanOrEqual(8);
  const { data } = JSON.parse(bytes.toString()) as { data: { index: number; embedding: number[] }[] };
  expect(data.map(({ index }) => index)).toEqual(vectors.map((_, index) => index));
  expect(data.at(-1)!.embedding).toEqual([...vectors.at(-1)!]);
});

test("a small one is made at once", async () => {
  const bytes = await embeddingList("demo/embed", [[0.5, -1], Float32Array.of(0.25, 2)], bill, false);
  expect(JSON.parse(bytes.toString())).toEqual({
    ...{ object: "list", model: "demo/embed" },
    data: [
      { object: "embedding", index: 0, embedding: [0.5, -1] },
      { object: "embedding", index: 1, embedding: [0.25, 2] },
    ],
    usage: { prompt_tokens: 0, total_tokens: 0, cost: 0 },
  });
});
