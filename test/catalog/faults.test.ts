// What an operator's file may say and how it is refused (docs/behaviour/operation.md#catalog): each fault with its line.
import { describe, expect, test } from "vitest";
import { checkCatalog } from "../../src/catalog/load.ts";

const provider = "providers: [{ id: north, protocol: openai, base_url: http://127.0.0.1:9001/v1 }]";
const price = "pricing: { mode: per-token, input: 0.5, output: 1.5 }";
const routes = "routes: [{ provider: north, model: up }]";

/** A file of one provider, one good model, and what a test adds below it. */
const withGood = (...lines: string[]) =>
  [provider, "models:", `  - { id: good, type: language, ${price}, ${routes} }`, ...lines].join("\n");

const problemsOf = (text: string) => checkCatalog(text).problems;

describe("a fault is told with its line", () => {
  const cases: [title: string, text: string, line: number, message: RegExp][] = [
    ["YAML that does not parse", withGood("  - { id: open", "    type: language"), 4, /./],
    ["a key given twice", withGood("aliases: {}", "aliases: {}"), 5, /unique/],
    ["two documents", `${withGood()}\n---\nmodels: []`, 4, /multiple documents/],
    ["an alias without its anchor", withGood("aliases: *nowhere"), 1, /nowhere/],
    ["an empty file", "", 1, /must be object/],
    ["a list instead of a file", "- 1", 1, /must be object/],
    ["no models", provider, 1, /"models" is missing/],
    ["an unknown key at the top", withGood("modles: []"), 4, /unknown key "modles"/],
    [
      "an unknown key of a model",
      withGood(`  - { id: m, type: language, ${price}, ${routes},`, "      contextwindow: 3 }"),
      5,
      /models\[1\]\.contextwindow: unknown key/,
    ],
    [
      "an unknown key of a price",
      withGood("  - id: m", "    type: language", "    pricing:", "      mode: per-token", "      input: 1", "      outptu: 2"),
      9,
      /unknown key "outptu"; there are/,
    ],
    [
      "a key of another pricing mode",
      withGood("  - id: m", "    type: image", "    pricing: { mode: per-image,", "      usd_per_call: 1, usd_per_image: 1 }"),
      7,
      /unknown key "usd_per_call"/,
    ],
    [
      "an unknown pricing mode",
      withGood("  - id: m", "    type: image", "    pricing: { usd_per_image: 1,", "      mode: per-picture }"),
      7,
      /models\[1\]\.pricing\.mode: .*no such mode/,
    ],
    ["a price without a mode", withGood("  - id: m", "    type: image", "    pricing: { usd_per_image: 1 }"), 6, /"mode" is missing/],
    ["a type outside the ten", withGood("  - id: m", "    type: chat"), 5, /must be one of language, image/],
    [
      "a tag outside the twelve",
      withGood("  - id: m", "    type: language", "    tags: [vision,", "      clever]"),
      7,
      /must be one of tool-use/,
    ],
    ["a protocol that nobody speaks", provider.replace("openai", "soap") + "\nmodels: []", 1, /must be one of openai, anthropic/],
    [
      "a negative price",
      withGood("  - id: m", "    type: language", "    pricing: { mode: per-token, output: 1,", "      input: -1 }"),
      7,
      /must be >= 0/,
    ],
    ["a context of nothing", withGood("  - id: m", "    type: language", "    context_window: 0"), 6, /must be >= 1/],
    ["an output of nothing", withGood("  - id: m", "    type: language", "    max_output_tokens: 0"), 6, /must be >= 1/],
    [
      "a price that is no number",
      withGood("  - id: m", "    type: language", "    pricing: { mode: per-token, output: 1,", "      input: .nan }"),
      7,
      /input: must be/,
    ],
    [
      "a price as text",
      withGood("  - id: m", "    type: language", "    pricing: { mode: per-token, output: 1,", '      input: "0.5" }'),
      7,
      /must be number/,
    ],
    ["a size that is none", withGood("  - id: m", "    type: image", "    allowed_sizes: [1024x1024,", "      large]"), 7, /WIDTHxHEIGHT/],
    [
      "a secret in place of a variable's name",
      provider.replace("base_url", 'api_key_env: "sk 123", base_url') + "\nmodels: []",
      1,
      /api_key_env: does not have the right form: Name of the environment variable/,
    ],
    ["an id outside ASCII", withGood('  - id: "demo/größe"', "    type: language"), 4, /models\[1\].*id.*printable ASCII/],
    ["an id with a control", withGood('  - id: "demo/\\x07"', "    type: language"), 4, /printable ASCII/],
    ["four tiers", withGood("tiers: []"), 4, /must NOT have fewer than 5 items/],
  ];
  test.each(cases)("schema: %s", (_, text, line, message) => {
    const problems = problemsOf(text);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.line).toBe(line);
  });

  const model = (...more: string[]) =>
    withGood("  - id: m", "    type: language", `    ${price}`, `    ${routes}`, ...more.map((line) => `    ${line}`));
  const references: typeof cases = [
    [
      "a provider's id twice",
      withGood().replace("}]", "},\n  { id: north, protocol: openai, base_url: http://a.test }]"),
      2,
      /"north" is already providers\[0\]/,
    ],
    [
      "a model's id twice",
      withGood(`  - type: language`, "    id: good", `    ${price}`, `    ${routes}`),
      5,
      /"good" is already models\[0\]/,
    ],
    [
      "a route to no provider",
      withGood("  - id: m", "    type: language", `    ${price}`, "    routes:", "      - { model: up,", "          provider: nowhere }"),
      9,
      /there is no provider "nowhere"/,
    ],
    [
      "a route over a protocol that can't serve the type",
      withGood(`  - { id: m, type: reranking, pricing: { mode: per-token, input: 1 },`, "      routes: [{ provider: north, model: up }] }"),
      5,
      /speaks openai, over which no reranking/,
    ],
    ["an active model without routes", withGood(`  - { id: m, type: language, ${price} }`), 4, /has no routes/],
    ["a fallback that is not there", model("fallbacks:", "  - good", "  - gone"), 10, /there is no model "gone"/],
    ["a fallback to itself", model("fallbacks: [m]"), 8, /its own fallback/],
    ["a fallback to an alias", `${model("fallbacks: [best]")}\naliases: { best: good }`, 8, /an alias can't be a fallback/],
    [
      "a fallback of another kind",
      withGood(`  - { id: m, type: embedding, pricing: { mode: per-token, input: 1 }, ${routes},`, "      fallbacks: [good] }"),
      5,
      /"good" is a language model, this one is embedding/,
    ],
    ["an alias to no model", withGood("aliases:", "  best: gone"), 5, /there is no model "gone"/],
    ["an alias to an alias", withGood("aliases:", "  one: good", "  two: one"), 6, /"one" is an alias itself/],
    ["an alias outside ASCII", withGood("aliases:", "  größe: good"), 5, /aliases.*größe: .* printable ASCII/],
    ["an alias with a control", withGood("aliases:", '  "a\\x07": good'), 5, /printable ASCII/],
    ["an alias with a model's id", withGood("aliases:", "  good: good"), 5, /"good" is the id of a model/],
    ["a default that is not there", withGood("defaults:", "  music: gone"), 5, /there is no model "gone"/],
    ["a default of another kind", withGood("defaults:", "  music: good"), 5, /is a language model, not music/],
    ["a replacement that is not there", model("state: { retired: true,", "  replacement: gone }"), 9, /there is no model "gone"/],
    ["paused and retired at once", model("state: { retired: true, paused: true }"), 8, /either paused or retired/],
    ["a capability outside speech", model("capability: music"), 8, /belongs to speech models only/],
    ["no price", withGood(`  - { id: m, type: language, ${routes} }`), 4, /"pricing" is missing/],
    [
      "a language model without an output price",
      withGood("  - id: m", "    type: language", `    ${routes}`, "    pricing: { mode: per-token, input: 1 }"),
      7,
      /"output" is missing/,
    ],
    [
      "a mode that the type is not billed in",
      withGood("  - id: m", "    type: image", `    ${routes}`, `    ${price}`),
      7,
      /image models are billed per-image or/,
    ],
    ["a list price in another mode", model("list_price: { mode: per-call, usd_per_call: 1 }"), 8, /must be the mode of pricing/],
    [
      "decimals beyond 1e-12 USD a token",
      withGood(
        "  - id: m",
        "    type: language",
        `    ${routes}`,
        "    pricing: { mode: per-token, output: 1,",
        "      input: 0.0000001 }",
      ),
      8,
      /more than 6 decimals/,
    ],
    [
      "a fee with more than 8 decimals",
      withGood(
        "  - id: m",
        "    type: language",
        `    ${routes}`,
        "    pricing: { mode: per-token, output: 1, input: 1,",
        "      per_request: 0.000000001 }",
      ),
      8,
      /more than 8 decimals/,
    ],
    ["a day that no calendar has", model("release_date: 2026-02-30"), 8, /not a day of the calendar/],
    ...["fast", "implicit-caching", "explicit-caching"].map((tag): (typeof cases)[number] => [
      `the tag ${tag}, which no model has`,
      model("supports_vision: true", "tags:", "  - vision", `  - ${tag}`),
      11,
      new RegExp(`models\\[1\\]\\.tags\\[1\\]: "${tag}" is unset on every model, so "m" can't have it`),
    ]),
    ["sizes without the default aspect", model('sizes: { "16:9": 1344x768 }'), 8, /no size for the default aspect 1:1/],
    ["no image where one is required", model("requires_image: true", "max_references: 0"), 9, /max_references: is 0/],
    ["a default duration that is not offered", model("durations: [5, 10]", "default_duration_s: 7"), 9, /not one of durations/],
    ["an address that is none", provider.replace("http://127.0.0.1:9001/v1", "north.test/v1") + "\nmodels: []", 1, /http or https address/],
    [
      "a header with a line break",
      provider.replace("base_url", 'headers: { x-a: "a\\r\\nb" }, base_url') + "\nmodels: []",
      1,
      /no header can carry/,
    ],
  ];
  test.each(references)("references: %s", (_, text, line, message) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(message);
    expect(problems[0]?.line).toBe(line);
  });

  test("a password in an address is refused without repeating it", () => {
    const [problem] = problemsOf(`${provider.replace("http://", "http://me:hunter2@")}\nmodels: []`);
    expect(problem?.message).toMatch(/must not hold a password/);
    expect(JSON.stringify(problem)).not.toContain("hunter2");
  });

  test("every wrong provider and model is told in one run, in the order of the file", () => {
    const text = [
      provider.replace("openai", "soap"),
      "models:",
      "  - { id: a, type: chat }",
      "  - { id: b, type: language, hot: 1 }",
      "aliases: 3",
    ].join("\n");
    expect(problemsOf(text).map(({ line }) => line)).toEqual([1, 3, 4, 5]);
  });

  test("every fault is told in one run: several of one model, and references beside what doesn't fit the schema", () => {
    const text = [
      "providers:",
      "  - id: north",
      "    protocl: openai",
      "    timeout_ms: soon",
      "    headers: 5",
      "  - { id: south, protocol: openai, base_url: http://127.0.0.1:9001/v1 }",
      "models:",
      "  - id: a",
      "    type: language",
      "    hott: true",
      "    context_window: wide",
      "    tags:",
      "      - kind",
      "      - nice",
      "    routes:",
      "      - { provider: north, model: x }",
      "      - { provider: north, model: 5 }",
      "      - { provider: north, modl: x }",
      "  - id: b",
      "    type: language",
      `    ${price}`,
      "    routes:",
      "      - { provider: north, model: x }",
      "      - { provider: gone, model: x }",
      "    fallbacks: [a, lost]",
      "aliases: { best: a, worst: none }",
      "defaults: { speech: a }",
      "tiers: []",
    ].join("\n");
    const problems = problemsOf(text);
    expect(problems.map(({ line }) => line)).toEqual([2, 3, 4, 5, 10, 11, 13, 14, 17, 18, 24, 25, 26, 28]);
    expect(problems.map(({ message }) => message)).toEqual([
      'providers[0]: "protocol" is missing',
      'providers[0].protocl: unknown key "protocl"',
      "providers[0].timeout_ms: must be integer",
      "providers[0].headers: must be object",
      'models[0].hott: unknown key "hott"',
      "models[0].context_window: must be integer",
      expect.stringMatching(/^models\[0\]\.tags\[0\]: must be one of /),
      expect.stringMatching(/^models\[0\]\.tags\[1\]: must be one of /),
      "models[0].routes[1].model: must be string",
      'models[0].routes[2]: "model" is missing',
      'models[1].routes[1].provider: there is no provider "gone"',
      'models[1].fallbacks[1]: there is no model "lost"',
      'aliases.worst: there is no model "none"',
      "tiers: must NOT have fewer than 5 items",
    ]);
  });

  test("JSON is taken as well, tabs and all", () => {
    const json = JSON.stringify(
      { providers: [{ id: "p", protocol: "openai", base_url: "http://a.test" }], models: [{ id: "m", type: "chat" }] },
      null,
      "\t",
    );
    expect(problemsOf(json)).toEqual([
      { line: 12, message: expect.stringMatching(/models\[0\]\.type: must be one of language/) as unknown },
    ]);
  });

  test("counts models and providers, wrong ones too", () => {
    expect(checkCatalog(withGood("  - { id: b, type: chat }"))).toMatchObject({ models: 2, providers: 1 });
  });
});
