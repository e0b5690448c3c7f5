// HTTP towards upstreams: one keep-alive pool an origin, bounded connections and waiting, deadlines, abort (origins.ts, http-call.ts).
// What a path, a body or a status means is the adapters' business.
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";
import { Pool } from "undici";
import { openSlots, type Slots } from "../../concurrency/slots.ts";
import { traceNow } from "../../telemetry/tracing.ts";
import { type Provider, UpstreamError } from "../types.ts";
import { type AnswerBody, wholeMs } from "./body.ts";
import { startCall } from "./call.ts";
import { type Address, addressOf } from "./target.ts";

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

// The pools of sockets, one an origin, and how many there may be. What goes over them is http-call.ts's.

interface Origin {
  pool: Pool;
  slots: Slots;
}

interface Origins {
  /** Throws UpstreamError where no further origin may be opened. */
  of(address: Address): Origin;
  gauge(): UpstreamGauge;
  close(): Promise<void>;
}

function openOrigins(limits: UpstreamLimits): Origins {
  // Origins of base URLs come from the operator's catalog file alone, so their number needs no bound of its own.
  const named = new Map<string, Origin>();
  // Origins that answers pointed to: the longest unused first.
  const answered = new Map<string, Origin>();

  function open(origin: string): Origin {
    return { pool: openPool(origin, limits), slots: openSlots(limits.connections, limits.waiting) };
  }

  function makeRoom(): void {
    if (answered.size < limits.answeredOrigins) return;
    for (const [name, { pool, slots }] of answered) {
      if (slots.taken() + slots.waiting() > 0) continue;
      answered.delete(name);
      void pool.destroy();
      return;
    }
    throw new UpstreamError("local_overload", "too many addresses that providers answered with are being called");
  }

  return {
    of({ origin, answered: isAnswered }) {
      const known = named.get(origin) ?? answered.get(origin);
      if (known === undefined && isAnswered) makeRoom();
      const found = known ?? open(origin);
      if (!isAnswered) {
        named.set(origin, found); // its sockets are the same, whichever way it was first come to
        answered.delete(origin);
      } else if (!named.has(origin)) {
        answered.delete(origin);
        answered.set(origin, found);
      }
      return found;
    },
    gauge() {
      const gauge: UpstreamGauge = { calls: 0, waiting: 0, sockets: 0 };
      for (const { pool, slots } of [...named.values(), ...answered.values()]) {
        gauge.calls += slots.taken();
        gauge.waiting += slots.waiting();
        gauge.sockets += pool.stats.connected;
      }
      return gauge;
    },
    async close() {
      await Promise.all([...named.values(), ...answered.values()].map(({ pool }) => pool.destroy()));
    },
  };
}

function openPool(origin: string, limits: UpstreamLimits): Pool {
  return new Pool(origin, {
    connections: limits.connections,
    pipelining: 1, // a slow answer must not stand before another caller's
    allowH2: false, // one stream a socket: an abort closes a socket, and pausing it is the back-pressure
    connectTimeout: limits.connectMs,
    keepAliveTimeout: 4_000, // uvicorn, under vLLM, closes an idle socket after 5 s and doesn't say so; a host's hint wins
    keepAliveMaxTimeout: 300_000,
    headersTimeout: 0, // the call's own deadline covers waiting, connecting and headers together
    maxHeaderSize: 65_536,
  });
}
