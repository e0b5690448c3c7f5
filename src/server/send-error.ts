// Turns what was thrown while a request was answered into an error reply or, once the head is out, ends the connection. Unexpected
// exceptions are logged whole under the request id and tell the caller nothing.
import { isTransient } from "../db/transient-error.ts";
import { ApiError } from "../errors/fail.ts";
import type { Edge, Exchange } from "./edge.ts";
import { renderError } from "./render-error.ts";
import { sendReply } from "./reply.ts";

export async function sendError(edge: Edge, exchange: Exchange, thrown: unknown): Promise<void> {
  const { res, operation, requestId } = exchange;
  // A handler that stopped because its client disconnected has nothing to answer or report.
  if (exchange.gone || res.destroyed) return;
  const error = thrown instanceof ApiError ? thrown : unplanned(edge, exchange, thrown);
  exchange.code = error.code;
  if (res.headersSent) {
    breakOff(exchange);
    return;
  }
  if (operation !== null && !operation.errors.includes(error.code)) edge.onUndeclared(operation.id, error.code);
  const rendered = renderError(error.code, error.details, { dialect: exchange.dialect, requestId, publicUrl: edge.publicUrl });
  await sendReply(edge, exchange, rendered);
}

/** How long bytes written before the failure may take to reach the client. */
const lingerMs = 1_000;

/** The status is out already: only a connection that ends before the body does tells the client that it isn't whole. */
function breakOff({ req, res }: Exchange): void {
  if (req.httpVersion === "1.0") {
    // In HTTP/1.0 a body ends with its connection, so only a reset can tell; nginx asks its upstreams in 1.0 by default.
    setTimeout(() => req.socket.resetAndDestroy(), lingerMs).unref();
    return;
  }
  // Node gathers the writes of one turn of the loop; what was written in this one is not with the socket yet.
  setImmediate(() => req.socket.destroySoon());
  setTimeout(() => res.destroy(), lingerMs).unref();
}

function unplanned(edge: Edge, exchange: Exchange, thrown: unknown): ApiError {
  if (isTransient(thrown)) {
    edge.context.log.warn({ err: thrown, request_id: exchange.requestId }, "the database is unavailable");
    return new ApiError("overloaded", { cause: thrown });
  }
  edge.context.log.error({ err: thrown, request_id: exchange.requestId, operation: exchange.operation?.id }, "unexpected exception");
  return new ApiError("internal_error", { cause: thrown });
}
