// What clients of other vendors read of GET /v1/models: contexts and prices, each under the names that it knows, as the catalog has them.
import Anthropic from "@anthropic-ai/sdk";
import { OpenRouter } from "@openrouter/sdk";
import { describe, expect, test } from "vitest";
import { useClients } from "./clients.ts";

const provider = { provider: "first", model: "any" };
const clients = useClients(
  JSON.stringify({
    providers: [{ id: "first", protocol: "openai", base_url: "simulator:/openai/v1" }],
    models: [
      {
        ...{ id: "demo/chat", type: "language", context_window: 128_000, max_output_tokens: 16_384, input_modalities: ["text", "image"] },
        pricing: { mode: "per-token", input: 0.5, output: 1.234567, cached: 0.05, cache_write: 0.625, per_web_search: 0.01 },
        list_price: { mode: "per-token", input: 1, output: 2 },
        promotion: { label: "launch" },
        routes: [provider],
      },
      { id: "demo/vectors", type: "embedding", context_window: 8_192, pricing: { mode: "per-token", input: 0.02 }, routes: [provider] },
      { id: "demo/image", type: "image", pricing: { mode: "per-image", usd_per_image: 0.04 }, routes: [provider] },
    ],
  }),
);
const row = async (id: string) => (await clients.gateway.request("GET", `/v1/models/${id}`)).json;

test("OpenRouter's SDK lists every model, with its window and its prices for a token", async () => {
  const { account } = await clients.customer();
  const router = new OpenRouter({ apiKey: account.key, serverURL: `${clients.gateway.url}/v1`, retryConfig: { strategy: "none" } });
  const pages = await Array.fromAsync(await router.models.list());
  const models = pages.flatMap(({ result }) => result.data);
  expect(pages.map(({ result }) => result.totalCount)).toEqual([3]);
  expect(models.map(({ id }) => id)).toEqual(["demo/chat", "demo/vectors", "demo/image"]);
  expect(models[0]).toMatchObject({
    contextLength: 128_000,
    topProvider: { contextLength: 128_000, maxCompletionTokens: 16_384, isModerated: false },
    architecture: { modality: "text+image->text", inputModalities: ["text", "image"] },
    pricing: {
      ...{ prompt: "0.0000005", completion: "0.000001234567", inputCacheRead: "0.00000005" },
      ...{ inputCacheWrite: "0.000000625", webSearch: "0.01" },
    },
  });
  expect(models[1]).toMatchObject({ contextLength: 8_192, topProvider: { maxCompletionTokens: null }, pricing: { completion: "0" } });
  expect(models[2]).toMatchObject({ contextLength: null, pricing: { prompt: "0", completion: "0" } });
});

test("Anthropic's SDK reads the window and the longest answer", async () => {
  const { account } = await clients.customer();
  const { models } = new Anthropic({ apiKey: account.key, baseURL: clients.gateway.url });
  expect(await models.retrieve("demo/chat")).toMatchObject({ max_input_tokens: 128_000, max_tokens: 16_384 });
  expect(await models.retrieve("demo/image")).toMatchObject({ max_input_tokens: null, max_tokens: null });
});

describe("as rows of lists that clients read from a file", () => {
  test("LiteLLM's: USD per token", async () => {
    expect(await row("demo/chat")).toMatchObject({
      ...{ max_input_tokens: 128_000, max_output_tokens: 16_384 },
      ...{ input_cost_per_token: 0.0000005, output_cost_per_token: 0.000001234567 },
    });
    expect(await row("demo/image")).toMatchObject({ input_cost_per_token: null, output_cost_per_token: null });
  });

  test("models.dev's: USD per million tokens", async () => {
    expect(await row("demo/chat")).toMatchObject({
      limit: { context: 128_000, output: 16_384 },
      cost: { input: 0.5, output: 1.234567, cache_read: 0.05, cache_write: 0.625 },
    });
    expect(await row("demo/image")).toMatchObject({ limit: { context: 0, output: 0 }, cost: null });
  });
});

test("a promotion's prices are those in force", async () => {
  expect(await row("demo/chat")).toMatchObject({
    pricing: { prompt: "0.0000005" },
    list_price: { prompt: "0.000001", completion: "0.000002" },
  });
});
