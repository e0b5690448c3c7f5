// What every step of the server shares (Edge), and one request with its answer in progress (Exchange): types, and the opening of an
// exchange. dispatch.ts and reply.ts work on it.
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import type { Dialect, ErrorCode } from "../../generated/errors.ts";
import type { Operation, OperationId } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Holder, FairQuota } from "../concurrency/slots.ts";
import { GatewayStopping } from "../calls/ask.ts";
import type { Context } from "../context.ts";
import { newRequestId } from "../ids.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Tracing } from "../tracing.ts";
import type { Abandoned } from "./abandoned.ts";
import type { ParseAnswer, ParseOrder } from "./parse-thread.ts";

export interface BigJson {
  /** Rejects with the signal's reason, ApiError overloaded, or an Error where the thread failed. */
  read(order: ParseOrder, signal: AbortSignal, holder: Holder): Promise<ParseAnswer>;
  close(): Promise<void>;
}

export interface Edge {
  context: Context;
  metrics: Metrics;
  /** Null: off. */
  tracing: Tracing | null;
  /** Why this process should get no calls, as a sentence; null: it is ready. */
  unready: () => Promise<string | null>;
  /** Base of doc_url; known for certain once the port is. */
  publicUrl: string;
  /** Set by shutdown.ts: the gateway ends, and no other process serves its port. */
  closing: boolean;
  /** Set by shutdown.ts: whether the answer to this exchange says `connection: close`. */
  isLast: (exchange: Exchange) => boolean;
  /**
   * Bytes of request bodies held right now, the extra memory of their values (read-body.ts), and answers that wait for their client
   * (reply.ts).
   */
  bodies: FairQuota;
  /** Requests being processed, which hold memory until they are answered. */
  work: FairQuota;
  bigJson: BigJson;
  abandoned: Abandoned<Exchange>;
  /** Bytes of forms' files that lie on disk right now. */
  files: FairQuota;
  /** Open WebSockets. */
  sockets: FairQuota;
  limits: EdgeLimits;
  /** For browsers: the value of access-control-expose-headers. */
  exposedHeaders: string;
  /** Called when a handler fails with a code that its operation doesn't declare. */
  onUndeclared: (operationId: OperationId, code: ErrorCode) => void;
}

export interface EdgeLimits {
  /**
   * All bodies held at once. A parsed body takes several times its bytes, and anything beyond is counted (read-body.ts): this bounds the
   * heap too.
   */
  allBodiesBytes: number;
  /** Requests being processed at once; reads, whose answers are ready, don't count. */
  atWork: number;
  /** Open connections of clients; by default what connections.ts finds. */
  connections: number;
  /** All files of forms that lie on disk at once. */
  allFilesBytes: number;
  /** A body that stalls for this long is given up. */
  bodyIdleMs: number;
  /** How much of a refused body is read (docs/behaviour/requests.md#bodies). */
  drainBytes: number;
  drainMs: number;
  /** Bytes that a handler may write on while it should wait for its client, such as keep-alives. */
  queuedBytes: number;
  /** A stream's client that reads nothing for this long is disconnected. */
  stalledReaderMs: number;
  /** How long a stream waits for its client in total; a slower client is disconnected too, and pays for what it got. */
  slowReaderMs: number;
  /** The least rate, after that time, at which a client must read a finished answer; a slower one is disconnected too. */
  readerBytesPerSec: number;
  /** Open WebSockets at once; an idle one takes some 30 KB. */
  sockets: number;
  /** A WebSocket's frame. */
  frameBytes: number;
  /** How long a WebSocket may be without a turn, and open at all; a running turn is waited for. */
  socketIdleMs: number;
  socketAgeMs: number;
  /** Requests to public operations a minute and client address. */
  publicPerMinute: number;
}

const megabyte = 1024 * 1024;

export const defaultLimits: Omit<EdgeLimits, "connections"> = {
  allBodiesBytes: 512 * megabyte,
  atWork: 6_144,
  allFilesBytes: 4_096 * megabyte,
  bodyIdleMs: 30_000,
  drainBytes: 64 * megabyte,
  drainMs: 10_000,
  queuedBytes: 8 * megabyte,
  stalledReaderMs: 120_000,
  slowReaderMs: 3_600_000,
  readerBytesPerSec: 50_000,
  sockets: 4_096,
  frameBytes: 16 * megabyte,
  socketIdleMs: 600_000,
  socketAgeMs: 3_600_000,
  publicPerMinute: 600,
};

export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  requestId: string;
  receivedAt: Date;
  /** The same moment by performance.now(), for durations. */
  since: number;
  /** As received, percent-encoded, without the query. */
  path: string;
  /** Without the question mark. */
  search: string;
  /** What limits count as one client: the network of its connection, or the one that the trusted proxies name. */
  address: string;
  /** Headers of the answer, whatever it becomes. */
  headers: Record<string, string>;
  /** What is known about the request; filled step by step, for the log and the metrics. */
  operation: Operation | null;
  /** Whose error envelope applies. */
  dialect: Dialect;
  caller: Caller | null;
  code: ErrorCode | null;
  model: string | null;
  /** Whose quota this request uses: its account's; its address's before the account is known. */
  holder: Holder;
  /** Bytes that this exchange takes of the bound for all bodies. */
  bodyBytes: number;
  /** Whether it counts as a request being processed. */
  atWork: boolean;
  /** Bytes of its form's file on disk. */
  fileBytes: number;
  /** Set when the client disconnected before the answer was complete. */
  gone: boolean;
  /** Fires once, when the client has disconnected or the gateway shuts down. Created on demand: pages need none. */
  signal: () => AbortSignal;
  /** Fires once, when the gateway shuts down, also for a client that has disconnected before. */
  stopping: () => AbortSignal;
  /** The gateway shuts down: handlers stop while their client can still get an answer. */
  giveUp: () => void;
  /** The handler has ended. */
  handled: () => void;
}

