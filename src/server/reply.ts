// Writes a reply to the socket: the headers that every response has, then JSON, bytes or a stream. Makes sure that an answer given
// before the request's body has arrived reaches its client.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { OperationId } from "../../generated/operations.ts";
import type { Headers, Reply, Sink } from "../operation.ts";
import { inCoding } from "./content-coding.ts";
import { chooseRequestId, type Edge, type EdgeLimits, type Exchange } from "./edge.ts";
import { awaitsContinue, hasBody, holdAnswer } from "./read-body.ts";

/** A reply of any operation, or of the edge itself. */
export type AnyReply = Reply<OperationId> | { status: number; headers?: Headers; body?: unknown };

/** Returns no promise where nothing has to be waited for. */
export function sendReply(edge: Edge, exchange: Exchange, reply: AnyReply): Promise<void> | void {
  if ("coded" in reply && reply.coded !== undefined)
    return inCoding(exchange.req.headers, reply).then((coded) => sendReply(edge, exchange, coded));
  if (exchange.gone || exchange.res.destroyed) return endUnsent(exchange, reply);
  if ("stream" in reply && reply.stream !== undefined) return sendStream(edge, exchange, reply.status, reply.headers, reply.stream);
  const { payload, type } = payloadOf(reply);
  const head = headOf(edge, exchange, reply.status, reply.headers);
  if (type !== null) head.push("content-type", type);
  if (hasContent(reply.status)) head.push("content-length", String(payload === null ? 0 : Buffer.byteLength(payload)));
  if (hasBody(exchange) && !exchange.req.complete) return sendEarly(edge, exchange, reply.status, head, payload);
  exchange.res.writeHead(reply.status, head);
  exchange.res.end(payload ?? undefined);
  boundFlush(edge, exchange, payload);
}

/** A paid stream's call ends by itself, whether or not its client is still there. */
function endUnsent({ atWork }: Exchange, reply: AnyReply): Promise<void> | void {
  if (atWork && "stream" in reply && reply.stream !== undefined) return reply.stream({ write: () => undefined });
}

/**
 * What the kernel didn't take of a finished answer waits in memory for its client: within the bound that bodies share, for as long as a
 * slow line needs. Every byte restarts the stall timeout, but not the overall timeout.
 */
function boundFlush(edge: Edge, exchange: Exchange, payload: string | Buffer | null = null): void {
  const { req, res } = exchange;
  const waiting = res.writableLength;
  if (waiting === 0 || exchange.gone || res.destroyed) return;
  // The bytes that a read sends are prepared and shared.
  const isShared = !exchange.atWork && Buffer.isBuffer(payload);
  if (!isShared && !holdAnswer(edge, exchange, waiting)) {
    const line = { request_id: exchange.requestId, bytes: waiting };
    edge.context.log.warn(line, "an answer was aborted: no memory is left for what its client has not read");
    return void req.socket.destroy();
  }
  const { stalledReaderMs, readerBytesPerSec } = edge.limits;
  const cut = () => void res.destroy();
  const begin = () => {
    const late = setTimeout(cut, stalledReaderMs + (1_000 * waiting) / readerBytesPerSec);
    res.once("close", () => clearTimeout(late));
  };
  // A pipelined answer has no socket until its turn comes.
  if (res.socket === null) res.once("socket", begin);
  else begin();
  res.setTimeout(stalledReaderMs, cut);
}

function payloadOf(reply: AnyReply): { payload: string | Buffer | null; type: string | null } {
  if ("bytes" in reply && reply.bytes !== undefined) return { payload: reply.bytes, type: null };
  const { body, headers } = reply as { body?: unknown; headers?: Headers };
  if (body === undefined) return { payload: null, type: null };
  return { payload: JSON.stringify(body), type: headers?.["content-type"] === undefined ? "application/json" : null };
}

function hasContent(status: number): boolean {
  return status >= 200 && status !== 204 && status !== 304;
}

/** Flat name-value pairs: the form that node writes without building an object again. */
function headOf(edge: Edge, exchange: Exchange, status: number, headers: Headers | undefined): string[] {
  const caching = headers?.["cache-control"] ?? exchange.headers["cache-control"];
  const isShared = caching?.startsWith("public") === true;
  // A cache gives one answer to many callers: nothing in it may depend on the first caller's request.
  if (isShared) exchange.requestId = chooseRequestId(undefined);
  const head = ["x-request-id", exchange.requestId, "x-content-type-options", "nosniff"];
  // Caches may store an error without cache headers (RFC 9111, 4.2.2), including its request id.
  if (caching === undefined && status >= 400) head.push("cache-control", "no-store");
  if (exchange.path.startsWith("/v1/messages")) head.push("request-id", exchange.requestId);
  for (const name in exchange.headers) if (headers?.[name] === undefined) head.push(name, exchange.headers[name]!);
  for (const name in headers) head.push(name, headerText(headers[name]!));
  if ((isShared || exchange.req.headers.origin !== undefined) && headers?.["access-control-allow-origin"] === undefined) {
    head.push("access-control-allow-origin", "*", "access-control-expose-headers", edge.exposedHeaders);
  }
  if (edge.isLast(exchange)) head.push("connection", "close");
  return head;
}

/** Header values and catalog ids have no other characters; if one appears, a question mark is better than a failed reply. */
function headerText(value: string): string {
  return /[^\t\x20-\x7e]/.test(value) ? value.replace(/[^\t\x20-\x7e]/g, "?") : value;
}

