// Rankings with the AI SDK's Cohere provider, which needs `results` best first on /v1/rerank (docs/behaviour/providers.md#rerank).
import { createCohere } from "@ai-sdk/cohere";
import { rerank } from "ai";
import { describe, expect, test } from "vitest";
import { highTiers } from "../support/tiers.ts";
import { useClients } from "./clients.ts";

const hosts = ["cohere", "voyage", "together", "openrouter", "vllm"];
const clients = useClients(
  JSON.stringify({
    tiers: highTiers(),
    providers: [{ id: "ranks", protocol: "rerank", base_url: "simulator:/rerank" }],
    models: [...hosts.map((host) => [host, `rank+sim-${host}`]), ["jina", "rank"], ["down", "rank+sim-fail-503"]].map(([id, model]) => ({
      id: `rank/${id}`,
      type: "reranking",
      pricing: { mode: "per-token", input: 0.05 },
      routes: [{ provider: "ranks", model }],
    })),
  }),
);

const query = "Who keeps the light?";
const documents = ["The harbour opens at six.", "He who keeps the light lived in the tower.", "The light went out."];

async function cohere(model: string) {
  const customer = await clients.customer();
  const provider = createCohere({ apiKey: customer.account.key, baseURL: `${clients.gateway.url}/v1` });
  return { customer, model: provider.reranking(`rank/${model}`) };
}

describe("rerank", () => {
  test.each([...hosts, "jina"])("%s: the documents in the order of the ranking, charged once", async (host) => {
    const { customer, model } = await cohere(host);
    const { ranking, rerankedDocuments } = await rerank({ model, query, documents, topN: 2 });
    expect(rerankedDocuments).toEqual([documents[1], documents[2]]);
    expect(ranking.map(({ originalIndex }) => originalIndex)).toEqual([1, 2]);
    expect(ranking[0]!.score).toBeGreaterThan(ranking[1]!.score);
    expect(await customer.spent()).toBeGreaterThan(0);
  });

  test("documents that are objects reach the gateway as text", async () => {
    const { model } = await cohere("cohere");
    const objects = documents.map((text) => ({ text }));
    const { rerankedDocuments } = await rerank({ model, query, documents: objects, topN: 1 });
    expect(rerankedDocuments).toEqual([objects[1]]);
  });

  test("a 503 is an error that may be retried, and nothing is charged", async () => {
    const { customer, model } = await cohere("down");
    await expect(rerank({ model, query, documents, maxRetries: 0 })).rejects.toMatchObject({ statusCode: 503, isRetryable: true });
    expect(await customer.spent()).toBe(0);
  });
});
