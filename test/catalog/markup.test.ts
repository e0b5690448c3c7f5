// Prices that follow from costs: the dearest route of each figure, marked up exactly.
import fc from "fast-check";
import { expect, test } from "vitest";
import { checkCatalog, readCatalogFile } from "../../src/catalog/load.ts";
import { markedUp } from "../../src/catalog/markup.ts";

const file = (models: object[], percent: number | null = 10) =>
  JSON.stringify({
    ...(percent === null ? {} : { markup_percent: percent }),
    providers: ["north", "south"].map((id) => ({ id, protocol: "openai", base_url: "http://127.0.0.1:9/v1" })),
    models,
  });
const routes = (...costs: (object | undefined)[]) =>
  costs.map((cost, at) => ({ provider: ["north", "south"][at], model: "m", ...(cost === undefined ? {} : { cost }) }));
const priceOf = (model: object, percent = 10) =>
  readCatalogFile(file([{ id: "a", type: "language", ...model }], percent), "f").models[0]!.pricing;

test.each([
  [0.1, 10, 6, 0.11],
  [0.3, 10, 6, 0.33],
  [1.25, 0, 6, 1.25],
  [0.000001, 10, 6, 0.000002],
  [0.07, 12.5, 6, 0.07875],
  [0.006, 33.3333, 12, 0.007999998],
  [0, 50, 6, 0],
])("%f USD and %f percent, to %i decimals: %f", (usd, percent, decimals, price) => {
  expect(markedUp(usd, percent, decimals)).toBe(price);
});

test("is never below the cost, nor a whole unit above what the percentage says", () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000_000_000 }), fc.nat({ max: 10_000_0000 }), (millionths, tenThousandths) => {
      const price = BigInt(Math.round(markedUp(millionths / 1e6, tenThousandths / 1e4, 6) * 1e6));
      const exact = BigInt(millionths) * (1_000_000n + BigInt(tenThousandths)); // in 1e-12 USD
      expect(price * 1_000_000n >= exact).toBe(true);
      expect((price - 1n) * 1_000_000n < exact).toBe(true);
    }),
  );
});

test("each figure is that of the dearest route; a cache that one route does not price costs input there", () => {
  const dear = { input: 1, output: 2, cached: 0.1, cache_write: 1.25 };
  expect(priceOf({ routes: routes(dear, { input: 0.5, output: 4 }) })).toEqual({
    ...{ mode: "per-token", input: 1.1, output: 4.4, cached: 0.55, cache_write: 1.375 },
  });
});

test("long prompts follow from the costs of long prompts, from the shortest bound on", () => {
  const long = (above: number, input: number) => ({
    input: 1,
    output: 2,
    cached: 0.1,
    long_context: { above, input, output: 6, cached: 0.3 },
  });
  expect(priceOf({ context_window: 1_000_000, routes: routes(long(200_000, 3), long(100_000, 2)) })).toMatchObject({
    long_context: { above: 100_000, input: 3.3, output: 6.6, cached: 0.33 },
  });
});

test("dearer service tiers that every route has are sold at the dearest multiple, but for one that would make a price inexact", () => {
  const tiers = (flex: number, priority: number) => ({ input: 1, output: 2, service_tiers: { flex, priority } });
  const pricing = (...costs: object[]) => priceOf({ routes: routes(...costs) });
  expect(pricing(tiers(0.5, 2))).toEqual({ mode: "per-token", input: 1.1, output: 2.2, service_tiers: { priority: 2 } });
  expect(pricing(tiers(0.5, 2), tiers(0.6, 1.75))).toMatchObject({ service_tiers: { priority: 2 } });
  expect(pricing(tiers(0.5, 2), { input: 1, output: 2, service_tiers: { flex: 0.5 } })).not.toHaveProperty("service_tiers");
  const fine = { ...tiers(0.5, 2.5), long_context: { above: 100, input: 1.00001, output: 2 } }; // 1.100011 x 2.5
  expect(pricing(fine)).not.toHaveProperty("service_tiers");
  expect(checkCatalog(file([{ id: "a", type: "language", context_window: 1_000, routes: routes(tiers(0.5, 2)) }]))).toMatchObject({
    ...{ problems: [], warnings: [] },
  });
});

test("other kinds by their own unit", () => {
  expect(priceOf({ type: "transcription", routes: routes({ per_minute: 0.006 }) })).toEqual({ mode: "per-minute", usd_per_minute: 0.0066 });
  expect(priceOf({ type: "image", routes: routes({ per_image: 0.04 }) })).toEqual({ mode: "per-image", usd_per_image: 0.044 });
});

test("a model's own price stays; a route without a cost is a fault with its line, as is a price missing without a mark-up", () => {
  const own = { mode: "per-token", input: 5, output: 6 };
  expect(priceOf({ pricing: own, routes: routes({ input: 1, output: 2 }) })).toEqual(own);
  const missing = { problems: [{ line: 1, message: 'models[0]: "pricing" is missing' }] };
  const half = { id: "a", type: "language", routes: routes({ input: 1, output: 2 }, undefined) };
  expect(checkCatalog(file([half]))).toMatchObject(missing);
  expect(checkCatalog(file([{ ...half, routes: routes({ input: 1, output: 2 }) }], null))).toMatchObject(missing);
});