/**
 * The whole answer is sent before the body's rest is read, so that the client gets the answer and not a reset.
 * A client that still waits for "100 Continue" won't send its body: that connection can't be used again.
 */
async function sendEarly(edge: Edge, exchange: Exchange, status: number, head: string[], payload: string | Buffer | null): Promise<void> {
  const { req, res } = exchange;
  if (awaitsContinue(exchange) && !edge.isLast(exchange)) head.push("connection", "close");
  res.writeHead(status, head);
  if (payload === null || req.method === "HEAD" || !hasContent(status)) res.flushHeaders();
  else res.write(payload);
  const ended = await drain(req, edge.limits);
  if (ended) res.end();
  else res.end(() => req.socket.destroySoon());
  boundFlush(edge, exchange, payload);
}

/** Not an async function: its frame would keep the answer's headers until the stream's end. */
function sendStream(
  edge: Edge,
  exchange: Exchange,
  status: number,
  headers: Headers,
  stream: Extract<Reply, { stream: unknown }>["stream"],
): Promise<void> | void {
  const { req, res } = exchange;
  res.writeHead(status, headOf(edge, exchange, status, headers));
  if (req.method === "HEAD") return void res.end();
  // The client learns at once that its request was accepted, long before a first token.
  res.flushHeaders();
  // A read's answer is prepared, and may take as long as a video on a slow line.
  const sink = openSink(res, exchange.atWork ? edge.limits : { ...edge.limits, slowReaderMs: Infinity });
  return stream(sink).then(() => {
    sink.end();
    boundFlush(edge, exchange);
  });
}

// A body that is still arriving when its request has already been answered (401, 413, …): it is read and discarded for
// a while, because closing a socket with unread bytes sends a reset that destroys the answer on its way to the client.

/** Resolves with true once the body has ended, with false when the client disconnected or was given up. */
function drain(req: IncomingMessage, limits: Pick<EdgeLimits, "drainBytes" | "drainMs">): Promise<boolean> {
  if (req.complete && req.readableEnded) return Promise.resolve(true);
  return new Promise((resolve) => {
    let bytes = 0;
    const stop = (ended: boolean) => {
      clearTimeout(deadline);
      req.off("data", onData).off("end", onEnd).off("close", onClose).off("error", onClose);
      resolve(ended);
    };
    const deadline = setTimeout(() => stop(false), limits.drainMs);
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > limits.drainBytes) stop(false);
    };
    const onEnd = () => stop(true);
    const onClose = () => stop(false);
    req.on("data", onData).on("end", onEnd).on("close", onClose).on("error", onClose);
    req.resume();
  });
}

// The sink of a stream's handler: back-pressure as a promise, a bound on the queue, an end for stalled clients.
// Writes of one turn of the event loop are sent together: a socket write costs more than a streamed token.

interface OpenSink extends Sink {
  /** Ends the response with what is still buffered. */
  end(): void;
}

/** Buffered text of this size is sent before the turn is over. */
const gatheredMax = 16_384;

/** Writes after the client has disconnected do nothing: the request's signal stops the work. */
function openSink(res: ServerResponse, limits: Pick<EdgeLimits, "queuedBytes" | "stalledReaderMs" | "slowReaderMs">): OpenSink {
  let gathered = "";
  let scheduled = false;
  let waiting: Promise<void> | null = null;
  let unawaited = 0;
  let leftMs = limits.slowReaderMs;

  function leave(): void {
    scheduled = false;
    if (gathered === "") return;
    const text = gathered;
    gathered = "";
    send(text);
  }

  /** A text with its own frame is one write of the socket; node makes four of it. */
  function put(chunk: string | Uint8Array): boolean {
    if (typeof chunk !== "string" || chunk === "" || !res.chunkedEncoding) return res.write(chunk);
    res.chunkedEncoding = false;
    const taken = res.write(`${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`);
    res.chunkedEncoding = true;
    return taken;
  }

  function send(chunk: string | Uint8Array): void {
    if (res.destroyed || res.writableEnded || put(chunk)) return;
    if (waiting !== null) {
      unawaited += chunk.length;
      // The handler kept writing without awaiting: disconnecting this client protects memory.
      if (unawaited > limits.queuedBytes) res.destroy();
      return;
    }
    waiting = untilDrained(res, Math.min(limits.stalledReaderMs, leftMs)).then((waitedMs) => {
      waiting = null;
      unawaited = 0;
      leftMs -= waitedMs;
    });
  }

  return {
    write(chunk) {
      if (res.destroyed || res.writableEnded) return;
      if (typeof chunk !== "string") {
        leave();
        send(chunk);
      } else {
        gathered += chunk;
        if (gathered.length >= gatheredMax) leave();
        else if (!scheduled) {
          scheduled = true;
          process.nextTick(leave);
        }
      }
      return waiting ?? undefined;
    },
    end() {
      const rest = gathered;
      gathered = "";
      res.end(rest);
    },
  };
}

/** Resolves with how long it took; a client that takes longer than `maxMs` is disconnected. */
function untilDrained(res: ServerResponse, maxMs: number): Promise<number> {
  const began = performance.now();
  return new Promise((resolve) => {
    const late = setTimeout(() => res.destroy(), maxMs);
    const done = () => {
      clearTimeout(late);
      res.off("drain", done).off("close", done);
      resolve(performance.now() - began);
    };
    res.once("drain", done).once("close", done);
  });
}
