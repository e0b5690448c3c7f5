// What a catalog file leaves out: every key has a sensible value, labels are never null (docs/behaviour/operation.md#catalog).
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { resolveModel } from "../../src/catalog/resolve.ts";
import { costOf } from "../../src/money.ts";

const providers = `providers:
  - { id: p, protocol: openai, base_url: http://a.test/v1/ }
  - { id: f, protocol: fal, base_url: http://b.test }
`;
const load = (models: string) => loadCatalog({ text: `${providers}models:\n${models}`, environment: {} }).catalog;

const bare = `
  - { id: acme/tiny, type: language, pricing: { mode: per-token, input: 0.5, output: 1.5 }, routes: [{ provider: p, model: up }] }
`;

describe("a model of four keys", () => {
  const model = load(bare).models.get("acme/tiny")!;

  test("has every label as a word, from its id where that helps", () => {
    expect(model.row).toMatchObject({
      name: "tiny",
      owned_by: "acme",
      capability: "language",
      release_stage: "stable",
      release_date: "2026-01-01",
    });
    const labels = [
      "name",
      "owned_by",
      "description",
      "best_for",
      "speed",
      "latency_tier",
      "cost_tier",
      "quality_tier",
      "tier",
      "weights",
      "release_stage",
    ] as const;
    for (const label of labels) expect(model.row[label], label).toMatch(/\S/);
  });

  test("is active, plain and keeps its price as list price", () => {
    expect(model).toMatchObject({
      state: { kind: "active" },
      capability: null,
      reasoningAlwaysOn: false,
      contextWindow: 128_000,
      maxOutputTokens: 8_192,
      outputLimited: false,
      fallbacks: [],
    });
    expect(model.supports).toEqual({ tools: false, structuredOutputs: false, reasoning: false, vision: false, caching: false });
    expect(model.listPricing).toBe(model.pricing);
    const writes = { cacheWrite: 500_000n, cacheWriteHour: 500_000n };
    const none = {
      cached: null,
      serviceTiers: new Map(),
      batch: null,
      responseCache: null,
      longContext: null,
      serverTools: {},
      perRequest: 0n,
    };
    expect(model.pricing).toEqual({ mode: "per-token", input: 500_000n, output: 1_500_000n, ...writes, ...none });
    expect(model.row).toMatchObject({
      promotion: null,
      pricing: { mode: "per-token", input: 0.5, output: 1.5, cached: null },
      tags: [],
      retires_on: null,
    });
    expect(model.routes).toEqual([
      {
        provider: expect.objectContaining({ id: "p", baseUrl: "http://a.test/v1", apiKey: null, timeoutMs: 60_000 }) as unknown,
        model: "up",
        reducedPrecision: null,
        thinking: "budget",
        cost: null,
      },
    ]);
  });

  test("has the same created at every start", () => {
    expect(model.row.created).toBe(Date.UTC(2026, 0, 1) / 1000);
    expect(load(bare.replace("type:", "release_date: 2026-07-21, type:")).models.get("acme/tiny")!.row.created).toBe(
      Date.UTC(2026, 6, 21) / 1000,
    );
  });
});

describe("what follows from other keys", () => {
  const language = (more: string) => load(bare.replace("type: language", `type: language, ${more}`)).models.get("acme/tiny")!;

  test("tags say only what the other keys prove", () => {
    expect(language("supports_tools: true, supports_vision: true, reasoning_always_on: true").row.tags).toEqual([
      "tool-use",
      "reasoning",
      "vision",
    ]);
    expect(language("supports_vision: true").row.input_modalities).toEqual(["text", "image"]);
    expect(language("input_modalities: [text, image]").supports.vision).toBe(true);
    expect(language("tags: [web-search]").row.tags).toEqual(["web-search"]);
  });

  test("an empty label counts as left out; recommended_for stands in for use_cases", () => {
    expect(language('name: "", recommended_for: [chat]').row).toMatchObject({
      name: "tiny",
      use_cases: ["chat"],
      recommended_for: ["chat"],
    });
  });

  test("the gateway's own output limit caps the model", () => {
    const limited = language("max_output_tokens: 8000, gateway_output_limit: 2000");
    expect(limited).toMatchObject({ maxOutputTokens: 2000, outputLimited: true });
    expect(limited.row).toMatchObject({ max_output_tokens: 8000, gateway_output_limit: 2000, output_limit_source: "gateway" });
  });

  test("a promotion shows both prices, with or without a list price", () => {
    const promoted = language("promotion: { label: launch }, list_price: { mode: per-token, input: 1, output: 3 }");
    expect(promoted.row).toMatchObject({ promotion: { label: "launch" }, pricing: { input: 0.5 }, list_price: { input: 1, output: 3 } });
    expect(promoted.listPricing).toMatchObject({ input: 1_000_000n });
    expect(language("promotion: { label: launch }").row.list_price.input).toBe(0.5);
  });

  test("a model whose every route is reduced is reduced itself", () => {
    const reduced = load(bare.replace("model: up", "model: up, reduced_precision: fp8")).models.get("acme/tiny")!;
    expect(reduced.row.reduced_precision).toBe("fp8");
    expect(reduced.routes[0]?.reducedPrecision).toBe("fp8");
  });
});

