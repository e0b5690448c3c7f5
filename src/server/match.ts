// Finds the operation of a method and path as openapi-backend does, without its cost (it rebuilds and scans the whole operation
// list per request: 75 to 200 us). test/server/match.test.ts checks that both agree, but for one thing: a fixed path has its own methods alone,
// and is never taken for an id.
import type { Operation, OperationId } from "../../generated/operations.ts";

export interface Matcher<Op> {
  /** Undefined: the path is unknown, or `method` (lower case) isn't one of its methods. */
  find: (method: string, path: string) => Op | undefined;
  /** Every operation on this path, of any method; empty: the path is unknown. */
  onPath: (path: string) => Op[];
}

export function createMatcher<Op extends { method: string; path: string }>(operations: readonly Op[]): Matcher<Op> {
  const exact = Map.groupBy(operations, ({ path }) => path);
  const isFixed = (path: string) => !path.includes("{") && exact.has(path);
  // Grouped by path instead of their given order: of templates that match a path equally well, the one whose path was named first wins.
  const templated = [...exact.values()]
    .flat()
    .filter(({ path }) => path.includes("{"))
    .map((operation) => ({ operation, pattern: patternOf(operation.path), literalLength: operation.path.replace(/\{.*?\}/g, "").length }))
    .sort((a, b) => b.literalLength - a.literalLength);
  const byTemplate = (path: string) => templated.filter(({ pattern }) => pattern.test(path)).map(({ operation }) => operation);

  return {
    find(method, path) {
      const same = exact.get(path)?.find((operation) => operation.method === method);
      if (same !== undefined || isFixed(path)) return same;
      return templated.find(({ operation, pattern }) => operation.method === method && pattern.test(path))?.operation;
    },
    onPath(path) {
      return isFixed(path) ? exact.get(path)! : byTemplate(path);
    },
  };
}

/** `/v1/jobs/{id}` as an expression with one group per parameter, over the path as received: %2F stays inside its segment. */
export function patternOf(template: string): RegExp {
  const literals = template.split(/\{[^}]+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${literals.join("([^/]+)")}$`);
}

interface RoutesDocument {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, { operationId: OperationId; responses: Record<never, never> }>>;
}

/** The contract as far as openapi-backend needs it: paths, methods and names. The rest is checked by generated code. */
export function routesDocument(operations: readonly Operation[]): RoutesDocument {
  const paths: RoutesDocument["paths"] = {};
  for (const { id, method, path } of operations) (paths[path] ??= {})[method] = { operationId: id, responses: {} };
  return { openapi: "3.1.1", info: { title: "routes", version: "1.0.0" }, paths };
}
