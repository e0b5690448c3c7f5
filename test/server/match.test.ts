// Our matcher is openapi-backend's own without its cost: both name the same operation, or refuse with the same status (src/server/match.ts).
import fc from "fast-check";
import { OpenAPIBackend, OpenAPIRouter } from "openapi-backend";
import { describe, expect, test } from "vitest";
import { type Operation, operations } from "../../generated/operations.ts";
import { createMatcher, patternOf, routesDocument } from "../../src/server/match.ts";
import { anyContract, anyMethod, anyPath, anySegment, askedPath, methods, type RandomOperation } from "./match-arbitraries.ts";
import { sized } from "../support/size.ts";

const all = Object.values(operations);
const allMethods = [...methods, "QUERY"];

const stock = new OpenAPIBackend({
  definition: routesDocument(all),
  quick: true,
  strict: true,
  validate: false,
  ignoreTrailingSlashes: false,
});
await stock.init();

type StockRouter = Pick<OpenAPIRouter, "matchOperation" | "getOperations">;

/** Memoised: rebuilding the list for each of thousands of calls would take minutes and change nothing. */
function memoised<Router extends StockRouter>(router: Router): Router {
  const known = router.getOperations();
  router.getOperations = () => known;
  return router;
}

const stockAnswer = askStock(memoised(stock.router));
const ourAnswer = askOurs(all);

/** But a fixed path has its own methods alone. */
function askStock(router: StockRouter) {
  const fixed = new Set(router.getOperations().flatMap(({ path }) => (path.includes("{") ? [] : [path])));
  return (method: string, path: string): string => {
    try {
      const found = router.matchOperation({ method, path, headers: {} }, true);
      return found !== undefined && found.path !== path && fixed.has(path) ? "405" : String(found?.operationId);
    } catch (error) {
      return (error as Error).message.slice(0, 3);
    }
  };
}

function askOurs(known: readonly RandomOperation[]) {
  const matcher = createMatcher(known);
  return (method: string, path: string): string =>
    matcher.find(method.trim().toLowerCase(), path)?.id ?? (matcher.onPath(path).length > 0 ? "405" : "404");
}

/** Stock adds a slash and takes off blanks and the query before it looks. Our server has cut the query by then, and sees the rest as it came. */
const asSent = (path: string) => `/${path}`.replace(/^\/\//, "/").split("?")[0]!.trimEnd();

describe("the matcher agrees with openapi-backend's own", () => {
  test("every path of the contract with every method, and near misses of it", () => {
    const asked = all.flatMap(({ path }) => {
      const filled = path.replace(/\{[^}]+\}/g, "acme%2Fzap-1.5");
      return [
        ...[filled, path, `${filled}/`, `/${filled}`, `${filled}x`, `${filled}/extra`],
        ...[filled.slice(0, -1), filled.toUpperCase(), filled.replace(/[^/]+$/, "")],
      ];
    });
    const requests = [...new Set(asked)].flatMap((path) => allMethods.map((method) => [method, path] as const));
    expect(requests.filter(([method, path]) => ourAnswer(method, path) !== stockAnswer(method, path))).toEqual([]);
  });

  test("any path: of the contract's segments, of anything, long, empty, wrongly encoded, with slips of a hand", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyPath.map(asSent), anyMethod, (path, method) => {
        const answer = ourAnswer(method, path);
        seen.add(answer);
        expect(answer).toBe(stockAnswer(method, path));
      }),
      { numRuns: sized(20_000, 8_000) },
    );
    // It meets what it is there for: most operations, and both refusals.
    expect(seen.size).toBeGreaterThan(all.length * 0.6);
    expect(seen).toContain("404");
    expect(seen).toContain("405");
  });

  test("any contract, and what is asked of it", () => {
    const asked = anyContract.chain((contract) =>
      fc.tuple(fc.constant(contract), fc.array(fc.tuple(anyMethod, askedPath(contract)), { minLength: 1, maxLength: 8 })),
    );
    fc.assert(
      fc.property(asked, ([contract, requests]) => {
        const definition = routesDocument(contract as unknown as Operation[]);
        const theirs = askStock(memoised(new OpenAPIRouter({ definition, ignoreTrailingSlashes: false } as never)));
        const ours = askOurs(contract);
        for (const [method, path] of requests) expect([method, path, ours(method, path)]).toEqual([method, path, theirs(method, path)]);
      }),
      { numRuns: sized(5_000, 300) },
    );
  });
});

describe("a fixed path comes before a template that fits it too", () => {
  const both = all.flatMap((fixed) =>
    all
      .filter((other) => other.path !== fixed.path && !fixed.path.includes("{") && patternOf(other.path).test(fixed.path))
      .map((other) => ({ fixed, other })),
  );

  test("in the contract there are such, GET /v1/models/recommend among them", () => {
    expect(both.map(({ fixed, other }) => `${fixed.method} ${fixed.path} and ${other.path}`)).toContain(
      "get /v1/models/recommend and /v1/models/{id}",
    );
  });

  test.each(both)("$fixed.method $fixed.path is not $other.path", ({ fixed, other }) => {
    expect(ourAnswer(fixed.method, fixed.path)).toBe(fixed.id);
    expect(ourAnswer(other.method, other.path.replace(/\{[^}]+\}/g, "x"))).toBe(other.id);
    for (const method of allMethods) expect([method, ourAnswer(method, fixed.path)]).toEqual([method, stockAnswer(method, fixed.path)]);
  });
});

test("a template's pattern gives back each value that was put in, as it was sent", () => {
  const value = anySegment.filter((segment) => segment !== "" && !segment.includes("/"));
  const templates = [...new Set(all.map(({ path }) => path))].filter((path) => path.includes("{"));
  fc.assert(
    fc.property(fc.constantFrom(...templates), fc.array(value, { minLength: 3, maxLength: 3 }), (template, values) => {
      const put: string[] = [];
      const path = template.replace(/\{[^}]+\}/g, () => (put.push(values[put.length]!), put.at(-1)!));
      expect(patternOf(template).exec(path)?.slice(1)).toEqual(put);
    }),
    { numRuns: sized(3_000, 1_000) },
  );
});
