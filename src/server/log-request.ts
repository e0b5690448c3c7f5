// One line per request. It has the operation's path template, never the path itself on known paths (it may contain
// a key), and no header, no query and no text of a prompt.
import { mediaPrefix } from "../network/own-addresses.ts";
import type { Edge, Exchange } from "./edge.ts";

/** nginx's number for a client that disconnected before the answer; nothing was sent, so we have no status. */
const clientClosedRequest = 499;

export function logRequest(edge: Edge, exchange: Exchange, finish: (operation: string, status: number) => number): void {
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
