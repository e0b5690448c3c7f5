// Reranking: the order, the cut, and the shapes of every host, errors included.
import { describe, expect, test } from "vitest";
import { post, useSimulator } from "./simulator-fixture.ts";

const simulator = useSimulator();
const documents = ["A tax report for the quarter", "The sea is calm today", "A boat on the calm sea", "Nothing"];
const send = (model: string, more: Record<string, unknown> = {}) =>
  post(simulator.current, "/rerank/rerank", { model, query: "calm sea boat", documents, ...more });
const rerank = async (model: string, more: Record<string, unknown> = {}): Promise<any> => (await send(model, more)).json();

describe("ranking", () => {
  test("documents that share the query's words come first, scores from 0 to 1, the same each time", async () => {
    const reply = await rerank("rerank");
    expect(reply.results.map(({ index }: any) => index).slice(0, 2)).toEqual([2, 1]);
    const scores = reply.results.map((row: any) => row.relevance_score);
    expect(scores).toEqual([...scores].sort((left, right) => right - left));
    expect(scores.every((score: number) => score >= 0 && score <= 1)).toBe(true);
    expect(await rerank("rerank")).toEqual(reply);
    expect((await rerank("rerank+sim-unordered")).results).toEqual([...reply.results].reverse());
  });

  test("top_n cuts after sorting, return_documents brings the texts, objects with a text are documents", async () => {
    expect((await rerank("m", { top_n: 1 })).results).toMatchObject([{ index: 2 }]);
    expect((await rerank("m", { top_n: 1 })).results[0]).not.toHaveProperty("document");
    const objects = { documents: documents.map((text) => ({ text })), top_n: 1, return_documents: true };
    expect((await rerank("m", objects)).results).toMatchObject([{ index: 2, document: { text: documents[2] } }]);
  });
});

describe("hosts", () => {
  const first = { index: 2, relevance_score: expect.any(Number) };
  // Query: 4 tokens a document; documents: 7 + 6 + 6 + 2.
  const tokens = 37;
  const shapes: [string, unknown, string[]][] = [
    ["m", { model: "m", object: "list", usage: { total_tokens: tokens, prompt_tokens: tokens }, results: [first] }, ["detail"]],
    ["m+sim-cohere", { id: expect.any(String), results: [first], meta: { billed_units: { search_units: 1 } } }, ["message"]],
    ["m+sim-voyage", { object: "list", data: [first], usage: { total_tokens: tokens } }, ["detail"]],
    ["m+sim-together", { object: "rerank", results: [first], usage: { total_tokens: tokens } }, ["error"]],
    [
      "m+sim-openrouter",
      { provider: "Simulator", results: [{ ...first, document: { text: documents[2] } }], usage: { cost: 0.002, search_units: 1 } },
      ["error"],
    ],
    ["m+sim-vllm", { results: [{ ...first, document: { text: documents[2] } }], usage: { total_tokens: tokens } }, ["error"]],
  ];
  for (const [model, shape, errorKeys] of shapes) {
    test(`${model}: its answer, its answer without usage, its errors`, async () => {
      const reply = await rerank(model, { top_n: 1 });
      expect(reply).toMatchObject(shape as object);
      const without = await rerank(`${model}+sim-no-usage`, { top_n: 1 });
      expect(without).not.toHaveProperty("usage");
      expect(without).not.toHaveProperty("meta");
      for (const more of [{ query: "" }, { query: undefined }, { documents: [] }, { documents: [1] }, { top_n: 0 }]) {
        const refused = await send(model, more);
        expect(refused.status).toBe(400);
        expect(Object.keys((await refused.json()) as object)).toEqual(errorKeys.concat(model === "m" && "top_n" in more ? ["code"] : []));
      }
      const failed = await send(`${model}+sim-503`);
      expect([failed.status, Object.keys((await failed.json()) as object)]).toEqual([503, errorKeys]);
    });
  }

  test("one search unit a hundred documents", async () => {
    const many = { documents: Array.from({ length: 101 }, (_, index) => `Text ${index}`) };
    expect((await rerank("m+sim-cohere", many)).meta.billed_units.search_units).toBe(2);
  });
});
