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
    const cost = "input: 0.5, output: 1.5, cached: 0.05, per_request: 0.001, per_web_search: 0.008, per_web_fetch: 0.003";
    expect(catalogFrom(fileOf(chat("a", { cost }))).models.get("a")!.routes[0]!.cost).toEqual({
      ...{ input: 500_000n, output: 1_500_000n, cacheRead: 50_000n, cacheWrite: 500_000n, cacheWriteHour: 500_000n },
      ...{
        request: 1_000_000_000n,
        toolCalls: { web_search: 8_000_000_000n, web_fetch: 3_000_000_000n },
        image: 0n,
        second: 0n,
        minute: 0n,
        character: 0n,
      },
    });
    const written = catalogFrom(fileOf(chat("a", { cost: "input: 1, cache_write: 1.25, cache_write_1h: 2" })));
    expect(written.models.get("a")!.routes[0]!.cost).toMatchObject({
      cacheRead: 1_000_000n,
      cacheWrite: 1_250_000n,
      cacheWriteHour: 2_000_000n,
    });
  });

  test("may differ by service tier and for long prompts", () => {
    const cost = "input: 1, output: 4, long_context: { above: 1000, input: 2, output: 6 }, service_tiers: { flex: 0.5, priority: 1.75 }";
    expect(catalogFrom(fileOf(chat("a", { cost }))).models.get("a")!.routes[0]!.cost).toMatchObject({
      long: {
        above: 1_000,
        input: 2_000_000n,
        output: 6_000_000n,
        cacheRead: 2_000_000n,
        cacheWrite: 2_000_000n,
        cacheWriteHour: 2_000_000n,
      },
      tiers: new Map([
        ["flex", 500_000n],
        ["priority", 1_750_000n],
      ]),
    });
  });

  test.each([
    ["input: 1, service_tiers: { batch: 0.5 }", /cost\.service_tiers\.batch: "batch" is no name of a tier/],
    ["input: 0.000001, service_tiers: { flex: 0.5 }", /cost\.service_tiers\.flex: 0\.5 x 0\.000001 has more than 6 decimals/],
    ["input: 1, service_tiers: { flex: 0 }", /cost\.service_tiers\.flex: must be > 0/],
    ["per_image: 0.01", /routes\[0\]\.cost\.per_image: a model billed per-token costs input or output or/],
    ["inptu: 1", /unknown key "inptu"/],
    ["input: -1", /must be >= 0/],
    ["input: 0.0000001", /more than 6 decimals/],
  ])("{ %s } is refused with its line", (cost, message) => {
    const { problems } = check(chat("a", { cost }));
    expect(problems).toEqual([{ line: 8, message: expect.stringMatching(message) }]);
  });
});

