// GET /v1/models: each filter, how they combine, and the echo. Pure; the query's coercion is tested at the edge.
import { describe, expect, test } from "vitest";
import { fits, type ModelQuery, readFilters } from "../../src/catalog/filters.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const { listed } = catalogFrom(smallCatalog);

function idsFor(query: ModelQuery): string[] {
  const filters = readFilters(query);
  return listed.filter(({ row }) => fits(row, filters)).map(({ id }) => id);
}

describe("values of one filter", () => {
  test.each<[string, ModelQuery, string[]]>([
    ["type: any of them", { type: ["embedding", "video"] }, ["acme/embed", "demo/video"]],
    ["creator: any of them", { creator: ["acme"] }, ["acme/see-small", "acme/embed"]],
    ["owned_by is creator", { owned_by: ["acme"] }, ["acme/see-small", "acme/embed"]],
    ["tags: all of them", { tags: ["vision", "reasoning"] }, ["acme/see-small"]],
    ["tags: none that has only one of two", { tags: ["vision", "tool-use"] }, []],
    ["use_cases: one", { use_cases: ["chat"] }, ["demo/chat-large", "acme/see-small"]],
    ["use_cases: all of them", { use_cases: ["chat", "write-code"] }, ["acme/see-small"]],
    ["input_modalities: all of them", { input_modalities: ["text", "image"], type: ["language"] }, ["acme/see-small"]],
    ["output_modalities: all of them", { output_modalities: ["text"], type: ["language"] }, ["demo/chat-large", "acme/see-small"]],
    ["supported_parameters: all of them", { supported_parameters: ["temperature", "tools"] }, ["demo/chat-large"]],
    ["latency_tier", { latency_tier: "low" }, ["demo/chat-large"]],
    ["cost_tier", { cost_tier: "budget" }, ["acme/see-small"]],
    ["quality_tier", { quality_tier: "high" }, ["demo/chat-large"]],
    ["release_stage", { release_stage: "preview" }, ["acme/see-small"]],
    ["tier", { tier: "gold" }, ["demo/chat-large"]],
    ["capability", { capability: "music" }, ["demo/music", "demo/song"]],
    ["tools", { tools: true }, ["demo/chat-large"]],
    ["tools=false", { tools: false, type: ["language"] }, ["acme/see-small"]],
    ["vision", { vision: true, type: ["language"] }, ["acme/see-small"]],
    ["reasoning", { reasoning: true }, ["acme/see-small"]],
    ["structured_outputs", { structured_outputs: true }, ["demo/chat-large"]],
    ["min_context_window: the bound itself fits", { min_context_window: 128000 }, ["demo/chat-large"]],
    ["max_input_price: the bound itself fits", { max_input_price: 0.1, type: ["language"] }, ["acme/see-small"]],
  ])("%s", (_, query, ids) => {
    expect(idsFor(query)).toEqual(ids);
  });

  test("recommended_for understands the old vocabulary and today's", () => {
    expect(idsFor({ recommended_for: ["coding"] })).toEqual(["acme/see-small"]);
    expect(idsFor({ recommended_for: ["write-code"] })).toEqual(["acme/see-small"]);
  });

  test("words of JavaScript are no vocabulary", () => {
    expect(idsFor({ recommended_for: ["constructor"], use_cases: ["__proto__"] })).toEqual([]);
  });

  test("a value that no model has gives an empty list", () => {
    expect(idsFor({ type: ["realtime"] })).toEqual([]);
    expect(idsFor({ type: ["no-such-type"] })).toEqual([]);
  });

  test("space around a value doesn't count, and an empty value filters nothing", () => {
    expect(idsFor({ type: [" embedding ", ""] })).toEqual(["acme/embed"]);
    expect(idsFor({ tier: "" })).toHaveLength(listed.length);
  });
});

describe("several filters", () => {
  test("every one must fit", () => {
    expect(idsFor({ type: ["language"], creator: ["demo"] })).toEqual(["demo/chat-large"]);
    expect(idsFor({ type: ["embedding"], creator: ["demo"] })).toEqual([]);
  });

  test("creator and owned_by together list the creators of both", () => {
    const both = idsFor({ creator: ["acme"], owned_by: ["demo"], type: ["language"] });
    expect(both).toEqual(["demo/chat-large", "acme/see-small"]);
  });

  test("no filter lists every active model, and no paused or retired one", () => {
    expect(idsFor({})).toHaveLength(11);
    expect(idsFor({})).not.toContain("demo/old-music");
    expect(idsFor({})).not.toContain("demo/sfx");
  });

  test("max_input_price alone lets models through that aren't billed by token: they report 0", () => {
    expect(idsFor({ max_input_price: 0 })).toContain("demo/video");
    expect(idsFor({ max_input_price: 0 })).not.toContain("acme/embed");
  });
});

describe("echo", () => {
  const unused = {
    type: [],
    creator: [],
    owned_by: [],
    tags: [],
    use_cases: [],
    recommended_for: [],
    input_modalities: [],
    output_modalities: [],
    supported_parameters: [],
    latency_tier: null,
    cost_tier: null,
    quality_tier: null,
    release_stage: null,
    tier: null,
    capability: null,
    tools: null,
    vision: null,
    reasoning: null,
    structured_outputs: null,
    min_context_window: null,
    max_input_price: null,
  };

  test("every key is there when nothing was asked", () => {
    expect(readFilters({})).toEqual(unused);
  });

  test("what was asked is told as it was applied", () => {
    const asked = { type: ["language"], creator: ["a"], owned_by: ["b"], recommended_for: ["coding"], tools: false, min_context_window: 0 };
    expect(readFilters(asked)).toEqual({ ...unused, ...asked, creator: ["a", "b"], recommended_for: ["write-code"] });
  });
});
