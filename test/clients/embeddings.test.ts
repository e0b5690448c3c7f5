// Embeddings with the real clients (docs/behaviour/endpoints.md#embeddings): OpenAI's SDK and LangChain ask for base64, the AI SDK for floats.
import { createOpenAI } from "@ai-sdk/openai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { cosineSimilarity, embed, embedMany } from "ai";
import { encode } from "gpt-tokenizer/encoding/cl100k_base";
import { describe, expect, test } from "vitest";
import { highTiers } from "../support/tiers.ts";
import { costIn, type Customer, useClients } from "./clients.ts";

const upstreams = { "vectors/small": "embed", "vectors/float-only": "embed+sim-float-only", "vectors/unordered": "embed+sim-unordered" };
const models = Object.keys(upstreams);
const clients = useClients(
  JSON.stringify({
    tiers: highTiers(),
    providers: [{ id: "first", protocol: "openai", base_url: "simulator:/openai/v1" }],
    models: Object.entries(upstreams).map(([id, model]) => ({
      id,
      type: "embedding",
      context_window: 8192,
      pricing: { mode: "per-token", input: 0.02 },
      routes: [{ provider: "first", model }],
    })),
  }),
);

const input = ["The keeper lights the lamp.", "Lamps are lit by the keeper.", "Prices rose again."];

function expectMeaning(vectors: number[][]): void {
  expect(vectors.map((vector) => vector.length)).toEqual([1536, 1536, 1536]);
  expect(cosineSimilarity(vectors[0]!, vectors[1]!)).toBeGreaterThan(cosineSimilarity(vectors[0]!, vectors[2]!));
}

describe.each(models)("%s", (model) => {
  test("OpenAI's SDK: base64 by itself, floats when told; the same vectors", async () => {
    const customer = await clients.customer();
    const { embeddings } = customer.openai();
    const usual = await embeddings.create({ model, input });
    const floats = await embeddings.create({ model, input, encoding_format: "float" });
    const base64 = await embeddings.create({ model, input, encoding_format: "base64" });
    expect(customer.exchanges[0]!.body.encoding_format).toBe("base64");
    expectMeaning(usual.data.map((item) => item.embedding));
    for (const at of [0, 1, 2]) {
      expect(usual.data[at]!.embedding).toEqual(floats.data[at]!.embedding.map(Math.fround));
      expect(typeof base64.data[at]!.embedding).toBe("string");
    }
    expect(usual).toMatchObject({ object: "list", model });
    expect(await customer.spent()).toBeCloseTo(3 * costIn(usual.usage), 8);
    expect(costIn(usual.usage)).toBeGreaterThan(0);
  });

  test("LangChain: no vector is empty", async () => {
    const customer = await clients.customer();
    const langchain = langchainOf(customer, model);
    const vectors = await langchain.embedDocuments(input);
    expectMeaning(vectors);
    const query = await langchain.embedQuery(input[0]!);
    expect(query).toEqual(vectors[0]);
    expect(await langchainOf(customer, model, { dimensions: 64 }).embedQuery("a")).toHaveLength(64);
  });

  test("AI SDK, by its OpenAI-compatible provider and by its OpenAI one: embed and embedMany", async () => {
    const customer = await clients.customer();
    const { account } = customer;
    const compatible = customer.aiSdk().textEmbeddingModel(model);
    const openai = createOpenAI({ apiKey: account.key, baseURL: `${clients.gateway.url}/v1` }).embedding(model);
    for (const chosen of [compatible, openai]) {
      const many = await embedMany({ model: chosen, values: input });
      expectMeaning(many.embeddings);
      expect(many.usage.tokens).toBeGreaterThan(0);
      const one = await embed({ model: chosen, value: input[0]! });
      expect(one.embedding).toEqual(many.embeddings[0]);
    }
  });
});

test("AI SDK: more values than one request takes are sent in several", async () => {
  const customer = await clients.customer();
  const values = Array.from({ length: 2100 }, (_, index) => `text ${index}`);
  const model = createOpenAI({ apiKey: customer.account.key, baseURL: `${clients.gateway.url}/v1` }).embedding("vectors/small");
  const { embeddings } = await embedMany({ model, values, providerOptions: { openai: { dimensions: 16 } } });
  expect(embeddings).toHaveLength(2100);
  expect(new Set(embeddings.map((vector) => vector.length))).toEqual(new Set([16]));
});

test("OpenAI's SDK: tokens that a client made itself, as LangChain's Python package sends them, one list or several", async () => {
  const customer = await clients.customer();
  const { embeddings } = customer.openai({ maxRetries: 0 });
  const lists = ["The lighthouse stands at the harbour.", "A recipe for soup."].map((text) => encode(text));
  const several = await embeddings.create({ model: "vectors/small", input: lists });
  expect(several.data.map(({ embedding }) => embedding.length)).toEqual([1536, 1536]);
  expect(several.usage.prompt_tokens).toBe(lists[0]!.length + lists[1]!.length);
  const one = await embeddings.create({ model: "vectors/small", input: lists[0]! });
  expect(one.data[0]!.embedding).toEqual(several.data[0]!.embedding);
  expect(await customer.spent()).toBeCloseTo(costIn(several.usage) + costIn(one.usage), 8);
  await expect(embeddings.create({ model: "vectors/small", input: [1, -2] })).rejects.toMatchObject({
    status: 400,
    code: "invalid_parameter",
    param: "input[1]",
  });
});

function langchainOf({ account }: Customer, model: string, fields: { dimensions?: number } = {}): OpenAIEmbeddings {
  return new OpenAIEmbeddings({
    model,
    apiKey: account.key,
    maxRetries: 0,
    configuration: { baseURL: `${clients.gateway.url}/v1` },
    ...fields,
  });
}
