// The shipped catalog: loads clean, sells at least 40 models over all served types and fills every role that operations need.
import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { checkCatalog, loadCatalog } from "../../src/catalog/load.ts";
import { resolveModel } from "../../src/catalog/resolve.ts";
import type { Model } from "../../src/catalog/types.ts";
import { toUsd, usdFromPrice } from "../../src/money.ts";

const path = new URL("../../src/catalog/default.yaml", import.meta.url).pathname;
const { catalog, warnings } = loadCatalog({ path, environment: {}, simulatorUrl: "http://127.0.0.1:1" });
const models = [...catalog.models.values()];
const active = catalog.listed;
const ofType = (type: Model["type"]) => active.filter((model) => model.type === type);
const get = (name: string) => resolveModel(catalog, name)!.model;

describe("the shipped file", () => {
  test("has no problem and warns of nothing", () => {
    expect(checkCatalog(readFileSync(path, "utf8")).problems).toEqual([]);
    expect(warnings).toEqual([]);
  });

  test("sells at least 40 models, some of every served type", () => {
    expect(active.length).toBeGreaterThanOrEqual(40);
    expect(new Set(active.map(({ type }) => type))).toEqual(
      new Set(["language", "image", "video", "embedding", "reranking", "transcription", "speech", "decisions"]),
    );
  });

  test("is served by the simulator alone, without secrets", () => {
    for (const provider of catalog.providers.values())
      expect(provider).toMatchObject({ baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\//) as unknown, apiKey: null });
    for (const model of models) for (const route of model.routes) expect(route.model).not.toMatch(/sim-|\+/);
  });

  test("two models are sold over the Anthropic protocol alone, of which one thinks in the newer form, and one as a second route", () => {
    const over = active.filter(({ routes }) => routes.some(({ provider }) => provider.protocol === "anthropic"));
    expect(
      over.map(({ id, routes }) => [id, routes.length, routes.find(({ provider }) => provider.protocol === "anthropic")!.thinking]),
    ).toEqual([
      ["harbor/chat-pro", 3, "adaptive"],
      ["tern/opal-large", 1, "adaptive"],
      ["tern/opal-small", 1, "budget"],
    ]);
  });

  test("every row fits the contract", () => {
    const document = JSON.parse(readFileSync(new URL("../../generated/openapi.json", import.meta.url), "utf8")) as { components: object };
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    ajv.addSchema({ $id: "api", components: document.components });
    const validate = ajv.compile<unknown>({ $ref: "api#/components/schemas/ModelRow" });
    for (const { id, row } of models) expect(validate(row), `${id}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    const tier = ajv.compile<unknown>({ $ref: "api#/components/schemas/TierRow" });
    for (const row of catalog.tiers) expect(tier(row)).toBe(true);
  });

  test("language models have routes enough to show a failover", () => {
    const several = ofType("language").filter(({ routes }) => new Set(routes.map(({ provider }) => provider.id)).size > 1);
    expect(several.length).toBeGreaterThanOrEqual(15);
    expect(
      ofType("language").some(
        ({ routes }) => routes[0]?.reducedPrecision === null && routes.some(({ reducedPrecision }) => reducedPrecision !== null),
      ),
    ).toBe(true);
  });
});

describe("roles of language", () => {
  test("reasoning, vision, tool, structured, caching and file models are there", () => {
    for (const ability of ["tools", "structuredOutputs", "reasoning", "vision", "caching"] as const) {
      expect(ofType("language").filter(({ supports }) => supports[ability]).length, ability).toBeGreaterThan(1);
      expect(ofType("language").filter(({ supports }) => !supports[ability]).length, `no ${ability}`).toBeGreaterThan(0);
    }
    expect(ofType("language").some(({ reasoningAlwaysOn }) => reasoningAlwaysOn)).toBe(true);
    expect(ofType("language").some(({ row }) => row.tags.includes("file-input"))).toBe(true);
    expect(ofType("language").some(({ row }) => row.promotion !== null && row.list_price.input > row.pricing.input)).toBe(true);
  });

  test("two search models take a flat fee", () => {
    const search = active.filter(({ pricing }) => pricing.mode === "per-token" && pricing.perRequest > 0n);
    expect(search.map(({ row }) => row.tags)).toEqual([["web-search"], ["web-search"]]);
  });

  test("fast and the two caching tags are set on no model", () => {
    for (const { row } of models)
      for (const tag of ["fast", "implicit-caching", "explicit-caching"] as const) expect(row.tags).not.toContain(tag);
  });

  test("jev decides, with free output", () => {
    expect(ofType("decisions").map(({ id }) => id)).toEqual(["jev"]);
    expect(get("jev").pricing).toMatchObject({ mode: "per-token", output: 0n });
  });
});

describe("roles of images", () => {
  test("there are ten, of which five take images, one needs one, two take 16 references", () => {
    expect(ofType("image")).toHaveLength(10);
    expect(ofType("image").filter(({ media }) => media.takesImages)).toHaveLength(5);
    expect(ofType("image").filter(({ media }) => media.requiresImage)).toHaveLength(1);
    expect(
      ofType("image")
        .map(({ media }) => media.maxReferences)
        .sort((a, b) => b - a),
    ).toEqual([16, 16, ...Array.from({ length: 8 }, () => 10)]);
  });

  test("only the sub-cent budget model is in the free tier", () => {
    const free = ofType("image").filter(({ freeTier }) => freeTier);
    expect(free).toHaveLength(1);
    expect(free[0]!.pricing.mode === "per-image" && usdFromPrice(free[0]!.pricing.perImage)).toBeLessThan(0.01);
  });

  test("two are priced by quality, one of them the reference flash model with its own sizes and charge", () => {
    const byQuality = ofType("image").filter(({ pricing }) => pricing.mode === "per-quality");
    expect(byQuality.map(({ media }) => media.maxReferences)).toEqual([16, 16]);
    const flash = byQuality.find(({ media }) => media.referencePrice > 0n)!;
    expect(flash.pricing).toEqual({
      mode: "per-quality",
      low: 9_000_000_000n,
      medium: 19_000_000_000n,
      high: 285_000_000_000n,
      defaultQuality: "medium",
    });
    expect(usdFromPrice(flash.media.referencePrice)).toBe(0.012);
    expect(flash.media.allowedSizes).toEqual(["1024x1024", "1024x1536", "1536x1024", "auto"]);
  });

  test("the megapixel model and two others are landscape by default and know no 21:9", () => {
    expect(ofType("image").filter(({ pricing }) => pricing.mode === "per-megapixel")).toHaveLength(1);
    const landscape = ofType("image").filter(({ media }) => media.defaultAspect === "16:9");
    expect(landscape).toHaveLength(3);
    for (const { media } of landscape) expect(media.sizes).not.toHaveProperty("21:9");
    expect(landscape.some(({ pricing }) => pricing.mode === "per-megapixel")).toBe(true);
  });
});

describe("roles of sound and video", () => {
  test("transcribe and transcribe-quality cost what the specification says, and fall back to a secondary and a plain-text tertiary", () => {
    expect(get("transcribe").pricing).toEqual({ mode: "per-minute", perMinute: 900_000_000n, minBillableMinutes: 1 });
    expect(get("transcribe-quality").pricing).toMatchObject({ perMinute: 4_050_000_000n });
    for (const name of ["transcribe", "transcribe-quality"])
      expect(get(name).fallbacks.map((id) => get(id).media.supportsTimestamps)).toEqual([true, false]);
    expect(get("transcribe").freeTier).toBe(true);
  });

  test("both speech families have their prices, none free; the most expressive model is paused", () => {
    const prices = (family: Model["voiceFamily"]) =>
      models
        .filter(({ voiceFamily, capability }) => voiceFamily === family && capability === null)
        .map(({ pricing, state }) => [pricing.mode === "per-1k-chars" ? usdFromPrice(pricing.perCharacter, 1000n) : null, state.kind]);
    expect(prices("provider_a")).toEqual([
      [0.405, "active"],
      [0.2025, "active"],
      [0.2025, "active"],
      [0.405, "paused"],
    ]);
    expect(prices("provider_b")).toEqual([
      [0.07, "active"],
      [0.04, "active"],
    ]);
    expect(active.filter(({ type, freeTier }) => type === "speech" && freeTier)).toEqual([]);
    expect(catalog.defaults.speech).toMatchObject({ voiceFamily: "provider_a", pricing: { perCharacter: 405_000_000n } });
  });

  test("music is billed by the second, with a flat third vendor and two retired ones", () => {
    const music = models.filter(({ capability }) => capability === "music");
    expect(catalog.defaults.music?.pricing).toEqual({ mode: "per-second", perSecond: 135_000_000_000n });
    expect(music.filter(({ state }) => state.kind === "active").map(({ pricing }) => pricing)).toContainEqual({
      mode: "per-song",
      perSong: 108_000_000_000n,
    });
    expect(music.filter(({ state }) => state.kind === "retired").map(({ state }) => state)).toEqual([
      { kind: "retired", replacement: catalog.defaults.music!.id },
      { kind: "retired", replacement: catalog.defaults.music!.id },
    ]);
  });

  test("effects, voice cloning and voice design are paused at their flat prices, so they have no default", () => {
    const flat = models.flatMap(({ capability, pricing, state }) =>
      pricing.mode === "per-call" ? [[capability, usdFromPrice(pricing.perCall), state.kind]] : [],
    );
    expect(flat).toEqual([
      ["sfx", 0.027, "paused"],
      ["voice-clone", 2, "paused"],
      ["voice-design", 4.2, "paused"],
    ]);
    expect(catalog.defaults).toMatchObject({ sfx: null, "voice-clone": null, "voice-design": null });
  });

  test("video is billed by the second; one model reads cfg_scale", () => {
    expect(ofType("video").every(({ pricing }) => pricing.mode === "per-second")).toBe(true);
    expect(ofType("video").filter(({ media }) => media.extraKeys?.includes("cfg_scale"))).toHaveLength(1);
  });
});

test("the demo's aliases lead to active models, and an answer of best can be paid from the sign-up credit", () => {
  for (const alias of ["best", "transcribe", "transcribe-quality"]) expect(get(alias).state.kind).toBe("active");
  const best = get("best").pricing;
  expect(best.mode === "per-token" && toUsd((best.output * 1000n) / 10_000n)).toBeLessThan(0.5);
});
