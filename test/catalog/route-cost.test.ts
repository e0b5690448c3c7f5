// What a route may say that its provider charges, and what `svc catalog check` warns of.
import { describe, expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/load.ts";
import { catalogFrom } from "./catalog-from.ts";

const fileOf = (models: string[]) =>
  ["providers:", "  - { id: north, protocol: openai, base_url: http://127.0.0.1:9/v1 }", "models:", ...models].join("\n");
const chat = (id: string, { input = 2, output = 8, more = "", cost = "", fallbacks = "" } = {}) => [
  `  - id: ${id}`,
  "    type: language",
  `    pricing: { mode: per-token, input: ${input}, output: ${output}${more} }`,
  `    routes:`,
  `      - { provider: north, model: up-${id}${cost === "" ? "" : `, cost: { ${cost} }`} }`,
  ...(fallbacks === "" ? [] : [`    fallbacks:`, `      - ${fallbacks}`]),
];
const check = (...models: string[][]) => checkCatalog(fileOf(models.flat()));

describe("a route's cost", () => {
  test("is read in the units of prices: what is left out follows from what is there", () => {
    const cost = "input: 0.5, output: 1.5, cached: 0.05, per_request: 0.001, per_web_search: 0.008";
    expect(catalogFrom(fileOf(chat("a", { cost }))).models.get("a")!.routes[0]!.cost).toEqual({
      ...{ input: 500_000n, output: 1_500_000n, cacheRead: 50_000n, cacheWrite: 500_000n, cacheWriteHour: 500_000n },
      ...{ request: 1_000_000_000n, webSearch: 8_000_000_000n, image: 0n, second: 0n, minute: 0n, character: 0n },
    });
    const written = catalogFrom(fileOf(chat("a", { cost: "input: 1, cache_write: 1.25, cache_write_1h: 2" })));
    expect(written.models.get("a")!.routes[0]!.cost).toMatchObject({
      cacheRead: 1_000_000n,
      cacheWrite: 1_250_000n,
      cacheWriteHour: 2_000_000n,
    });
  });

  test.each([
    ["per_image: 0.01", /routes\[0\]\.cost\.per_image: a model billed per-token costs input or output or/],
    ["inptu: 1", /unknown key "inptu"/],
    ["input: -1", /must be >= 0/],
    ["input: 0.0000001", /more than 6 decimals/],
  ])("{ %s } is refused with its line", (cost, message) => {
    const { problems } = check(chat("a", { cost }));
    expect(problems).toEqual([{ line: 8, message: expect.stringMatching(message) }]);
  });
});

describe("a price below a cost is warned of, and is no problem", () => {
  test("with the line of the cost", () => {
    expect(check(chat("a", { cost: "input: 2.5, output: 8" }))).toMatchObject({
      problems: [],
      warnings: [
        { line: 8, message: "models[0].routes[0].cost.input: a is sold below cost: its price for input is 2 USD, this route's cost 2.5" },
        { line: 8, message: expect.stringContaining("price for cached is 2 USD, this route's cost 2.5") },
        { line: 8, message: expect.stringContaining("price for cache_write is 2 USD, this route's cost 2.5") },
        { line: 8, message: expect.stringContaining("price for cache_write_1h is 2 USD, this route's cost 2.5") },
      ],
    });
    const written = "input: 1, output: 1, cache_write: 2.5, cache_write_1h: 4";
    expect(check(chat("a", { more: ", cache_write: 2.5, cache_write_1h: 4", cost: written })).warnings).toEqual([]);
    expect(check(chat("a", { more: ", cache_write: 2.5", cost: written })).warnings).toMatchObject([
      { message: expect.stringContaining("price for cache_write_1h is 2.5 USD, this route's cost 4") },
    ]);
    expect(check(chat("a", { more: ", per_web_search: 0.01", cost: "per_web_search: 0.02" })).warnings).toMatchObject([
      { message: expect.stringContaining("price for per_web_search is 0.01 USD, this route's cost 0.02") },
    ]);
    expect(check(chat("a", { cost: "per_web_search: 0.02" })).warnings).toEqual([]); // no request may ask for searches
    expect(check(chat("a", { cost: "per_request: 0.01" })).warnings).toHaveLength(1);
    expect(check(chat("a", { cost: "input: 2, output: 8, cached: 2" })).warnings).toEqual([]);
  });

  test("a fallback is charged at most the requested model's price: the warning names both", () => {
    const dear = chat("dear", { input: 10, output: 40, cost: "input: 5, output: 8" });
    expect(check(chat("cheap", { fallbacks: "dear" }), dear).warnings.filter(({ message }) => message.includes("for input"))).toEqual([
      {
        line: 10,
        message:
          "models[0].fallbacks[0]: cheap is sold below cost when dear answers, which is never charged above cheap: its price for input is 2 USD, the cost of north/up-dear 5",
      },
    ]);
    expect(check(chat("same", { input: 10, output: 40, fallbacks: "dear" }), dear).warnings).toEqual([]);
  });

  test("of several prices the lowest counts", () => {
    const image = (low: number) => [
      "  - { id: p, type: image, pricing: { mode: per-quality, tiers: { low: " + low + ", medium: 1, high: 2 } },",
      "      routes: [{ provider: north, model: up, cost: { per_image: 0.5 } }] }",
    ];
    expect(check(image(0.4)).warnings).toMatchObject([{ line: 5, message: expect.stringContaining("price for per_image is 0.4 USD") }]);
    expect(check(image(0.5)).warnings).toEqual([]);
  });
});
