import fc from "fast-check";
import { OpenAPIBackend } from "openapi-backend";
import { describe, expect, test } from "vitest";
import { operations } from "../../generated/operations.ts";
import { createMatcher, routesDocument } from "../../src/server/match.ts";

const all = Object.values(operations);
const methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "QUERY"];

const stock = new OpenAPIBackend({
  definition: routesDocument(all),
  quick: true,
  strict: true,
  validate: false,
  ignoreTrailingSlashes: false,
});
await stock.init();
// Memoised: rebuilding the list for each of thousands of calls would take minutes and change nothing.
const known = stock.router.getOperations();
stock.router.getOperations = () => known;

const matcher = createMatcher(all);

function stockSays(method: string, path: string): string {
  try {
    return String(stock.router.matchOperation({ method, path, headers: {} }, true)?.operationId);
  } catch (error) {
    return (error as Error).message.slice(0, 3);
  }
}

function oursSays(method: string, path: string): string {
  return matcher.find(method.toLowerCase(), path)?.id ?? (matcher.onPath(path).length > 0 ? "405" : "404");
}

describe("the matcher agrees with openapi-backend's own", () => {
  test("every path of the contract with every method, and near misses of it", () => {
    for (const { path } of all) {
      const filled = path.replace(/\{[^}]+\}/g, "acme%2Fzap-1.5");
      for (const near of [
        filled,
        path,
        `${filled}/`,
        `/${filled}`,
        `${filled}x`,
        filled.slice(0, -1),
        filled.toUpperCase(),
        `${filled}/extra`,
        filled.replace(/[^/]+$/, ""),
      ]) {
        for (const method of methods) expect([method, near, oursSays(method, near)]).toEqual([method, near, stockSays(method, near)]);
      }
    }
  });

  test("any path made of the contract's segments and arbitrary ones", () => {
    const words = [...new Set(all.flatMap(({ path }) => path.split("/")))];
    const segment = fc.oneof(fc.constantFrom(...words), fc.stringMatching(/^[A-Za-z0-9%._~:@!$&'()*+,;=-]{0,6}$/));
    const path = fc.array(segment, { minLength: 1, maxLength: 6 }).map((segments) => `/${segments.join("/")}`);
    fc.assert(
      fc.property(path, fc.constantFrom(...methods), (one, method) => void expect(oursSays(method, one)).toBe(stockSays(method, one))),
      { numRuns: 3_000 },
    );
  });
});
