// Passes each request to its operation. A map finds it (match.ts); openapi-backend checks at the start that every operation has a handler, and
// refuses what is no operation (docs/behaviour/operation.md#toolchain).
import { OpenAPIBackend } from "openapi-backend";
import { operations } from "../../generated/operations.ts";
import type { Operation } from "../../generated/operations.ts";
import type { Edge, Exchange } from "./edge.ts";
import { createMatcher, routesDocument } from "./match.ts";
import type { Matcher } from "./match.ts";
import { operationRunner, type RunOperation } from "./run-operation.ts";
import { sendReply } from "./reply.ts";
import type { Handler, Handlers } from "../operation.ts";
import { failMethod, optionsReply, unknownV1Path } from "./unknown-path.ts";

export interface Dispatch {
  matcher: Matcher<Operation>;
  /** Answers one request under /v1; what it throws becomes an error reply. */
  answer: (exchange: Exchange) => Promise<void> | void;
}

/** Throws when an operation has no handler. */
export async function createDispatch(edge: Edge, handlers: Handlers): Promise<Dispatch> {
  const all: Operation[] = Object.values(operations);
  const matcher = createMatcher(all);
  const runners = new Map(all.map((operation) => [operation.id, runnerOf(edge, handlers, operation)]));
  const fixed = fixedPaths(all, runners);
  const methodNotAllowed = async (exchange: Exchange) => {
    const onPath = matcher.onPath(exchange.path);
    // The refusal has its path's envelope; the operation stays unset, so that the log shows that none ran.
    exchange.dialect = onPath[0]!.dialect;
    failMethod(
      exchange,
      onPath.map(({ method }) => method),
    );
  };
  const api = await createRouter(runners, all, {
    notFound: async (exchange) => {
      throw unknownV1Path(exchange, matcher, all);
    },
    methodNotAllowed,
  });

  return {
    matcher,
    answer(exchange) {
      const { method = "GET" } = exchange.req;
      const known = fixed.get(exchange.path)?.get(method);
      if (known !== undefined) return known(exchange);
      // A HEAD is the GET without its body, which node leaves out by itself.
      const asked = method === "HEAD" ? "GET" : method;
      const found = matcher.find(asked.toLowerCase(), exchange.path);
      if (found !== undefined) return runners.get(found.id)!(exchange);
      const onPath = matcher.onPath(exchange.path);
      if (onPath.length > 0 && method !== "OPTIONS") return methodNotAllowed(exchange);
      if (onPath.length > 0)
        return sendReply(
          edge,
          exchange,
          optionsReply(
            exchange,
            onPath.map((operation) => operation.method),
          ),
        );
      return api.handleRequest({ method: asked, path: exchange.path, headers: {} }, exchange) as Promise<void>;
    },
  };
}

/** By path and method: a path without parameters, as of most requests, needs no search. */
function fixedPaths(
  all: readonly Operation[],
  runners: ReadonlyMap<Operation["id"], RunOperation>,
): Map<string, Map<string, RunOperation>> {
  const paths = new Map<string, Map<string, RunOperation>>();
  for (const { id, method, path } of all) {
    if (path.includes("{")) continue;
    const methods = paths.get(path) ?? new Map<string, RunOperation>();
    paths.set(path, methods.set(method.toUpperCase(), runners.get(id)!));
  }
  return paths;
}

function runnerOf(edge: Edge, handlers: Handlers, operation: Operation): RunOperation {
  const handler = handlers[operation.id] as Handler | undefined;
  if (handler === undefined) throw new Error(`${operation.id} has no handler`);
  return operationRunner(edge, operation, handler);
}

async function createRouter(
  runners: ReadonlyMap<Operation["id"], RunOperation>,
  all: readonly Operation[],
  unmatched: { notFound: RunOperation; methodNotAllowed: RunOperation },
) {
  const api = new OpenAPIBackend({
    definition: routesDocument(all),
    quick: true,
    strict: true,
    validate: false,
    ignoreTrailingSlashes: false,
  });
  api.register("notFound", (_context, exchange: Exchange) => unmatched.notFound(exchange));
  api.register("methodNotAllowed", (_context, exchange: Exchange) => unmatched.methodNotAllowed(exchange));
  await api.init();
  // Set, not registered: `register` walks the whole document for each operation, and runnerOf has found that all have a handler.
  for (const [id, run] of runners) api.handlers[id] = (_context, exchange: Exchange) => run(exchange);
  return api;
}
