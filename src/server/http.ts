// The HTTP server: node's parser and sockets, Express in front, one exchange per request, handed to the operations (dispatch.ts) or to
// the pages (pages.ts). send-error.ts answers what any of them throws.
import express, { type Request, type Response } from "express";
import { createServer as createNodeServer, IncomingMessage, type Server as NodeServer, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { responseHeaders } from "../../generated/facts.ts";
import { openFairQuota } from "../concurrency/slots.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { mediaPrefix } from "../network/own-addresses.ts";
import type { Handlers, LineReply, LineRequest } from "../operation.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { RequestSpan, Tracing } from "../tracing.ts";
import { openAbandoned } from "./abandoned.ts";
import { answerLine } from "./answer-line.ts";
import { openBigJson } from "./big-json.ts";
import { connectionLimit, type Connections, limitConnections, trackConnections } from "./connections.ts";
import { exposedHeaders } from "./cors.ts";
import { createDispatch, type Dispatch } from "./dispatch.ts";
import { defaultLimits, type Edge, type EdgeLimits, type Exchange, openExchange } from "./edge.ts";
import { answerMedia } from "./media-files.ts";
import { createPages, type Pages } from "./pages.ts";
import { sendReply } from "./reply.ts";
import { answerClientError, sendError } from "./send-error.ts";
import { createShutdown, type Shutdown } from "./shutdown.ts";
import { asksWebSocket, serveWebSockets } from "./websocket.ts";
import { failMethod, optionsReply, unknownPath } from "./unknown-path.ts";

interface ServerParts {
  context: Context;
  handlers: Handlers;
  unready: Edge["unready"];
  metrics: Metrics;
  /** Absent: off. */
  tracing?: Tracing | null;
  limits?: Partial<EdgeLimits>;
  /** Handles a code that the operation doesn't declare; by default it is logged as an error. */
  onUndeclared?: Edge["onUndeclared"];
}

interface Server extends Shutdown {
  /** Port 0 takes a free one. */
  listen: (port: number, host: string) => Promise<{ port: number }>;
  /** For requests whose handlers begin from now on; running ones keep their context. */
  useContext: (context: Context) => void;
  /** Of a batch. */
  answerLine: (request: LineRequest) => Promise<LineReply>;
}

export async function createServer(parts: ServerParts): Promise<Server> {
  const edge = openEdge(parts);
  parts.metrics.gauge("svc_requests_at_work", "Places taken by requests that do work", () => edge.work.taken());
  parts.metrics.gauge(
    "svc_request_body_bytes",
    "Bytes of request bodies held, of the heap for values that take far more than their bytes, and of answers that wait for their reader",
    () => edge.bodies.taken(),
  );
  parts.metrics.gauge("svc_request_file_bytes", "Bytes of forms' files on disk", () => edge.files.taken());
  parts.metrics.gauge(
    "svc_abandoned_requests",
    "Requests whose client has disconnected and whose provider is still read for what it charges",
    () => edge.abandoned.all().length,
  );
  parts.metrics.gauge("svc_websockets", "Open WebSockets", () => edge.sockets.taken());
  const dispatch = await createDispatch(edge, parts.handlers);
  const connections = trackConnections(edge.limits.connections);
  const { app, classes } = createApp(edge, dispatch, createPages(edge), connections);
  const server = createNodeServer({ ...serverOptions, ...classes }, app);
  limitConnections(server, edge.limits.connections, edge.context.log);
  server.on("connection", connections.opened);
  // Without these node would answer 100 (or 417) by itself, before authentication.
  server.on("checkContinue", app).on("checkExpectation", app);
  server.on("clientError", (error, socket) => answerClientError(edge, connections, error, socket as Socket));
  return {
    listen: (port, host) => listen(edge, server, port, host),
    useContext: (context) => void (edge.context = context),
    answerLine: (request) => answerLine(edge, parts.handlers, request),
    ...createShutdown(edge, server, connections, serveWebSockets(edge, server, connections)),
  };
}

const serverOptions = {
  // 25 MB over a slow line; a body that stands still is given up much earlier (read-body.ts).
  requestTimeout: 300_000,
  headersTimeout: 20_000,
  // How late either timeout may be noticed; the check looks only at open requests.
  connectionsCheckingInterval: 5_000,
  // Above the 60 s of common load balancers: the side that reuses connections must be the one that closes them.
  keepAliveTimeout: 65_000,
  // Its own answer to a missing Host has neither body nor request id.
  requireHostHeader: false,
  shouldUpgradeCallback: asksWebSocket,
};

function openEdge({ context, metrics, tracing = null, unready, limits, onUndeclared }: ServerParts): Edge {
  const allLimits = { ...defaultLimits, connections: connectionLimit(), ...limits };
  return {
    context,
    metrics,
    tracing,
    unready,
    publicUrl: context.config.publicUrl ?? addressOf(context.config.host, context.config.port),
    closing: false,
    isLast: () => false,
    bodies: openFairQuota(allLimits.allBodiesBytes),
    work: openFairQuota(allLimits.atWork),
    bigJson: openBigJson(),
    abandoned: openAbandoned(),
    files: openFairQuota(allLimits.allFilesBytes),
    sockets: openFairQuota(allLimits.sockets),
    limits: allLimits,
    exposedHeaders: exposedHeaders(responseHeaders),
    onUndeclared:
      onUndeclared ?? ((operation, code) => context.log.error({ operation, code }, "error code is not declared for its operation")),
  };
}

/** Express without its costly parts: no etag, no query parser, no body parser; one middleware, which never calls the next. */
function createApp(edge: Edge, dispatch: Dispatch, pages: Pages, connections: Connections) {
  const app = express();
  app.disable("x-powered-by").disable("etag").set("query parser", false);
  const serve = (req: IncomingMessage, res: ServerResponse) => {
    const finish = edge.metrics.begin();
    const span = edge.tracing === null ? null : traceRequest(edge.tracing, req);
    const exchange = openExchange(edge, req, res, () => {
      connections.ended(exchange);
      logRequest(edge, exchange, finish);
      if (span !== null) endTrace(edge, span, exchange);
    });
    if (!connections.began(exchange)) return exchange.handled();
    if (span === null) answer(edge, dispatch, pages, exchange);
    else span.run(() => answer(edge, dispatch, pages, exchange));
  };
  app.use(serve);
  const classes = expressClasses(app);
  // A target that express can't parse never reaches the middleware; its own 404 would be HTML without a request id.
  return { classes, app: (req: IncomingMessage, res: ServerResponse) => app(req as Request, res as Response, () => void serve(req, res)) };
}

/**
 * What node makes requests and answers of, with the prototypes that express gives each of them. To change the prototype of an object makes V8
 * forget code that it has optimised; one that is the same already changes nothing.
 */
function expressClasses(app: express.Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  app.request = ExpressRequest.prototype as Request;
  app.response = ExpressResponse.prototype as Response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Nothing waits for it: what goes wrong is answered, too. */
function answer(edge: Edge, dispatch: Dispatch, pages: Pages, exchange: Exchange): void {
  const refuse = (thrown: unknown) => void refused(edge, exchange, thrown).then(exchange.handled);
  try {
    const pending = route(edge, dispatch, pages, exchange);
    if (pending) pending.then(exchange.handled, refuse);
    else exchange.handled();
  } catch (thrown) {
    refuse(thrown);
  }
}

async function refused(edge: Edge, exchange: Exchange, thrown: unknown): Promise<void> {
  try {
    await sendError(edge, exchange, thrown);
  } catch (error) {
    // Rendering itself failed (in tests: an undeclared code). The client must not be left waiting.
    edge.context.log.fatal({ err: error, request_id: exchange.requestId }, "no reply could be made");
    exchange.res.destroy();
  }
}

function route(edge: Edge, dispatch: Dispatch, pages: Pages, exchange: Exchange): Promise<void> | void {
  const { req, path } = exchange;
  if (req.headers.host === undefined && req.httpVersion === "1.1") {
    fail("invalid_request", { text: { reason: "the Host header is missing" } });
  }
  if (path.startsWith("/v1/")) return dispatch.answer(exchange);
  if (path.startsWith(mediaPrefix)) return answerMedia(edge, exchange);
  return answerPage(edge, dispatch, pages, exchange);
}

async function answerPage(edge: Edge, dispatch: Dispatch, pages: Pages, exchange: Exchange): Promise<void> {
  const { req, path } = exchange;
  const page = await pages(exchange);
  if (req.method === "OPTIONS" && (page !== undefined || path === "*")) return sendReply(edge, exchange, optionsReply(exchange, ["get"]));
  if (page === undefined) throw unknownPath(exchange, dispatch.matcher);
  if (req.method !== "GET" && req.method !== "HEAD") failMethod(exchange, ["get"]);
  return sendReply(edge, exchange, await page(exchange));
}

function listen(edge: Edge, server: NodeServer, port: number, host: string): Promise<{ port: number }> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException) => reject(named(cause, port, host));
    server.once("error", failed);
    server.listen(port, host, () => {
      server.off("error", failed);
      const bound = (server.address() as AddressInfo).port;
      edge.publicUrl = edge.context.config.publicUrl ?? addressOf(host, bound);
      resolve({ port: bound });
    });
  });
}

