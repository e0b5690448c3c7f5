// What the rest of the gateway knows of traces; open-tracing.ts, which does it, is loaded where a collector is configured alone.
import type { TracesConfig } from "../config.ts";
import type { MetricFacts, Sample } from "./plain-metric.ts";

export interface Tracing {
  /** A request has come; `traceparent`: its caller's header. */
  begin(method: string, traceparent: string | undefined): RequestSpan;
  /** Goes on in the trace of a request that was answered before, as a media job does; null: it was not traced, and `work` begins a trace. */
  resume<T>(traceparent: string | null, work: () => T): T;
  /** Sends what waits, within `graceMs`. */
  close(graceMs: number): Promise<void>;
}

export interface RequestSpan {
  run<T>(work: () => T): T;
  end(facts: RequestFacts): void;
}

/** Nothing of it is the caller's own text, but for the id of a request and of a model that look like one. */
export interface RequestFacts {
  method: string;
  /** The path's template; null: no operation's. */
  route: string | null;
  operation: string | null;
  /** Null: the client left before there was one. */
  status: number | null;
  code: string | null;
  model: string | null;
  requestId: string;
}

/** What main.ts needs to open it (open-tracing.ts). */
export interface TracingOptions extends TracesConfig {
  addMetric(facts: MetricFacts, read: () => Sample[]): void;
}