export function openExchange(edge: Edge, req: IncomingMessage, res: ServerResponse, onClose: (exchange: Exchange) => void): Exchange {
  const target = splitTarget(req.url ?? "/");
  const { search } = target;
  const path = withWholeModelId(target.path);
  let controller: AbortController | null = null;
  let stopper: AbortController | null = null;
  // What it holds is given back when both are over: a call whose client disconnected may go on.
  let closed = false;
  let handled = false;
  const giveBack = () => {
    if (exchange.bodyBytes > 0) edge.bodies.giveBack(exchange.holder, exchange.bodyBytes);
    if (exchange.atWork) edge.work.giveBack(exchange.holder, 1);
  };
  const address = networkOf(clientAddress(req, edge.context.config.trustedProxies));
  const exchange: Exchange = {
    req,
    res,
    requestId: chooseRequestId(req.headers["x-request-id"]),
    receivedAt: edge.context.clock(),
    since: performance.now(),
    path,
    search,
    address,
    headers: {},
    operation: null,
    dialect: "standard",
    caller: null,
    code: null,
    model: null,
    holder: address,
    bodyBytes: 0,
    atWork: false,
    fileBytes: 0,
    gone: false,
    signal() {
      if (controller === null) {
        controller = new AbortController();
        if (exchange.gone) controller.abort(clientGone());
      }
      return controller.signal;
    },
    stopping: () => (stopper ??= new AbortController()).signal,
    giveUp() {
      exchange.signal();
      controller?.abort(new GatewayStopping());
      exchange.stopping();
      stopper?.abort(new GatewayStopping());
    },
    handled() {
      handled = true;
      if (!closed) return;
      edge.abandoned.ended(exchange);
      giveBack();
    },
  };
  // A write to a socket that has just closed emits an error; "close" handles that case.
  res.on("error", ignore);
  res.once("close", () => {
    exchange.gone = !res.writableFinished;
    closed = true;
    if (handled) giveBack();
    else edge.abandoned.add(exchange);
    if (exchange.gone) controller?.abort(clientGone());
    onClose(exchange);
  });
  return exchange;
}

function clientGone(): Error {
  return new DOMException("the client closed the connection", "AbortError");
}

function ignore(): void {}

const saneRequestId = /^[A-Za-z0-9._-]{1,128}$/;

/** The caller's own request id is kept if it is safe for headers, logs and the database. */
export function chooseRequestId(given: string | string[] | undefined): string {
  return typeof given === "string" && saneRequestId.test(given) ? given : newRequestId(new Date());
}

/** Model ids contain slashes: SDKs send them as %2F, people with curl unencoded. No path is below a model. */
function withWholeModelId(path: string): string {
  const prefix = "/v1/models/";
  if (!path.startsWith(prefix) || !path.includes("/", prefix.length)) return path;
  return prefix + path.slice(prefix.length).replaceAll("/", "%2F");
}

/** The request line's target: the usual "/path?query", or a whole URL as proxies send it. */
function splitTarget(target: string): { path: string; search: string } {
  const origin = target.startsWith("/") ? "" : (/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)?.[0] ?? "");
  const local = target.slice(origin.length);
  const mark = local.indexOf("?");
  if (mark < 0) return { path: local || "/", search: "" };
  return { path: local.slice(0, mark) || "/", search: local.slice(mark + 1) };
}

// Where a request comes from: the connection, or the header of as many proxies as the operator trusts (SVC_TRUSTED_PROXIES).
// A client may send an X-Forwarded-For of its own: only the entries at its end, which trusted proxies added, count.

export function clientAddress(req: Pick<IncomingMessage, "headers" | "socket">, trustedProxies: number): string {
  const connected = req.socket.remoteAddress ?? "";
  if (trustedProxies === 0) return connected;
  const header = req.headers["x-forwarded-for"];
  const hops = (typeof header === "string" ? header : "").split(",").map(withoutPort).reverse();
  let address = connected;
  for (const hop of hops.slice(0, trustedProxies)) {
    if (isIP(hop) === 0) break; // everything left of it was not written by a trusted proxy
    address = hop;
  }
  return address;
}

/** Some proxies write `1.2.3.4:5678` or `[2001:db8::1]:5678`. */
function withoutPort(entry: string): string {
  const text = entry.trim();
  return /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text;
}

/** What a limit counts as one client: an IPv4 address, or an IPv6 /64, which a single customer has. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return address;
  const plain = address.replace(/%.*$/, "").replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "");
  if (isIP(plain) !== 6) return plain;
  // A URL's host is the address in its one canonical form, with at most one "::".
  const canonical = new URL(`http://[${plain}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const left = head === "" ? [] : head.split(":");
  const right = tail === undefined || tail === "" ? [] : tail.split(":");
  const groups = tail === undefined ? left : [...left, ...Array<string>(8 - left.length - right.length).fill("0"), ...right];
  return `${groups.slice(0, 4).join(":")}::/64`;
}
