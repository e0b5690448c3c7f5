// HTTP towards upstreams: one keep-alive pool an origin, bounded connections and waiting, deadlines, abort.
// What a path, a body or a status means is the adapters' business.
import type { IncomingHttpHeaders } from "node:http";
import { Pool } from "undici";
import type { AnswerBody } from "./answer-body.ts";
import { startCall } from "./http-call.ts";
import { openSlots, type Slots } from "./slots.ts";
import { targetOf } from "./target.ts";
import type { Provider } from "./types.ts";

export interface UpstreamRequest {
  provider: Provider;
  method: "GET" | "POST";
  /** Below the provider's base URL, with a leading slash. */
  path: string;
  body: string | Buffer | null;
  contentType: string;
  accept: string;
  /** Beside the provider's own: name, value, name, value. */
  headers?: readonly string[];
  requestId: string;
  signal: AbortSignal;
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
  connectMs: number;
}

const shippedLimits: UpstreamLimits = { connections: 1_024, waiting: 4_096, idleMs: 60_000, connectMs: 10_000 };

interface Origin {
  pool: Pool;
  slots: Slots;
}

export function connectUpstreams(change: Partial<UpstreamLimits> = {}): Upstream {
  const limits = { ...shippedLimits, ...change };
  // Origins come from the operator's catalog file alone, so their number needs no bound of its own.
  const origins = new Map<string, Origin>();
  let closed = false;

  function originOf(provider: Provider): Origin {
    const name = targetOf(provider).origin;
    let origin = origins.get(name);
    if (!origin) {
      origin = { pool: openPool(name, limits), slots: openSlots(limits.connections, limits.waiting) };
      origins.set(name, origin);
    }
    return origin;
  }

  return {
    async send(request) {
      request.signal.throwIfAborted();
      if (closed) throw new Error("The upstream connections are closed.");
      const { pool, slots } = originOf(request.provider);
      return await startCall(pool, slots, request, limits);
    },
    gauge() {
      const gauge: UpstreamGauge = { calls: 0, waiting: 0, sockets: 0 };
      for (const { pool, slots } of origins.values()) {
        gauge.calls += slots.taken();
        gauge.waiting += slots.waiting();
        gauge.sockets += pool.stats.connected;
      }
      return gauge;
    },
    async close() {
      closed = true;
      await Promise.all([...origins.values()].map(({ pool }) => pool.destroy()));
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
