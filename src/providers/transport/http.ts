// HTTP towards upstreams: one keep-alive pool an origin, bounded connections and waiting, deadlines, abort (origins.ts, http-call.ts).
// What a path, a body or a status means is the adapters' business.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { traceNow } from "../../telemetry/trace-scope.ts";
import { type AnswerBody, wholeMs } from "./body.ts";
import { startCall } from "./call.ts";
import { openOrigins } from "./origins.ts";
import { addressOf } from "./target.ts";
import type { Provider } from "../types.ts";

/** A body that is never whole in memory. */
export interface StreamedBody {
  /** Bytes: sent as content-length, for hosts that take no chunks. */
  length: number;
  /** A fresh stream for each time it is sent; destroyed when the call ends, however it ends. */
  open(): Readable;
}

export interface UpstreamRequest {
  provider: Provider;
  method: "GET" | "POST" | "PUT";
  /**
   * Below the provider's base URL, with a leading slash; or an absolute address that the provider answered with, on whatever origin:
   * the provider's key and headers go along (OPERATOR.md, the table of protocols).
   */
  path: string;
  body: string | Buffer | StreamedBody | null;
  contentType: string;
  accept: string;
  /** Beside the provider's own: name, value, name, value. */
  headers?: readonly string[];
  requestId: string;
  /** Whose turn it is where calls wait; absent: the gateway's own. */
  account?: bigint | undefined;
  signal: AbortSignal;
  /** For work that takes longer than answers do: the least time to the first byte, the body's way included, where the provider's own is shorter. */
  firstByteMs?: number;
}

/** An answer whose headers are here; its body is read by exactly one of the readers of `body`, or cancelled. */
export interface UpstreamAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: AnswerBody;
}

/** What is open right now; all zero once everything ended (sockets may be kept alive for the next call). */
export interface UpstreamGauge {
  calls: number;
  waiting: number;
  sockets: number;
}

export interface Upstream {
  /**
   * Resolves with the status line and headers, whatever the status; redirects are not followed. Rejects with
   * UpstreamError where there is no answer, with the signal's reason where it fired.
   */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>;
  gauge(): UpstreamGauge;
  /** Cuts every open call and socket. */
  close(): Promise<void>;
}

export interface UpstreamLimits {
  /**
   * Sockets an origin: about what one process can stream at once. With as many callers' sockets that is half of 4,096 descriptors,
   * the strictest usual hard limit, to which Node raises its own.
   */
  connections: number;
  /** Calls that may wait for a socket of an origin: a burst of four rounds, of mostly small bodies; each is held while it waits, hence the bound. */
  waiting: number;
  /**
   * Silence between two bytes of a body. Hosts that think send comments every 10 to 15 s; a minute is four of them
   * missed. What counts in mid-stream is the longer of this and the provider's own `timeout_ms`: an operator who grants
   * a slow host five minutes to its first byte grants it the same pauses later.
   */
  idleMs: number;
  /**
   * To a stream's first record, and from one to the next: comments keep idleMs away for ever. A host may think as long as a whole answer
   * may take, or as `timeout_ms` says where that is longer.
   */
  recordMs: number;
  /** A stream of records from its head to its end. */
  streamMs: number;
  connectMs: number;
  /** Origins beside those of the catalog file that answers of providers may point to at a time; a queue has one or two. */
  answeredOrigins: number;
}

const shippedLimits: UpstreamLimits = {
  connections: 1_024,
  waiting: 4_096,
  idleMs: 60_000,
  recordMs: wholeMs,
  streamMs: 3_600_000,
  connectMs: 10_000,
  answeredOrigins: 64,
};

/** Asked for here: a call that waits for a socket starts in the trace of whoever frees it. */
function headersOf({ headers = [] }: UpstreamRequest): readonly string[] {
  const traceparent = traceNow()?.traceparent ?? "";
  return traceparent === "" ? headers : [...headers, "traceparent", traceparent];
}

export function connectUpstreams(change: Partial<UpstreamLimits> = {}): Upstream {
  const limits = { ...shippedLimits, ...change };
  const origins = openOrigins(limits);
  let closed = false;
  return {
    async send(request) {
      request.signal.throwIfAborted();
      if (closed) throw new Error("The upstream connections are closed.");
      const address = addressOf(request);
      const { pool, slots } = origins.of(address);
      return await startCall(pool, slots, { ...request, path: address.path, headers: headersOf(request) }, limits);
    },
    gauge: () => origins.gauge(),
    async close() {
      closed = true;
      await origins.close();
    },
  };
}