describe("prices become integers of one unit", () => {
  const image = (pricing: string, type = "image") =>
    load(
      `  - { id: m, type: ${type}, pricing: ${pricing}, routes: [{ provider: ${type === "transcription" ? "p" : "f"}, model: up }] }`,
    ).models.get("m")!;

  test.each([
    ["image", "{ mode: per-image, usd_per_image: 0.0035 }", { mode: "per-image", perImage: 3_500_000_000n }],
    [
      "image",
      "{ mode: per-quality, tiers: { low: 0.009, medium: 0.019, high: 0.285 } }",
      { mode: "per-quality", low: 9_000_000_000n, medium: 19_000_000_000n, high: 285_000_000_000n, defaultQuality: "medium" },
    ],
    [
      "image",
      "{ mode: per-megapixel, base_usd: 0.03, extra_per_mp_usd: 0.015 }",
      {
        mode: "per-megapixel",
        base: 30_000_000_000n,
        extraPerMegapixel: 15_000_000_000n,
        note: expect.stringMatching(/megapixel/) as unknown,
      },
    ],
    ["video", "{ mode: per-second, usd_per_second: 0.1 }", { mode: "per-second", perSecond: 100_000_000_000n }],
    [
      "transcription",
      "{ mode: per-minute, usd_per_minute: 0.0009 }",
      { mode: "per-minute", perMinute: 900_000_000n, minBillableMinutes: 1 },
    ],
    ["speech", "{ mode: per-1k-chars, usd_per_1k_chars: 0.2025 }", { mode: "per-1k-chars", perCharacter: 202_500_000n }],
    ["speech, capability: music", "{ mode: per-song, usd_per_song: 0.108 }", { mode: "per-song", perSong: 108_000_000_000n }],
    ["speech, capability: sfx", "{ mode: per-call, usd_per_call: 0.027 }", { mode: "per-call", perCall: 27_000_000_000n }],
  ])("%s %s", (type, pricing, expected) => {
    expect(image(pricing, type).pricing).toEqual(expected);
  });

  test("1,000 characters at 0.2025 USD per 1,000 cost exactly that", () => {
    const { pricing } = image("{ mode: per-1k-chars, usd_per_1k_chars: 0.2025 }", "speech");
    expect(pricing.mode === "per-1k-chars" && costOf([[1000, pricing.perCharacter]])).toBe(20_250_000n);
  });

  test("rows of media models report an input price of 0", () => {
    expect(image("{ mode: per-image, usd_per_image: 1 }").row).toMatchObject({
      pricing_mode: "per-image",
      pricing: { mode: "per-image", input: 0, output: 0, cached: null },
    });
  });

  test("a flat fee of a search model is an amount", () => {
    const search = load(bare.replace("output: 1.5", "output: 1.5, per_request: 0.005")).models.get("acme/tiny")!;
    expect(search.pricing).toMatchObject({ perRequest: 500_000n });
    expect(search.row.pricing).not.toHaveProperty("per_request");
  });
});

