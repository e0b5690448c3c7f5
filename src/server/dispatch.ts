// Passes each request to its operation: openapi-backend routes, our own code authenticates, reads and validates
// (docs/behaviour/operation.md#toolchain).
import { OpenAPIBackend } from "openapi-backend";
import type { Request as RoutedRequest } from "openapi-backend";
import { operations } from "../../generated/operations.ts";
import type { Operation } from "../../generated/operations.ts";
import type { Edge, Exchange } from "./edge.ts";
import { createMatcher, routesDocument } from "./match.ts";
import type { Matcher } from "./match.ts";
import { operationRunner } from "./run-operation.ts";
import { sendReply } from "./reply.ts";
import type { Handler, Handlers } from "../operation.ts";
import { failMethod, optionsReply, unknownV1Path } from "./unknown-path.ts";

export interface Dispatch {
  matcher: Matcher<Operation>;
  /** Answers one request under /v1; what it throws becomes an error reply. */
  answer: (exchange: Exchange) => Promise<void>;
}

/** Throws when an operation has no handler. */
export async function createDispatch(edge: Edge, handlers: Handlers): Promise<Dispatch> {
  const all: Operation[] = Object.values(operations);
  const matcher = createMatcher(all);
  const api = await createRouter(edge, handlers, all, {
    notFound: async (exchange) => {
      throw unknownV1Path(exchange, matcher, all);
    },
    methodNotAllowed: async (exchange) => {
      const onPath = matcher.onPath(exchange.path);
      // The refusal has its path's envelope; the operation stays unset, so that the log shows that none ran.
      exchange.dialect = onPath[0]!.dialect;
      failMethod(
        exchange,
        onPath.map(({ method }) => method),
      );
    },
  });

  return {
    matcher,
    async answer(exchange) {
      const method = exchange.req.method ?? "GET";
      const onPath = method === "OPTIONS" ? matcher.onPath(exchange.path) : [];
      if (onPath.length > 0)
        return sendReply(
          edge,
          exchange,
          optionsReply(
            exchange,
            onPath.map((operation) => operation.method),
          ),
        );
      // A HEAD is the GET without its body, which node leaves out by itself.
      await api.handleRequest({ method: method === "HEAD" ? "GET" : method, path: exchange.path, headers: {} }, exchange);
    },
  };
}

type Answer = (exchange: Exchange) => Promise<void>;

async function createRouter(
  edge: Edge,
  handlers: Handlers,
  all: readonly Operation[],
  unmatched: { notFound: Answer; methodNotAllowed: Answer },
) {
  const api = new OpenAPIBackend({
    definition: routesDocument(all),
    quick: true,
    strict: true,
    validate: false,
    ignoreTrailingSlashes: false,
  });
  for (const operation of all) {
    const handler = handlers[operation.id] as Handler | undefined;
    if (handler === undefined) throw new Error(`${operation.id} has no handler`);
    const run = operationRunner(edge, operation, handler);
    api.register(operation.id, (_context, exchange: Exchange) => run(exchange));
  }
  api.register("notFound", (_context, exchange: Exchange) => unmatched.notFound(exchange));
  api.register("methodNotAllowed", (_context, exchange: Exchange) => unmatched.methodNotAllowed(exchange));
  await api.init();
  routeFast(api);
  return api;
}

/** Replaces the two costly steps of every request, with the same outcome (see match.ts); parameters are read by our own code. */
function routeFast(api: OpenAPIBackend): void {
  const known = api.router.getOperations();
  const matcher = createMatcher(known);
  const matchOperation = (request: RoutedRequest, strict?: boolean) => {
    const found = matcher.find(request.method.toLowerCase(), request.path);
    if (found !== undefined || !strict) return found;
    const onPath = matcher.onPath(request.path);
    throw new Error(
      onPath.length > 0 ? "405-methodNotAllowed: this method is not registered for the route" : "404-notFound: no route matches request",
    );
  };
  api.router.getOperations = () => known;
  api.router.matchOperation = matchOperation as typeof api.router.matchOperation;
  api.router.parseRequest = ((request: RoutedRequest) => request) as unknown as typeof api.router.parseRequest;
}
