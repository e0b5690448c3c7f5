// Turns what a request's processing threw into an error reply or, once the head is sent, ends the connection. Unexpected
// exceptions are logged in full under the request id and reveal nothing to the caller.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { OperationId } from "../../generated/operations.ts";
import { isBusy, isTransient } from "../db/transient-error.ts";
import { ApiError } from "../errors/fail.ts";
import type { Connections } from "./connections.ts";
import { chooseRequestId, type Edge, type Exchange } from "./edge.ts";
import { type ErrorPlace, renderError } from "./render-error.ts";
import { sendReply } from "./reply.ts";

// Answers bytes that aren't HTTP: node's parser gives up before there is a request, so the answer is written by hand. It has the same
// shape, request id and log line as every other.

/** How long bytes already written may take to reach the client before its connection is destroyed. */
const lingerMs = 1_000;

/** Silence isn't malformed: upload_timeout (408) is reserved and never sent, the connection just ends. */
const silent = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "ERR_HTTP_REQUEST_TIMEOUT"]);

export function answerClientError(edge: Edge, connections: Connections, error: NodeJS.ErrnoException, socket: Socket): void {
  const exchanges = connections.exchangesOn(socket);
  const [exchange] = exchanges;
  if (silent.has(error.code ?? "") || !socket.writable || exchanges.length > 1 || exchange?.res.headersSent) {
    socket.destroy();
    return;
  }
  const requestId = exchange?.requestId ?? chooseRequestId(undefined);
  edge.context.log.info({ request_id: requestId, reason: error.code }, "malformed request");
  const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
  const reason = tooLarge ? "its headers are too large" : "it is not HTTP";
  const place: ErrorPlace = { dialect: exchange?.dialect ?? "standard", requestId, publicUrl: edge.publicUrl };
  const rendered = renderError("invalid_request", { text: { reason }, ...(tooLarge && { status: 431 }) }, place);
  socket.end(rawReply(rendered.status, { ...rendered.headers, "x-request-id": requestId }, JSON.stringify(rendered.body)));
  setTimeout(() => socket.destroy(), lingerMs).unref();
}

/** An answer where node makes none. */
export function rawReply(status: number, headers: Record<string, string>, body: string): string {
  const head = {
    ...headers,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(head).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

export async function sendError(edge: Edge, exchange: Exchange, thrown: unknown): Promise<void> {
  const { res, operation, requestId } = exchange;
  // A handler that stopped because its client disconnected has nothing to answer or report.
  if (exchange.gone || res.destroyed) return;
  const error = plannedError(edge, thrown, { requestId, operation: operation?.id });
  exchange.code = error.code;
  if (res.headersSent) {
    breakOff(exchange);
    return;
  }
  if (operation !== null && !operation.errors.includes(error.code)) edge.onUndeclared(operation.id, error.code);
  const rendered = renderError(error.code, error.details, { dialect: exchange.dialect, requestId, publicUrl: edge.publicUrl });
  await sendReply(edge, exchange, rendered);
}

/** The status is already sent: only a connection that ends before the body shows the client that the answer is incomplete. */
function breakOff({ req, res }: Exchange): void {
  if (req.httpVersion === "1.0") {
    // In HTTP/1.0 a body ends with its connection, so only a reset can show that; nginx uses 1.0 towards its upstreams by default.
    setTimeout(() => req.socket.resetAndDestroy(), lingerMs).unref();
    return;
  }
  // Node buffers the writes of one turn of the loop; this turn's writes have not reached the socket yet.
  setImmediate(() => req.socket.destroySoon());
  setTimeout(() => res.destroy(), lingerMs).unref();
}

/** What a caller is told: a fault of the gateway's own is logged in full, and tells nothing. */
export function plannedError(
  { context: { log } }: Pick<Edge, "context">,
  thrown: unknown,
  { requestId, operation }: { requestId: string; operation?: OperationId | undefined },
): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (isTransient(thrown) || isBusy(thrown)) {
    log.warn({ err: thrown, request_id: requestId, operation }, "the database is unavailable or busy");
    return new ApiError("overloaded", { cause: thrown });
  }
  log.error({ err: thrown, request_id: requestId, operation }, "unexpected exception");
  return new ApiError("internal_error", { cause: thrown });
}
