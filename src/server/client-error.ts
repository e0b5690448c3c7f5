// Answers bytes that aren't HTTP: node's parser gives up before there is a request, so the answer is written by hand. It has the same
// shape, request id and log line as every other.
import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Connections } from "./connections.ts";
import { chooseRequestId, type Edge } from "./edge.ts";
import { type ErrorPlace, renderError } from "./render-error.ts";

/** How long the client may take to read the answer before the socket is destroyed. */
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

function rawReply(status: number, headers: Record<string, string>, body: string): string {
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
