// The catalog's answers as bytes: whole, shaped as the contract says, made once.
import { describe, expect, test } from "vitest";
import { answersOf } from "../../src/catalog/answers.ts";
import { catalogFrom } from "./catalog-from.ts";
import { smallCatalog } from "./small-catalog.ts";

const catalog = catalogFrom(smallCatalog);
const answers = answersOf(catalog);

describe("the model list", () => {
  test("holds every listed row, the aliases, the echo, and what clients that page read", () => {
    const list = JSON.parse(answers.models({}).toString());
    expect(list).toMatchObject({ object: "list", has_more: false, first_id: "demo/chat-large", last_id: "demo/stt" });
    expect(list.aliases).toEqual({ best: "demo/chat-large", transcribe: "demo/stt" });
    expect(list.data).toEqual(catalog.listed.map((model) => model.row));
    expect(list.filters.type).toEqual([]);
  });

  test("is the same bytes for the same question, however its values were repeated", () => {
    expect(answers.models({})).toBe(answers.models({}));
    expect(answers.models({ type: ["language"] })).toBe(answers.models({ type: ["language", "language"] }));
  });

  test("has no first and last id when it is empty", () => {
    const list = JSON.parse(answers.models({ type: ["realtime"] }).toString());
    expect(list).toMatchObject({ data: [], first_id: null, last_id: null });
    expect(list.filters.type).toEqual(["realtime"]);
  });

  test("a value with quotes or line breaks is echoed and breaks nothing", () => {
    const odd = 'a"b\n\u2028</script>';
    expect(JSON.parse(answers.models({ creator: [odd] }).toString()).filters.creator).toEqual([odd]);
  });

  test("leaves out the alias of a paused model", () => {
    const other = catalogFrom(smallCatalog.replace("aliases: {", "aliases: { boom: demo/sfx,"));
    expect(JSON.parse(answersOf(other).models({}).toString()).aliases).not.toHaveProperty("boom");
  });
});

describe("the other answers", () => {
  test("one model is its row", () => {
    const model = catalog.listed[0]!;
    expect(JSON.parse(answers.model(model).toString())).toEqual(model.row);
  });

  test("prices and tiers are made once per catalog", () => {
    expect(JSON.parse(answers.pricing.toString()).object).toBe("pricing.catalog");
    expect(JSON.parse(answers.tiers.toString())).toEqual({ object: "tier.matrix", tiers: catalog.tiers });
    expect(answersOf(catalog)).toBe(answers);
  });

  test("recommendations are kept by what they ask, not by how the query is ordered", () => {
    expect(answers.recommendations({ use_case: "chat", limit: 1 })).toBe(answers.recommendations({ limit: 1, use_case: "chat" }));
    expect(answers.recommendations({ use_case: "chat", limit: 1 })).not.toBe(answers.recommendations({ use_case: "chat", limit: 2 }));
  });
});