/** By the setting that is wrong. */
function named(cause: NodeJS.ErrnoException, port: number, host: string): Error {
  if (cause.code === "EADDRINUSE") return new Error(`PORT ${port} of ${host} is taken by another process`, { cause });
  if (cause.code === "EACCES") return new Error(`this user may not listen on PORT ${port}`, { cause });
  if (/^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|EINVAL)$/.test(cause.code ?? ""))
    return new Error(`HOST must be an address of this machine, not "${host}"`, { cause });
  return cause;
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
}

// One span for each request of the API, where tracing is on; probes, pages and files have none.

/** The methods that OpenTelemetry's conventions know; any other word is the caller's own text. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

function traceRequest(tracing: Tracing, req: IncomingMessage): RequestSpan | null {
  const { traceparent } = req.headers;
  if (!req.url?.startsWith("/v1/")) return null;
  return tracing.begin(methodOf(req), typeof traceparent === "string" ? traceparent : undefined);
}

/** Only ids that the catalog knows are reported: callers may write anything there. */
function endTrace({ context }: Edge, span: RequestSpan, { req, res, operation, code, model, requestId }: Exchange): void {
  const { models, aliases } = context.catalog;
  span.end({
    method: methodOf(req),
    route: operation?.path ?? null,
    operation: operation?.id ?? null,
    status: res.headersSent ? res.statusCode : null,
    code,
    model: model !== null && (models.has(model) || aliases.has(model)) ? model : null,
    requestId,
  });
}

