// POST /v1/embeddings and POST /v1/rerank over hosts of the Cohere protocol.
import { expect, test } from "vitest";
import { chatWorld, provider } from "../chat/chat-gateway.ts";

const model = (id: string, type: string, upstream: string) => ({
  ...{ id, type, context_window: 8192, pricing: { mode: "per-token", input: 0.13 } },
  routes: [{ provider: "reef", model: upstream }],
});
const world = chatWorld(
  [
    model("demo/embed", "embedding", "embed"),
    model("demo/silent", "embedding", "embed+sim-no-usage"),
    model("demo/rank", "reranking", "rank"),
    model("demo/busy", "reranking", "rank+sim-429"),
  ],
  { providers: [provider("reef", { protocol: "cohere", base_url: "simulator:/cohere" })] },
);
const ask = async (path: string, body: object) => {
  const account = await world.account();
  return await world.gateway.request("POST", path, { key: account.key, body });
};

test("one vector an input, in input order, as wide as asked, charged by the billed tokens", async () => {
  const { status, json, text } = await ask("/v1/embeddings", { model: "demo/embed", input: ["lighthouse", "harbour"], dimensions: 64 });
  expect(status, text).toBe(200);
  expect(json.data.map(({ index, embedding: vector }: any) => [index, vector.length])).toEqual([[0, 64], [1, 64]]); // prettier-ignore
  expect(json.usage).toEqual({ prompt_tokens: 5, total_tokens: 5, cost: 0.00000065 });
  expect(world.sent()).toEqual([
    {
      ...{ model: "embed", input_type: "search_document", embedding_types: ["float"], output_dimension: 64 },
      texts: ["lighthouse", "harbour"],
    },
  ]);
  const silent = await ask("/v1/embeddings", { model: "demo/silent", input: "harbour" });
  expect(await world.logOf(silent)).toMatchObject({ estimated: true });
});

test("400 request_rejected for token numbers", async () => {
  const { status, json } = await ask("/v1/embeddings", { model: "demo/embed", input: [1, 2] });
  expect([status, json.error.code, json.error.param]).toEqual([400, "request_rejected", "input"]);
});

test("documents ranked, the best first, with their texts where they are asked for", async () => {
  const documents = ["an old map", "the harbour at night"];
  const { status, json, text } = await ask("/v1/rerank", { model: "demo/rank", query: "harbour night", documents, return_documents: true });
  expect(status, text).toBe(200);
  expect(json.results[0]).toMatchObject({ index: 1, document: { text: "the harbour at night" } });
  expect(world.sent()).toEqual([{ model: "rank", query: "harbour night", documents }]);
  const busy = await ask("/v1/rerank", { model: "demo/busy", query: "harbour", documents });
  expect(busy.status).toBe(503);
});