describe("rules of media models", () => {
  const image = (more: string) =>
    load(
      `  - { id: m, type: image, pricing: { mode: per-image, usd_per_image: 1 }, routes: [{ provider: f, model: up }], ${more} }`,
    ).models.get("m")!.media;

  test("are neutral when nothing is said", () => {
    expect(image("hot: false")).toEqual({
      takesImages: false,
      requiresImage: false,
      maxReferences: 10,
      allowedSizes: [],
      referencePrice: 0n,
      defaultAspect: "1:1",
      sizes: null,
      durations: [],
      defaultDurationSec: 5,
      extraKeys: null,
      withheld: [],
      supportsTimestamps: true,
      supportsTranslation: false,
      supportsStreaming: false,
      supportsDiarization: false,
      supportsMask: false,
      supportsVariations: false,
    });
  });

  test("are read as given", () => {
    const rules = image(
      `requires_image: true, max_references: 16, allowed_sizes: [1024x1536, auto], reference_usd: 0.012,
        default_aspect: "16:9", sizes: { "16:9": 1344x768 }`,
    );
    expect(rules).toMatchObject({
      takesImages: true,
      requiresImage: true,
      maxReferences: 16,
      allowedSizes: ["1024x1536", "auto"],
      referencePrice: 12_000_000_000n,
      defaultAspect: "16:9",
      sizes: { "16:9": { width: 1344, height: 768 } },
    });
  });

  test("the default duration is the first one offered", () => {
    expect(image("durations: [10, 5]")).toMatchObject({ durations: [5, 10], defaultDurationSec: 10 });
  });
});

describe("which models are found and shown", () => {
  const speech = (id: string, more = "") =>
    `  - { id: ${id}, type: speech, pricing: { mode: per-1k-chars, usd_per_1k_chars: 1 }, routes: [{ provider: f, model: up }]${more} }\n`;

  test("paused, retired, realtime and audio-understanding models are kept but not listed", () => {
    const catalog = load(`${bare}  - { id: old, type: language, state: { retired: true, replacement: acme/tiny } }
  - { id: later, type: language, state: { paused: true } }
  - { id: live, type: realtime }
  - { id: listener, type: audio-understanding, routes: [{ provider: p, model: up }] }
`);
    expect(catalog.listed.map(({ id }) => id)).toEqual(["acme/tiny"]);
    expect(catalog.models.size).toBe(5);
    expect(resolveModel(catalog, "old")?.model.state).toEqual({ kind: "retired", replacement: "acme/tiny" });
    expect(resolveModel(catalog, "later")?.model.state).toEqual({ kind: "paused" });
  });

  test("a default that is paused gives way to the first active model of its kind", () => {
    const file = `${speech("one", ", state: { paused: true }")}${speech("two")}${speech("three")}`;
    expect(load(file).defaults.speech?.id).toBe("two");
    expect(load(`${file}defaults: { speech: three }`).defaults.speech?.id).toBe("three");
    expect(load(`${file}defaults: { speech: one }`).defaults.speech?.id).toBe("two");
    expect(load(file).defaults.music).toBeNull();
  });

  test("an alias is told together with the model; an unknown name finds nothing", () => {
    const catalog = load(`${bare}aliases: { best: acme/tiny }\n`);
    expect(resolveModel(catalog, "best")).toMatchObject({ alias: "best", model: { id: "acme/tiny" } });
    expect(resolveModel(catalog, "acme/tiny")).toMatchObject({ alias: null });
    for (const name of ["", "nope", "constructor", "__proto__"]) expect(resolveModel(catalog, name), name).toBeUndefined();
  });

  test("tiers are taken as given, else the shipped matrix", () => {
    const shipped = load(bare).tiers;
    expect(shipped.map(({ tier, min_deposit, rpm, per_model_rpm, tpm }) => [tier, min_deposit, rpm, per_model_rpm, tpm])).toEqual([
      [0, 0, 30, 25, 200_000],
      [1, 5, 120, 100, 1_000_000],
      [2, 50, 300, 250, 2_000_000],
      [3, 250, 900, 750, 5_000_000],
      [4, 1000, 3000, 2500, 20_000_000],
    ]);
    expect(shipped[0]).toMatchObject({
      video_concurrent: 0,
      audio_concurrent_per_capability: { transcription: 1, understanding: 2, speech: 1 },
    });
    expect(shipped[4]).toMatchObject({ combined_media_concurrent: 38, combined_queue_depth_cap: 114, audio_concurrent: 100 });
    const own = shipped.map((tier) => ({ ...tier, rpm: 1, min_deposit: 7 }));
    expect(load(`${bare}tiers: ${JSON.stringify(own)}\n`).tiers).toEqual(own);
  });
});
