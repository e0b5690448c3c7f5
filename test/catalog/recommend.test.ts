// GET /v1/models/recommend: which models, in which order, why.
import { describe, expect, test } from "vitest";
import type { components } from "../../generated/api.d.ts";
import { answersOf } from "../../src/catalog/answers.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

type Recommendations = components["schemas"]["RecommendationList"];

const answers = answersOf(catalogFrom(smallCatalog));
const recommend = (query: Parameters<typeof answers.recommendations>[0]) =>
  JSON.parse(answers.recommendations(query).toString()) as Recommendations;
const idsFor = (query: Parameters<typeof recommend>[0]) => recommend(query).data.map((row) => row.id);

describe("without a use case", () => {
  test("the recommended models, in the catalog's order, ranked from 1", () => {
    const { use_case, data } = recommend({});
    expect(use_case).toBeNull();
    expect(data.map(({ id, rank }) => [id, rank])).toEqual([
      ["demo/chat-large", 1],
      ["demo/image", 2],
    ]);
  });

  test("each says why and whether it is free", () => {
    const [first] = recommend({}).data;
    expect(first?.reason).toBe("Recommended: Agents and long conversations.");
    expect(first?.free_tier).toBe(false);
  });

  test("type narrows them", () => {
    expect(idsFor({ type: "image" })).toEqual(["demo/image"]);
  });
});

describe("with a use case", () => {
  test("every model of it, the recommended first", () => {
    expect(idsFor({ use_case: "chat" })).toEqual(["demo/chat-large", "acme/see-small"]);
  });

  test("the old vocabulary is understood and told in today's", () => {
    expect(recommend({ use_case: "coding" }).use_case).toBe("write-code");
    expect(idsFor({ use_case: "coding" })).toEqual(["acme/see-small"]);
  });

  test("limit, free_tier and max_input_price narrow them", () => {
    expect(idsFor({ use_case: "chat", limit: 1 })).toEqual(["demo/chat-large"]);
    expect(idsFor({ use_case: "chat", free_tier: true })).toEqual(["acme/see-small"]);
    expect(idsFor({ use_case: "chat", free_tier: false })).toEqual(["demo/chat-large"]);
    expect(idsFor({ use_case: "chat", max_input_price: 0.1 })).toEqual(["acme/see-small"]);
  });

  test("a word that no model has gives an empty list", () => {
    expect(idsFor({ use_case: "juggle" })).toEqual([]);
  });
});
