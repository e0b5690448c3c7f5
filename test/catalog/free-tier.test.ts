// free_tier is derived from the published price, so it follows a price change at once (docs/behaviour/billing.md#refusals).
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";

function freeTierOf(type: string, pricing: string, rest = ""): boolean {
  const protocol = type === "reranking" ? "rerank" : "openai";
  const text = `providers: [{ id: p, protocol: ${protocol}, base_url: http://a.test }]
models: [{ id: m, type: ${type}, pricing: ${pricing}, routes: [{ provider: p, model: up }] }]
${rest}`;
  const model = loadCatalog({ text, environment: {} }).catalog.models.get("m")!;
  expect(model.row.free_tier).toBe(model.freeTier);
  return model.freeTier;
}

describe("free_tier", () => {
  test.each([
    ["language", "{ mode: per-token, input: 0.1, output: 0.4 }", true],
    ["language", "{ mode: per-token, input: 0.100001, output: 0.4 }", false],
    ["language", "{ mode: per-token, input: 0.1, output: 0.400001 }", false],
    ["embedding", "{ mode: per-token, input: 0.1 }", true],
    ["reranking", "{ mode: per-token, input: 0.11 }", false],
    ["image", "{ mode: per-image, usd_per_image: 0.0099 }", true],
    ["image", "{ mode: per-image, usd_per_image: 0.01 }", false],
    ["image", "{ mode: per-quality, tiers: { low: 0, medium: 0, high: 0 } }", false],
    ["image", "{ mode: per-megapixel, base_usd: 0, extra_per_mp_usd: 0 }", false],
    ["transcription", "{ mode: per-minute, usd_per_minute: 0.001 }", true],
    ["transcription", "{ mode: per-minute, usd_per_minute: 0.0011 }", false],
    ["speech", "{ mode: per-1k-chars, usd_per_1k_chars: 0 }", false],
    ["video", "{ mode: per-second, usd_per_second: 0 }", false],
  ])("%s at %s: %s", (type, pricing, free) => {
    expect(freeTierOf(type, pricing)).toBe(free);
  });

  test("follows the thresholds of the file, one by one", () => {
    const dear = "{ mode: per-token, input: 0.2, output: 0.4 }";
    expect(freeTierOf("language", dear)).toBe(false);
    expect(freeTierOf("language", dear, "free_tier: { input: 0.2 }")).toBe(true);
    expect(freeTierOf("language", dear, "free_tier: { input: 0.2, output: 0.3 }")).toBe(false);
  });

  test("follows the price in force, not the list price", () => {
    expect(
      freeTierOf(
        "language",
        "{ mode: per-token, input: 0.1, output: 0.4 }, list_price: { mode: per-token, input: 1, output: 4 }, promotion: { label: x }",
      ),
    ).toBe(true);
  });
});
