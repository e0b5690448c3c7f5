// The search's files as the gateway serves them, and what MiniSearch finds in its index: guides by section, operations, errors.
import MiniSearch from "minisearch";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { readShippedCatalog } from "../../src/catalog/load.ts";
import { createPortal } from "../../src/docs/portal.ts";
import { call, startEdge, type EdgeUnderTest } from "../server/start-edge.ts";

let edge: EdgeUnderTest;
let page: string;
let index: MiniSearch;
let text: string;
const html = { headers: { accept: "text/html" } };
const named = (attribute: string) => new RegExp(`data-${attribute}="([^"]+)"`).exec(page)![1]!;

beforeAll(async () => {
  edge = await startEdge({ publicUrl: "https://gw.example" });
  page = (await call(edge, "/docs", html)).text;
  ({ text } = await call(edge, `/${named("index")}`));
  index = MiniSearch.loadJSON(text, {
    fields: ["title", "headings", "summary", "text"],
    storeFields: ["title", "summary", "place", "kind"],
  });
});
afterAll(() => edge.close());

test("both files carry a hash of their content in their name, are kept for ever, and come compressed", async () => {
  for (const name of [named("index"), named("search")]) {
    expect(name).toMatch(/^docs\/assets\/(?:search|minisearch)-[0-9a-f]{10}\.js(?:on)?$/);
    const { status, headers } = await call(edge, `/${name}`, { headers: { "accept-encoding": "br" } });
    expect([name, status, headers.get("cache-control"), headers.get("content-encoding")]).toEqual([
      name,
      200,
      "public, max-age=31536000, immutable",
      "br",
    ]);
  }
  // What a reader's first search loads.
  const { headers } = await call(edge, `/${named("index")}`, { method: "HEAD", headers: { "accept-encoding": "br" } });
  expect(Number(headers.get("content-length"))).toBeLessThan(600_000);
});

test("an index of another name is not there", async () => {
  expect((await call(edge, "/docs/assets/search-0000000000.json")).status).toBe(404);
});

test("another address, another catalog or another document has an index of another name", () => {
  const catalog = readShippedCatalog();
  const document = JSON.stringify({ openapi: "3.1.1", info: { title: "", version: "" }, tags: [], paths: {}, components: { schemas: {} } });
  const nameOf = (changed: object) =>
    createPortal({
      site: "live",
      document,
      catalog,
      publicUrl: null,
      canPay: false,
      hasConsole: false,
      service: { name: null, logo: null },
      scalar: null,
      ...changed,
    }).searchName;
  const names = [
    nameOf({}),
    nameOf({ publicUrl: "https://gw.example" }),
    nameOf({ catalog: { ...catalog, source: { ...catalog.source, text: "models: []" } } }),
    nameOf({ document: document.replace('"paths":{}', '"paths":{},"x":1') }),
  ];
  expect(new Set(names).size).toBe(4);
  expect(nameOf({})).toBe(names[0]);
});

describe("what is found", () => {
  const options = { prefix: true, combineWith: "AND" as const };
  const kindsOf = (words: string) => new Set(index.search(words, options).map(({ kind }) => kind as string));
  test("guides, operations, errors and the other pages", () => {
    expect([...kindsOf("credits")].sort()).toEqual(["error", "guide", "operation", "page"]);
  });

  test("every section of a guide leads to its own anchor, and each anchor is on its page", async () => {
    const stored = Array.from({ length: index.documentCount }, (_, id) => index.getStoredFields(id) as { place: string; kind: string });
    const sections = stored.filter(({ kind, place }) => kind === "guide" && place.includes("#"));
    expect(sections.length).toBeGreaterThan(50);
    const anchors = Map.groupBy(sections, ({ place }) => place.split("#")[0]!);
    for (const [place, own] of anchors) {
      const guide = (await call(edge, `/${place}`, html)).text;
      for (const one of own) expect([one.place, guide.includes(`id="${one.place.split("#")[1]!}"`)]).toEqual([one.place, true]);
    }
  });

  test("no operation that answers 404 to customers", () => {
    const places = Array.from({ length: index.documentCount }, (_, id) => (index.getStoredFields(id) as { place: string }).place);
    const operators = Object.values(operations).filter(({ path }) => path.startsWith("/v1/operator"));
    expect(operators.length).toBeGreaterThan(30);
    expect(operators.filter(({ id }) => places.includes(`docs/api/${id}`))).toEqual([]);
  });

  test("every page has an entry", async () => {
    const places = new Set(Array.from({ length: index.documentCount }, (_, id) => (index.getStoredFields(id) as { place: string }).place));
    for (const path of ["docs", "docs/models", "docs/changelog", "docs/errors/insufficient_credits", "docs/api/createImage"])
      expect(places).toContain(path);
  });
});
