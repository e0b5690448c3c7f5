// What a caller of an unknown model id is told: near matches, aliases, a replacement.
import { describe, expect, test } from "vitest";
import { suggestModels } from "../../src/catalog/resolve.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const catalog = catalogFrom(smallCatalog);

describe("did_you_mean", () => {
  test.each([
    ["a typo", "demo/chat-lrage", "demo/chat-large"],
    ["no vendor", "chat-large", "demo/chat-large"],
    ["another vendor", "other/chat-large", "demo/chat-large"],
    ["another case and punctuation", "DEMO/Chat_Large", "demo/chat-large"],
    ["a dated id of a model that is listed without a date", "demo/chat-large-2026-07-21", "demo/chat-large"],
    ["a typo in an alias", "bset", "best"],
    ["no slash", "demochatlarge", "demo/chat-large"],
  ])("%s", (_, sent, meant) => {
    expect(suggestModels(catalog, sent, "language").did_you_mean).toBe(meant);
  });

  test("is null when nothing is near", () => {
    expect(suggestModels(catalog, "zzzzzzzzzzzzzzzz", "language").did_you_mean).toBeNull();
    expect(suggestModels(catalog, "", null).did_you_mean).toBeNull();
    expect(suggestModels(catalog, "///", null).did_you_mean).toBeNull();
    expect(suggestModels(catalog, "demo/unheard-of", null).did_you_mean, "a vendor in common is nothing near").toBeNull();
  });

  test("names the replacement of a retired model", () => {
    const suggestion = suggestModels(catalog, "demo/old-music", "speech");
    expect(suggestion.did_you_mean).toBe("demo/music");
    expect(suggestion.suggested_models[0]).toBe("demo/music");
  });

  test("an id as long as a body is compared by its end alone", () => {
    expect(suggestModels(catalog, `${"x".repeat(5_000_000)}/demo/chat-large`, "language").did_you_mean).toBe("demo/chat-large");
  });
});

describe("suggested_models", () => {
  test("names ids, never aliases, at most five, each once", () => {
    const { suggested_models } = suggestModels(catalog, "bset", null);
    expect(suggested_models[0]).toBe("demo/chat-large");
    expect(new Set(suggested_models).size).toBe(suggested_models.length);
  });

  test("are five at most, however many are near", () => {
    const models = [...Array(9).keys()].map(
      (n) =>
        `  - { id: demo/chat-large-${n}, type: language, pricing: { mode: per-token, input: 1, output: 1 }, routes: [{ provider: north, model: m }] }`,
    );
    const many = catalogFrom(smallCatalog.replace("models:\n", `models:\n${models.join("\n")}\n`));
    expect(suggestModels(many, "demo/chat-lrage", "language").suggested_models).toHaveLength(5);
  });

  test("names models of the endpoint's type only", () => {
    expect(suggestModels(catalog, "demo/chat-large", "image").suggested_models).not.toContain("demo/chat-large");
  });

  test("falls back to the editors' choice of the type, where there is none to any model of it", () => {
    expect(suggestModels(catalog, "qqqqqqqqqqq", "embedding").suggested_models).toEqual(["acme/embed"]);
    expect(suggestModels(catalog, "qqqqqqqqqqq", "image").suggested_models).toEqual(["demo/image"]);
  });

  test("never names a paused or retired model", () => {
    const { suggested_models } = suggestModels(catalog, "demo/sfx", "speech");
    expect(suggested_models).not.toContain("demo/sfx");
    expect(suggested_models).not.toContain("demo/old-music");
  });
});
