// Public price lists: what is taken of them, and what is left out because it could not be sold as it is priced there.
import { expect, test } from "vitest";
import { readPriceList } from "../../src/catalog/import/price-lists.ts";
import { vendors } from "../../src/catalog/import/vendors.ts";

const chat = { litellm_provider: "openai", mode: "chat", max_input_tokens: 100_000, max_output_tokens: 8_000 };
const prices = { input_cost_per_token: 1.25e-6, output_cost_per_token: 1e-5 };
const read = (list: object) => readPriceList(list, vendors["openai"]!, "2026-11-26");

test("LiteLLM: prices per million, caches, long prompts, abilities and the source", () => {
  const row = {
    ...{ ...chat, ...prices, source: "https://vendor.example/prices" },
    ...{ cache_read_input_token_cost: 1.25e-7, cache_creation_input_token_cost: 1.5625e-6 },
    ...{ input_cost_per_token_above_50k_tokens: 2.5e-6, output_cost_per_token_above_50k_tokens: 2e-5 },
    ...{ supports_function_calling: true, supports_vision: true, supports_reasoning: true, supports_none_reasoning_effort: false },
  };
  expect(read({ "gpt-x": row })!.models).toEqual([
    {
      ...{ id: "gpt-x", type: "language", contextWindow: 100_000, outputMax: 8_000, source: "https://vendor.example/prices" },
      cost: { input: 1.25, output: 10, cached: 0.125, cache_write: 1.5625, long_context: { above: 50_000, input: 2.5, output: 20 } },
      ...{ tools: true, structuredOutputs: false, reasoning: true, reasoningAlwaysOn: true, adaptiveThinking: false, reads: ["image"] },
    },
  ]);
});

test("LiteLLM: a service tier whose prices are one multiple of all others; one that is dearer somewhere, or not said of all, is left out", () => {
  const row = { ...chat, ...prices, cache_read_input_token_cost: 1.25e-7, input_cost_per_token_above_50k_tokens: 2.5e-6 };
  const tier = (name: string, of: number, cached = of) => ({
    ...{ [`input_cost_per_token_${name}`]: 1.25e-6 * of, [`output_cost_per_token_${name}`]: 1e-5 * of },
    [`cache_read_input_token_cost_${name}`]: 1.25e-7 * cached,
  });
  const tiersOf = (more: object) => read({ "gpt-x": { ...row, ...more } })!.models[0]!.cost.service_tiers;
  expect(tiersOf({ ...tier("flex", 0.5), ...tier("priority", 1.75), ...tier("batches", 0.5) })).toEqual({ flex: 0.5, priority: 1.75 });
  expect(tiersOf({ ...tier("flex", 0.5, 0.2), ...tier("priority", 2, 2.5) })).toEqual({ flex: 0.5 });
  expect(tiersOf({ ...tier("flex", 0.5), output_cost_per_token_flex: 4e-6 })).toBeUndefined();
  expect(tiersOf({ ...tier("flex", 0.5), cache_read_input_token_cost_flex: undefined })).toBeUndefined();
  expect(tiersOf({ ...tier("priority", 2), input_cost_per_token_above_50k_tokens_priority: 7.5e-6 })).toBeUndefined();
  expect(tiersOf({ ...tier("flex", 1 / 3) })).toBeUndefined(); // no exact cost
});

test("one name a model: dated snapshots and -latest give way to the lasting name, a vendor's prefix is taken off", () => {
  const list = {
    "gpt-x": { ...chat, ...prices },
    "gpt-x-2026-01-02": { ...chat, ...prices },
    "openai/gpt-y-latest": { ...chat, ...prices },
  };
  const { models, leftOut } = read(list)!;
  expect(models.map(({ id }) => id)).toEqual(["gpt-x", "gpt-y-latest"]);
  expect(leftOut).toEqual(new Map([["another name of a listed model", 1]]));
});

test.each([
  ["a retired model", { ...chat, ...prices, deprecation_date: "2026-11-26" }, "retired by its vendor"],
  ["a model without a price", chat, "no price per token, or no limits"],
  ["a model that costs nothing", { ...chat, input_cost_per_token: 0, output_cost_per_token: 0 }, "no price per token, or no limits"],
  ["a model that makes sound", { ...chat, ...prices, supports_audio_output: true }, "priced by more than its tokens"],
  ["a model of /v1/responses alone", { ...chat, ...prices, supported_endpoints: ["/v1/responses"] }, "not served by the chat endpoint"],
  ["an image model", { ...chat, mode: "image_generation" }, "a kind that is not imported"],
  ["a recording billed by token", { ...chat, mode: "audio_transcription", ...prices }, "no price per minute"],
])("%s is left out, and says why", (_, row, why) => {
  const { models, leftOut } = read({ odd: row, "gpt-x": { ...chat, ...prices } })!;
  expect(models.map(({ id }) => id)).toEqual(["gpt-x"]);
  expect(leftOut).toEqual(new Map([[why, 1]]));
});

