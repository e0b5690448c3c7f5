// The trace that what runs now belongs to, carried along by Node itself, so that nothing between the edge and an upstream's socket need hand
// it on. Where tracing is off nothing ever enters a scope, and whoever asks gets undefined.
import { AsyncLocalStorage } from "node:async_hooks";
import type { Usage } from "../usage.ts";

export interface TraceScope {
  /** As W3C Trace Context writes it: the header of every call of an upstream that is made within. */
  traceparent: string;
  /** The span of one attempt at an upstream, a child of the scope. */
  openAttempt(route: string, upstreamModel: string): AttemptSpan;
}

export interface AttemptSpan {
  run<T>(call: () => Promise<T>): Promise<T>;
  /** The attempt's end; one that is never told of is never sent. */
  end(how: AttemptEnd): void;
}

export interface AttemptEnd {
  /** ok, a fault, interrupted, aborted or gateway_error. */
  outcome: string;
  /** The upstream's HTTP status. */
  status: number | null;
  /** To its answer or its fault. */
  latencyMs: number;
  /** What was charged for it; null: nothing. */
  usage: Usage | null;
}

const scopes = new AsyncLocalStorage<TraceScope>();

export function withinTrace<T>(scope: TraceScope, work: () => T): T {
  return scopes.run(scope, work);
}

/** Undefined: nothing is traced. */
export function traceNow(): TraceScope | undefined {
  return scopes.getStore();
}