describe("what a provider reports and the file does not price is warned of", () => {
  const claude = { anthropic: "claude", vertex: "anthropic/claude", bedrock: "us.anthropic.claude-v1:0" };
  const others = { anthropic: "", vertex: "gemini", bedrock: "us.amazon.nova-v1:0" };
  const places = {
    anthropic: "base_url: http://127.0.0.1:9/v1",
    vertex: "project: my-project, location: global",
    bedrock: "region: eu-central-1",
  };
  const protocols = Object.keys(places) as (keyof typeof places)[];
  const over = (protocol: keyof typeof places, model: string, cost: string, more = "") =>
    checkCatalog(
      [
        ...["providers:", `  - { id: north, protocol: ${protocol}, ${places[protocol]} }`, "models:"],
        ...["  - id: a", "    type: language", `    pricing: { mode: per-token, input: 2, output: 8${more} }`, "    routes:"],
        `      - { provider: north, model: "${model}"${cost === "" ? "" : `, cost: { ${cost} }`} }`,
      ].join("\n"),
    ).warnings;
  const priced = ", cache_write: 2.5";
  const rates = "input: 2, output: 8";

  test.each(protocols)("%s: cache writes of a Claude model, in a price and in a cost", (protocol) => {
    expect(over(protocol, claude[protocol], rates, priced)).toEqual([
      { line: 8, message: "models[0].routes[0].cost: the cost of a at this route names no cache_write, so that it costs what input costs" },
    ]);
    const said = `models[0].pricing: a has no cache_write: what north/${claude[protocol]} writes to its cache is sold at the price of input`;
    expect(over(protocol, claude[protocol], "")).toEqual([{ line: 6, message: said }]);
    expect(over(protocol, claude[protocol], `${rates}, cache_write: 2.5`, priced)).toEqual([]);
    expect(over(protocol, claude[protocol], "input: 0, output: 0", priced)).toEqual([]);
    expect(over(protocol, claude[protocol], "per_request: 0", priced)).toEqual([]);
  });

  test.each(["vertex", "bedrock"] as const)("%s: not of other vendors' models", (protocol) => {
    expect(over(protocol, others[protocol], rates)).toEqual([]);
  });

  test("answers, prompts and searches that would count as free", () => {
    const names = (what: string) => `models[0].routes[0].cost: the cost of a at this route names no ${what}, so that it costs nothing`;
    const saying = (more: string, cost: string) => check(chat("a", { more, cost })).warnings.map(({ message }) => message);
    expect(saying("", "input: 2")).toEqual([names("output")]);
    expect(saying("", "output: 8")).toContain(names("input"));
    expect(saying(", per_web_search: 0.01", "input: 2, output: 8")).toContain(names("per_web_search"));
    expect(saying(", per_web_search: 0.01", "input: 2, output: 8, per_web_search: 0")).toEqual([]);
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

  test("of long prompts and in a service tier, where it is none in general; batches' lines of long prompts, too", () => {
    const long = "long_context: { above: 1000, input: 3, output: 8 }";
    const cost = `input: 1, output: 4, ${long}`;
    expect(check(chat("a", { more: `, ${long}`, cost })).warnings).toEqual([]);
    const sentence = (what: string) => expect.stringContaining(`a is sold below cost: its price for ${what}`) as unknown;
    expect(check(chat("a", { cost })).warnings.map(({ message }) => message)).toEqual(
      ["input", "cached", "cache_write", "cache_write_1h"].map((key) =>
        sentence(`${key} of prompts above 1000 tokens is 2 USD, this route's cost 3`),
      ),
    );
    const later = "long_context: { above: 2000, input: 3, output: 8 }";
    expect(check(chat("a", { more: `, ${later}`, cost })).warnings[0]!.message).toEqual(
      sentence("input of prompts above 1000 tokens is 2 USD, this route's cost 3"),
    );
    expect(check(chat("a", { more: `, ${long}, batch: 0.9`, cost })).warnings[0]!.message).toEqual(
      sentence("input of prompts above 1000 tokens is 2.7 USD, this route's cost 3"),
    );
    const tiers = (flex: number, priority: number) => `service_tiers: { flex: ${flex}, priority: ${priority} }`;
    const sold = { more: `, ${tiers(0.5, 2)}` };
    expect(check(chat("a", { ...sold, cost: `input: 2, output: 8, ${tiers(0.5, 2)}` })).warnings).toEqual([]);
    expect(check(chat("a", { ...sold, cost: `input: 1, output: 4, ${tiers(0.5, 4.5)}` })).warnings).toMatchObject([
      { message: "models[0].routes[0].cost.service_tiers.priority: a is sold below cost: its price for input in the service tier priority is 4 USD, this route's cost 4.5" }, // prettier-ignore
      { message: sentence("output in the service tier priority is 16 USD, this route's cost 18") },
      { message: sentence("cached in the service tier priority is 4 USD, this route's cost 4.5") },
      ...[1, 2].map(() => ({ message: sentence("cache_write") })),
    ]);
  });

  test("a price of long prompts or of a tier for which a route names no cost: it counts as the usual one", () => {
    const more = ", long_context: { above: 1000, input: 3, output: 9 }, service_tiers: { flex: 0.5, priority: 2 }";
    const says = (what: string) =>
      `models[0].routes[0].cost: a has a price for ${what}, and this route names no cost for it: it counts as the usual one`;
    expect(check(chat("a", { more, cost: "input: 1, output: 4" })).warnings).toEqual(
      ["prompts above 1000 tokens", "the service tier flex", "the service tier priority"].map((what) => ({ line: 8, message: says(what) })),
    );
    expect(
      check(chat("a", { more, cost: "input: 1, output: 4, service_tiers: { flex: 0.5 }" })).warnings.map(({ message }) => message),
    ).toEqual(["prompts above 1000 tokens", "the service tier priority"].map(says));
    expect(check(chat("a", { more })).warnings).toEqual([]); // its cost is unknown
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