test("a price that is lower at some hours is taken as it is at the others; rows that name no page are left out where they are old", () => {
  const row = { ...chat, ...prices, litellm_provider: "deepseek", source: "https://vendor.example/prices" };
  const off_peak_pricing = { input_cost_per_token: 1e-7, output_cost_per_token: 1e-6, windows: [] };
  const list = {
    ...{ "deepseek/deepseek-v": { ...row, off_peak_pricing }, "deepseek/deepseek-v-vision-exp": row },
    "deepseek/deepseek-old": { ...row, source: undefined },
  };
  const { models, leftOut } = readPriceList(list, vendors["deepseek"]!, "2026-11-26")!;
  expect(models.map(({ id, cost }) => [id, cost])).toEqual([["deepseek-v", { input: 1.25, output: 10 }]]);
  expect(leftOut).toEqual(
    new Map([
      ["a preview or a fine-tune", 1],
      ["without a page that it is priced on", 1],
    ]),
  );
});

test("Together's price classes are no models", () => {
  const row = { ...chat, ...prices, litellm_provider: "together_ai" };
  const { models, leftOut } = readPriceList({ "together-ai-8.1b-21b": row, "together_ai/a/b": row }, vendors["together"]!, "2026-11-26")!;
  expect([models.map(({ id }) => id), [...leftOut]]).toEqual([["a/b"], [["of another region, or not called so", 1]]]);
});

test("a list shaped as models.dev's: an object of vendors, USD per million", () => {
  const model = {
    ...{ id: "gpt-x", name: "GPT X", release_date: "2026-03-04", reasoning: true, tool_call: true },
    ...{ modalities: { input: ["text", "image", "pdf"], output: ["text"] }, limit: { context: 400_000, output: 128_000 } },
    cost: { input: 1.25, output: 10, cache_read: 0.125 },
  };
  const image = { id: "pix", modalities: { input: ["text"], output: ["image"] } };
  expect(read({ openai: { models: { "gpt-x": model, pix: image } }, other: {} })).toEqual({
    models: [
      expect.objectContaining({
        ...{ id: "gpt-x", name: "GPT X", released: "2026-03-04", contextWindow: 400_000, outputMax: 128_000, reads: ["image", "file"] },
        cost: { input: 1.25, output: 10, cached: 0.125 },
      }),
    ],
    leftOut: new Map([["priced by more than its tokens", 1]]),
  });
});

test.each([[null], [[]], [{}], ["text"], [{ a: { litellm_provider: "another" } }]])("%j is no list with models of the vendor", (list) => {
  expect(read(list as object)).toBeUndefined();
});

test("Bedrock: what Converse serves, by the profile of the file's region where there is one, under the model's own name", () => {
  const row = { ...chat, ...prices, litellm_provider: "bedrock_converse" };
  const embedding = { litellm_provider: "bedrock", mode: "embedding", max_input_tokens: 8_000, input_cost_per_token: 2e-8 };
  const list = {
    ...{ "vendor.star-v1:0": row, "us.vendor.star-v1:0": { ...row, input_cost_per_token: 1.5e-6 }, "eu.vendor.star-v1:0": row },
    ...{ "vendor.plain-v1:0": row, "bedrock/us-west-2/1-month-commitment/vendor.plain-v1:0": row },
    ...{ "vendor.old-v1": { ...row, litellm_provider: "bedrock" } },
    ...{ "amazon.titan-embed-text-v2:0": embedding, "amazon.titan-embed-image-v1": embedding },
  };
  const { models } = readPriceList(list, vendors["aws"]!, "2026-11-26")!;
  expect(models.map(({ id, soldAs, cost }) => [id, soldAs, cost.input])).toEqual([
    ["us.vendor.star-v1:0", "vendor.star-v1:0", 1.5],
    ["vendor.plain-v1:0", undefined, 1.25],
    ["amazon.titan-embed-text-v2:0", undefined, 0.02],
  ]);
});

test("Gemini: the newer generations think by levels; thoughts at a price of their own are not imported", () => {
  const row = { ...chat, ...prices, litellm_provider: "gemini" };
  const list = {
    ...{ "gemini/gemini-2.5-flash": row, "gemini/gemini-3.5-flash": row, "gemini/gemma-3-27b-it": row },
    "gemini/gemini-3-odd": { ...row, output_cost_per_reasoning_token: 3e-5 },
  };
  const { models } = readPriceList(list, vendors["google"]!, "2026-11-26")!;
  expect(models.map(({ id, adaptiveThinking }) => [id, adaptiveThinking])).toEqual([
    ["gemini-2.5-flash", false],
    ["gemini-3.5-flash", true],
  ]);
});

test("an embedding whose price per thousand was taken for one per token is left out", () => {
  const row = { litellm_provider: "cohere", mode: "embedding", max_input_tokens: 512, input_cost_per_token: 1e-4 };
  expect(readPriceList({ "embed-odd": row }, vendors["cohere"]!, "2026-11-26")!.leftOut).toEqual(
    new Map([["a price that can't be right", 1]]),
  );
});
