// What an operator's file may say about fields that change a price, and about bounds and prices: a slip is a fault with its line.
import { expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/load.ts";

/** The model's keys begin in line 4. */
const fileOf = (model: readonly string[], provider = "") =>
  [
    "providers:",
    `  - { id: north, protocol: openai, base_url: "http://127.0.0.1:9/v1"${provider} }`,
    "models:",
    "  - id: m",
    ...model.map((line) => `    ${line}`),
    "    routes: [{ provider: north, model: up }]",
  ].join("\n");

const chat = (...lines: string[]) => fileOf(["type: language", "pricing: { mode: per-token, input: 1, output: 2 }", ...lines]);
const cases: [title: string, text: string, line: number, message: RegExp][] = [
  ["a key withheld from a model that makes no images", chat("withheld: [loras]"), 7, /models\[0\]\.withheld: belongs to image models/],
  [
    "a key withheld beside a list of those that pass",
    fileOf(["type: image", "pricing: { mode: per-image, usd_per_image: 1 }", "extra_keys: [seed]", "withheld: [loras]"]),
    8,
    /withheld: belongs to image models without extra_keys/,
  ],
  [
    "a bound of images on a model that reads no prompt",
    fileOf(["type: image", "pricing: { mode: per-image, usd_per_image: 1 }", "image_tokens_max: 5"]),
    7,
    /image_tokens_max: belongs to language models/,
  ],
  ...(
    [
      ["a price of cache writes of a model that caches nothing", "embedding", "cache_write: 1", /cache_write: belongs to language models/],
      ["long prompts beyond the window", "language", "long_context: { above: 8000, input: 2, output: 4 }", /above: is never exceeded/],
      ["a price of searches of a model that makes none", "embedding", "per_web_search: 0.01", /per_web_search: belongs to language models/],
      ["a bound of searches without their price", "language", "max_web_searches: 3", /bounds calls that have no price: per_web_search is/],
      ["a price of fetches of a model that makes none", "embedding", "per_web_fetch: 0", /per_web_fetch: belongs to language models/],
      ["a bound of fetches without their price", "language", "max_web_fetches: 3", /bounds calls that have no price: per_web_fetch is/],
      ["a tier that is free", "language", "service_tiers: { flex: 0 }", /flex: must be > 0/],
      ["a tier without a proper name", "language", 'service_tiers: { "Fast lane": 2 }', /"Fast lane" is no name of a tier/],
      ["a tier with the name of batches", "language", "service_tiers: { batch: 2 }", /"batch" is no name of a tier/],
      ["a price of batches that can't be exact", "language", "batch: 0.00001", /1\.234567 has more than 6 decimals/],
      ["a price of batches of a model that has none", "decisions", "batch: 2", /batch: belongs to language and embedding models only/],
      ["a tier with the name of kept answers", "language", "service_tiers: { response_cache: 2 }", /"response_cache" is no name of a tier/],
      ["a price of kept answers above the usual one", "language", "response_cache: 1.5", /response_cache: must be <= 1/],
      ["a price of kept answers that can't be exact", "language", "response_cache: 0.00001", /1\.234567 has more than 6 decimals/],
      ["a tier whose prices can't be exact", "language", "service_tiers: { flex: 0.3333333 }", /flex: has more than 6 decimals/],
      ["a tier that makes a price inexact", "language", "service_tiers: { flex: 0.00001 }", /1\.234567 has more than 6 decimals/],
      ["a price of a misplaced point", "language", "cache_write: 0.0000001", /cache_write: has more than 6 decimals/],
    ] as const
  ).map(([title, type, more, message]): (typeof cases)[number] => [
    title,
    fileOf([`type: ${type}`, "context_window: 8000", `pricing: { mode: per-token, input: 1.234567, output: 2, ${more} }`]),
    7,
    message,
  ]),
  ["a bound of no tokens", chat("image_tokens_max: 0"), 7, /image_tokens_max: must be >= 1/],
  [
    "a forwarded field that is not withheld",
    fileOf(["type: language", "pricing: { mode: per-token, input: 1, output: 2 }"], ", forward: [service_tier, sead]"),
    2,
    /providers\[0\]\.forward\[1\]: "sead" is not withheld; those are service_tier/,
  ],
];

test.each(cases)("%s", (_, text, line, message) => {
  expect(checkCatalog(text).problems).toEqual([{ line, message: expect.stringMatching(message) }]);
});

test("a file with all of them has no fault", () => {
  const image = ["type: image", "pricing: { mode: per-image, usd_per_image: 1 }", "withheld: [loras]"];
  expect(checkCatalog(fileOf(image, ", forward: [service_tier, tools]")).problems).toEqual([]);
});
