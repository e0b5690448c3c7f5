// The order of routes with weights: shares, one order for one key, and what a route that goes leaves behind.
import { describe, expect, test } from "vitest";
import { loadCatalog } from "../../src/catalog/load.ts";
import { candidatesOf } from "../../src/routing/candidates.ts";
import { language, provider } from "../operations/chat/chat-gateway.ts";

type Weights = Record<string, number | null>;

function catalogOf(weights: Weights, more: object = {}) {
  const routes = Object.entries(weights).map(([model, weight]) => ({ provider: "p", model, ...(weight === null ? {} : { weight }) }));
  const text = JSON.stringify({
    providers: [provider("p", { base_url: "http://127.0.0.1:9/v1" })],
    models: [language("demo/chat", routes, more), language("demo/other", [{ provider: "p", model: "other" }])],
  });
  return loadCatalog({ text, environment: {} }).catalog;
}
const orderOf = (weights: Weights, key: string, more: object = {}) => {
  const catalog = catalogOf(weights, more);
  return candidatesOf(
    catalog,
    catalog.models.get("demo/chat")!,
    () => true,
    () => key,
  ).map(({ route, layer }) => `${route.model}${layer}`);
};
/** The first of each key that is not left out. */
function firsts(weights: Weights, without: string | null = null): string[] {
  const catalog = catalogOf(weights);
  const model = catalog.models.get("demo/chat")!;
  return Array.from({ length: 4_000 }, (_, key) => {
    const order = candidatesOf(
      catalog,
      model,
      () => true,
      () => `key ${key}`,
    );
    return order.find(({ route }) => route.model !== without)!.route.model;
  });
}
const share = (all: readonly string[], model: string) => all.filter((one) => one === model).length / all.length;

test("without weights the order is the catalog's, and no key is asked for", () => {
  const catalog = catalogOf({ a: null, b: null });
  const model = catalog.models.get("demo/chat")!;
  const noKey = () => {
    throw new Error("not needed");
  };
  expect(candidatesOf(catalog, model, () => true, noKey)).toBe(model.candidates);
});

describe("with weights", () => {
  const weights = { a: 1, b: 2, c: 5 };

  test("the first route follows the weights", () => {
    const all = firsts(weights);
    for (const [model, weight] of Object.entries(weights)) expect(share(all, model)).toBeCloseTo(weight / 8, 1);
  });

  test("one key gives one order, whatever the order in the file", () => {
    for (const key of ["one", "two", "three"]) {
      expect(orderOf(weights, key)).toEqual(orderOf(weights, key));
      const other = orderOf({ c: 5, a: 1, b: 2 }, key);
      expect(other.map((name) => name[0])).toEqual(orderOf(weights, key).map((name) => name[0]));
    }
  });

  test("where one is passed over, only its requests move, to the others by their weights", () => {
    const before = firsts(weights);
    const after = firsts(weights, "c");
    before.forEach((model, index) => {
      if (model !== "c") expect(after[index]).toBe(model);
    });
    const moved = after.filter((_, index) => before[index] === "c");
    expect(share(moved, "b")).toBeCloseTo(2 / 3, 1);
  });

  test("routes without one come after them, in their order", () => {
    for (const key of ["one", "two", "three"]) {
      const order = orderOf({ x: null, a: 1, y: null, b: 1 }, key).map((name) => name[0]);
      expect(order.slice(0, 2).sort()).toEqual(["a", "b"]);
      expect(order.slice(2)).toEqual(["x", "y"]);
    }
  });

  test("the first is no fallback, the others are the same model elsewhere; other models stay behind", () => {
    for (const key of ["one", "two", "three"]) {
      const order = orderOf(weights, key, { fallbacks: ["demo/other"] });
      expect(order.map((name) => name.at(-1))).toEqual(["0", "1", "1", "3"]);
      expect(order.at(-1)).toBe("other3");
    }
  });
});
