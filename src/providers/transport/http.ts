// HTTP towards upstreams: one keep-alive pool for each origin, bounded connections and waiting. call.ts makes the single call.
import { Pool } from "undici";
import { openSlots, type Slots } from "../../concurrency/slots.ts";
import { traceNow } from "../../tracing.ts";
import { authorizationFor } from "../credentials/authorize.ts";
import { UpstreamError } from "../errors/upstream-error.ts";
import { wholeMs } from "./body.ts";
import { startCall } from "./call.ts";
import { type Address, addressOf } from "./target.ts";
import type { Upstream, UpstreamAnswer, UpstreamGauge, UpstreamLimits, UpstreamRequest } from "./types.ts";

const shippedLimits: UpstreamLimits = {
  connections: 1_024,
  waiting: 4_096,
  idleMs: 60_000,
  recordMs: wholeMs,
  streamMs: 3_600_000,
  connectMs: 10_000,
  answeredOrigins: 64,
};

/** Read here, because a call that waits for a socket starts in the trace of the call that frees it. */
function headersOf({ headers = [] }: UpstreamRequest, added: readonly string[]): readonly string[] {
  const traceparent = traceNow()?.traceparent ?? "";
  return traceparent === "" && added.length === 0
    ? headers
    : [...headers, ...added, ...(traceparent === "" ? [] : ["traceparent", traceparent])];
}

export function connectUpstreams(change: Partial<UpstreamLimits> = {}): Upstream {
  const limits = { ...shippedLimits, ...change };
  const origins = openOrigins(limits);
  let closed = false;
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        request.signal.throwIfAborted();
        request.disconnect?.stopUpstream.throwIfAborted();
        if (closed) throw new Error("The upstream connections are closed.");
        const address = addressOf(request);
        const { pool, slots } = origins.of(address);
        const { authorize, onUnauthorized } = request.authorizer ?? request.provider;
        const answered = (answer: UpstreamAnswer) => {
          if (answer.status === 401 || answer.status === 403) onUnauthorized?.();
          resolve(answer);
        };
        const start = (added: readonly string[]) => {
          const call = { ...request, path: address.path, headers: headersOf(request, added) };
          startCall(pool, slots, call, limits, { resolve: onUnauthorized === undefined ? resolve : answered, reject });
        };
        if (authorize === undefined) start([]);
        else authorizationFor(request, address).then(start).catch(reject);
      }),
    gauge: () => origins.gauge(),
    async close() {
      closed = true;
      await origins.close();
    },
  };
}

// The pools of sockets, one for each origin, and their number.

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
  // Origins of base URLs come only from the operator's catalog file, so their number needs no bound.
  const named = new Map<string, Origin>();
  // Origins that answers pointed to, least recently used first.
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
        named.set(origin, found); // the catalog's origin shares the sockets
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
    pipelining: 1, // a slow answer must not delay another caller's
    allowH2: false, // one stream per socket: an abort closes it, and pausing it is the back-pressure
    connectTimeout: limits.connectMs,
    keepAliveTimeout: 4_000, // uvicorn (vLLM) closes an idle socket after 5 s without saying so; a host's hint wins
    keepAliveMaxTimeout: 300_000,
    headersTimeout: 0, // the call's own deadline covers waiting, connecting and headers
    maxHeaderSize: 65_536,
  });
}
