// The interface of tracing. open-tracing.ts implements it and is loaded only where a collector is configured.
import { AsyncLocalStorage } from "node:async_hooks";
import type { TracesConfig } from "./config.ts";
import type { Usage } from "./usage.ts";
import type { MetricFacts, Sample } from "./telemetry/plain-metric.ts";

export interface Tracing {
  /** Opens the span of a request; `traceparent`: its caller's header. */
  begin(method: string, traceparent: string | undefined): RequestSpan;
  /** Continues the trace of a request that was answered before, as a media job does; null: it was not traced, and `work` begins a trace. */
  resume<T>(traceparent: string | null, work: () => T): T;
  /** Sends the queued spans, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface RequestSpan {
  run<T>(work: () => T): T;
  end(facts: RequestFacts): void;
}

/** Contains none of the caller's own text, except valid-looking ids of a request and of a model. */
export interface RequestFacts {
  method: string;
  /** The path's template; null: no operation. */
  route: string | null;
  operation: string | null;
  /** Null: the client disconnected before there was a status. */
  status: number | null;
  code: string | null;
  model: string | null;
  requestId: string;
}

/** What main.ts needs to open it (open-tracing.ts). */
export interface TracingOptions extends TracesConfig {
  addMetric(facts: MetricFacts, read: () => Sample[]): void;
}

// The current trace, carried along by Node's AsyncLocalStorage, so that no code between the server and an upstream's socket has to pass
// it on. Where tracing is off there is no scope, and the current one is undefined.

export interface TraceScope {
  /** In W3C Trace Context's format: the header of every upstream call within this scope. */
  traceparent: string;
  /** The span of one attempt at an upstream, a child of the scope. */
  openAttempt(route: string, upstreamModel: string): AttemptSpan;
}

export interface AttemptSpan {
  run<T>(call: () => Promise<T>): Promise<T>;
  /** Ends the attempt's span; a span that is never ended is never sent. */
  end(how: AttemptEnd): void;
}

interface AttemptEnd {
  /** ok, a fault, interrupted, aborted or gateway_error. */
  outcome: string;
  /** The upstream's HTTP status. */
  status: number | null;
  /** The time to its answer or its fault. */
  latencyMs: number;
  /** The charge; null: nothing. */
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