function methodOf({ method = "" }: IncomingMessage): string {
  return knownMethods.has(method) ? method : "_OTHER";
}

// One line per request. It has the operation's path template, never the path itself on known paths (it may contain
// a key), and no header, no query and no text of a prompt.

/** nginx's number for a client that disconnected before the answer; nothing was sent, so we have no status. */
const clientClosedRequest = 499;

function logRequest(edge: Edge, exchange: Exchange, finish: (operation: string, status: number) => number): void {
  const { req, res, operation, caller } = exchange;
  const status = res.headersSent ? res.statusCode : clientClosedRequest;
  const seconds = finish(operation?.id ?? "none", status);
  const line = {
    request_id: exchange.requestId,
    method: req.method,
    path: operation?.path ?? maskedPath(exchange.path),
    status,
    ms: Math.round(seconds * 1e5) / 100,
    // Undefined members are left out of the line.
    account: caller?.accountId.toString(),
    code: exchange.code ?? undefined,
    model: exchange.model ?? undefined,
    gone: exchange.gone || undefined,
  };
  if (status >= 500) edge.context.log.warn(line, "request");
  else edge.context.log.info(line, "request");
}

const mediaName = new RegExp(`${mediaPrefix}.*`, "is");

/** Logs an unknown path, which the operator needs to see, without any key, token or file name in it. */
function maskedPath(path: string): string {
  const plain = path.includes("%") ? decoded(path) : path;
  return plain
    .replace(mediaName, `${mediaPrefix}…`)
    .replace(/svc[a-z]?_[^/]*/gi, "svc_…")
    .slice(0, 200);
}

/** Decodes escapes, so that they can't hide a key; undecodable text is logged only up to its first escape. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return `${path.slice(0, path.indexOf("%"))}%…`;
  }
}
