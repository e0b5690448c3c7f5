// What a caller of an unknown model id is told: near matches, aliases, a replacement.
import { describe, expect, test } from "vitest";
import { suggestModels } from "../../src/catalog/suggest.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const catalog = await catalogFrom(smallCatalog);

describe("did_you_mean", () => {
  test.each([
    ["a typo", "demo/chat-lrage", "demo/chat-large"],
    ["no vendor", "chat-large", "demo/chat-large"],
    ["another vendor", "other/chat-large", "demo/chat-large"],
    ["another case and punctuation", "DEMO/Chat_Large", "demo/chat-large"],
    ["a dated id of a model that is listed without a date", "demo/chat-large-2026-07-21", "demo/chat-large"],
    ["a typo in an alias", "bset", "best"],
  ])("%s", (_, sent, meant) => {
    expect(suggestModels(catalog, sent, "language").did_you_mean).toBe(meant);
  });

  test("is null when nothing is near", () => {
    expect(suggestModels(catalog, "zzzzzzzzzzzzzzzz", "language").did_you_mean).toBeNull();
    expect(suggestModels(catalog, "", null).did_you_mean).toBeNull();
    expect(suggestModels(catalog, "///", null).did_you_mean).toBeNull();
  });

  test("names the replacement of a retired model", () => {
    const told = suggestModels(catalog, "demo/old-music", "speech");
    expect(told.did_you_mean).toBe("demo/music");
    expect(told.suggested_models[0]).toBe("demo/music");
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
    expect(suggestModels(catalog, "demo/image", null).suggested_models.length).toBeLessThanOrEqual(5);
  });

  test("names models of the endpoint's type only", () => {
    expect(suggestModels(catalog, "demo/chat-large", "image").suggested_models).not.toContain("demo/chat-large");
  });

  test("falls back to the editors' choice of the type", () => {
    expect(suggestModels(catalog, "qqqqqqqqqqq", "image").suggested_models).toEqual(["demo/image"]);
  });

  test("never names a paused or retired model", () => {
    const { suggested_models } = suggestModels(catalog, "demo/sfx", "speech");
    expect(suggested_models).not.toContain("demo/sfx");
    expect(suggested_models).not.toContain("demo/old-music");
  });
});
