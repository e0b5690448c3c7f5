// The rows of GET /v1/pricing per pricing mode, and the older list per token.
import { describe, expect, test } from "vitest";
import { priceOf } from "../../src/catalog/price-history.ts";
import { legacyPriceList, pricingCatalog } from "../../src/catalog/price-rows.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const { listed } = catalogFrom(smallCatalog);
const prices = pricingCatalog(listed);
const provider = "{ id: east, protocol: fal, base_url: http://127.0.0.1:9 }";
const rowOf = (model: string) =>
  pricingCatalog(catalogFrom(`providers: [${provider}]\nmodels: [{ id: m, ${model}, routes: [{ provider: east, model: up }] }]`).listed)
    .media[0];
const media = (id: string) => prices.media.find((row) => row.id === id);

describe("text rows", () => {
  test("a promotion lowers the rates in force; the list rates stay beside them", () => {
    expect(prices.text.find((row) => row.id === "demo/chat-large")).toEqual({
      id: "demo/chat-large",
      name: "Chat Large",
      input_per_1m: 0.5,
      output_per_1m: 1.5,
      list_input_per_1m: 1,
      list_output_per_1m: 3,
      cached_input_per_1m: 0.05,
    });
  });

  test("without a promotion the list rates are the rates; no cached rate is null", () => {
    expect(prices.text.find((row) => row.id === "acme/see-small")).toMatchObject({
      input_per_1m: 0.1,
      list_input_per_1m: 0.1,
      output_per_1m: 0.4,
      list_output_per_1m: 0.4,
      cached_input_per_1m: null,
    });
  });

  test("every token-billed model has one, whatever its type, sorted by id and counted", () => {
    expect(prices.text.map((row) => row.id)).toEqual(["acme/embed", "acme/see-small", "demo/chat-large"]);
    expect(prices.text_count).toBe(3);
  });
});

describe("media rows", () => {
  test("per-image", () => {
    expect(media("demo/image")).toMatchObject({
      modality: "image",
      pricing_mode: "per-image",
      usd_per_call: 0.04,
      detail: { usd_per_image: 0.04 },
    });
  });

  test("per-quality: a typical call is one of the default quality", () => {
    expect(media("demo/image-quality")).toMatchObject({
      pricing_mode: "per-quality",
      usd_per_call: 0.019,
      detail: { tiers: { low: 0.009, medium: 0.019, high: 0.285 }, default_quality: "medium" },
    });
  });

  test("per-megapixel: a typical call is one megapixel where the model has no sizes of its own", () => {
    expect(media("demo/image-mp")).toMatchObject({
      pricing_mode: "per-megapixel",
      usd_per_call: 0.03,
      detail: { base_usd: 0.03, extra_per_mp_usd: 0.015, note: "each further one" },
    });
  });

  test.each([
    ["sizes: { '1:1': 2000x1500 }", 0.06], // 3 megapixels: 0.03 + 2 x 0.015
    ["default_aspect: '16:9', sizes: { '1:1': 1024x1024, '16:9': 2000x1000 }", 0.045],
    ["sizes: { '1:1': 512x512 }", 0.03],
  ])("per-megapixel with %s: a typical call is the default size", (rules, usd) => {
    expect(
      rowOf(`type: image, ${rules}, pricing: { mode: per-megapixel, base_usd: 0.03, extra_per_mp_usd: 0.015, note: n }`),
    ).toMatchObject({
      usd_per_call: usd,
      detail: { base_usd: 0.03, extra_per_mp_usd: 0.015 },
    });
  });

  test.each([
    ["", 0.5],
    ["durations: [10, 5], default_duration_s: 10,", 0.5],
    ["default_duration_s: 8,", 0.5],
    ["durations: [4, 8], default_duration_s: 8,", 0.8],
    ["durations: [6, 10],", 0.6],
    ["durations: [4.5, 9],", 0.45],
  ])("per-second video with '%s': a typical call is 5 seconds where allowed, else the default length", (rules, usd) => {
    expect(rowOf(`type: video, ${rules} pricing: { mode: per-second, usd_per_second: 0.1 }`)).toMatchObject({ usd_per_call: usd });
  });

  test("per-second video: a typical call is a video of 5 seconds", () => {
    expect(media("demo/video")).toMatchObject({
      modality: "video",
      pricing_mode: "per-second",
      usd_per_call: 0.5,
      detail: { usd_per_second: 0.1, usd_per_second_with_audio: null, min_seconds: 5, max_seconds: 10 },
    });
  });

  test("per-second music: a typical call is 30 seconds", () => {
    expect(media("demo/music")).toMatchObject({
      modality: "audio",
      pricing_mode: "per-second",
      usd_per_call: 4.05,
      detail: { usd_per_second: 0.135, min_seconds: 1, max_seconds: 300 },
    });
  });

  test("per-minute", () => {
    expect(media("demo/stt")).toMatchObject({
      modality: "audio",
      pricing_mode: "per-minute",
      usd_per_call: 0.0009,
      detail: { usd_per_minute: 0.0009, min_billable_minutes: 1 },
    });
  });

  test("per-1k-chars", () => {
    expect(media("demo/speech")).toMatchObject({
      modality: "audio",
      pricing_mode: "per-1k-chars",
      usd_per_call: 0.07,
      detail: { usd_per_1k_chars: 0.07 },
    });
  });

  test("per-song has no row, even where the model is served; neither have paused and retired models", () => {
    expect(prices.media.map((row) => row.id)).toEqual([
      "demo/image",
      "demo/image-mp",
      "demo/image-quality",
      "demo/music",
      "demo/speech",
      "demo/stt",
      "demo/video",
    ]);
    expect(prices.media_count).toBe(7);
  });
});

describe("the older list", () => {
  const rows = legacyPriceList(listed).data;

  test("token-billed models are told in USD per token", () => {
    expect(rows.find((row) => row.model === "demo/chat-large")).toEqual({
      model: "demo/chat-large",
      input_per_token: 0.0000005,
      output_per_token: 0.0000015,
      cached_input_per_token: 0.00000005,
      placeholder: false,
    });
  });

  test("every other listed model is a placeholder, sorted by id", () => {
    expect(rows.find((row) => row.model === "demo/song")).toMatchObject({ input_per_token: 0, output_per_token: 0, placeholder: true });
    expect(rows.map((row) => row.model)).toEqual(rows.map((row) => row.model).toSorted());
    expect(rows).toHaveLength(listed.length);
  });
});

test("the history of prices has the keys of the catalog file alone: what a row says twice is no change of price", () => {
  const model = listed.find(({ id }) => id === "demo/chat-large")!;
  expect(model.row.pricing).toMatchObject({ prompt: "0.0000005", completion: "0.0000015", input_cache_read: "0.00000005" });
  expect(priceOf(model)).toEqual({ mode: "per-token", input: 0.5, output: 1.5, cached: 0.05 });
});
