// OpenTelemetry traces: a server span for each request, a client span for each attempt, sent in batches as OTLP over HTTP. The queue is
// bounded: a slow or unavailable collector costs spans, never a request.
import { createNoopMeter, type Meter, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace, TraceFlags } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { type AttemptSpan, type RequestFacts, type TraceScope, type Tracing, type TracingOptions, withinTrace } from "../tracing.ts";

/** Some 4 MB. */
const queueMax = 4_096;
const batchMax = 512;
const batchPauseMs = 2_000;
const exportMs = 10_000;

type Context = typeof ROOT_CONTEXT;

export function openTracing({ url, sampler, addMetric }: TracingOptions): Tracing {
  const provider = new TracerProvider({
    // Names and attributes that the operator sets win over ours (OTEL_SERVICE_NAME, OTEL_RESOURCE_ATTRIBUTES).
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "svc-gateway" }))
      .merge(detectResources({ detectors: [serviceInstanceIdDetector, resourceAttributesEnvDetector, serviceNameEnvDetector] })),
    sampler: samplerOf(sampler),
    spanLimits: { attributeValueLengthLimit: 256 },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url }),
        maxQueueSize: queueMax,
        maxExportBatchSize: batchMax,
        scheduledDelayMillis: batchPauseMs,
        exportTimeoutMillis: exportMs,
        selfObsMeterProvider: { getMeter: () => countSpans(addMetric) },
      }),
    ],
  });
  const tracer = provider.getTracer("svc-gateway");
  const scopeOf = (span: Span | null, context: Context): TraceScope => ({
    traceparent: span === null ? "" : traceparentOf(span),
    openAttempt: (route, model) => openAttempt(route, model, context),
  });

  function openAttempt(route: string, model: string, parent: Context): AttemptSpan {
    const startedAt = Date.now();
    const attributes = { "svc.route": route, "gen_ai.request.model": model };
    const span = tracer.startSpan(`attempt ${route}`, { kind: SpanKind.CLIENT, attributes, startTime: startedAt }, parent);
    return {
      run: (call) => withinTrace(scopeOf(span, trace.setSpan(parent, span)), call),
      end({ outcome, status, latencyMs, usage }) {
        span.setAttribute("svc.outcome", outcome);
        span.setAttribute("svc.answer_ms", latencyMs);
        if (status !== null) span.setAttribute("http.response.status_code", status);
        if (usage !== null) {
          span.setAttribute("gen_ai.usage.input_tokens", usage.input + usage.cacheRead + usage.cacheWrite);
          span.setAttribute("gen_ai.usage.output_tokens", usage.output);
        }
        if (outcome !== "ok" && outcome !== "aborted") fail(span, outcome);
        // The span of a successful attempt is reported at the end of its answer, also of a stream.
        span.end(outcome === "ok" || outcome === "interrupted" ? Date.now() : startedAt + latencyMs);
      },
    };
  }

  return {
    begin(method, traceparent) {
      const parent = contextOf(traceparent);
      const span = tracer.startSpan(method, { kind: SpanKind.SERVER, startTime: Date.now() }, parent);
      const scope = scopeOf(span, trace.setSpan(parent, span));
      return { run: (work) => withinTrace(scope, work), end: (facts) => endRequest(span, facts) };
    },
    resume(traceparent, work) {
      const context = contextOf(traceparent ?? undefined);
      return withinTrace({ ...scopeOf(null, context), traceparent: traceparent ?? "" }, work);
    },
    async close(graceMs) {
      const timer = Promise.withResolvers<void>();
      const timeout = setTimeout(timer.resolve, graceMs);
      // An unavailable collector must not fail anything else.
      await Promise.race([provider.shutdown().catch(() => undefined), timer.promise]);
      clearTimeout(timeout);
    },
  };
}

/** Names of OpenTelemetry's HTTP conventions. A path may hold a key, so only its template is reported. */
function endRequest(span: Span, { method, route, operation, status, code, model, requestId }: RequestFacts): void {
  span.updateName(route === null ? method : `${method} ${route}`);
  span.setAttributes({ "http.request.method": method, "url.scheme": "http", "svc.request_id": requestId });
  if (route !== null) span.setAttribute("http.route", route);
  if (operation !== null) span.setAttribute("svc.operation", operation);
  if (model !== null) span.setAttribute("svc.model", model);
  if (status === null) span.setAttribute("error.type", "client_disconnected");
  else span.setAttribute("http.response.status_code", status);
  if (code !== null) span.setAttribute("svc.error_code", code);
  if (status !== null && status >= 500) fail(span, code ?? String(status));
  span.end(Date.now());
}

function fail(span: Span, type: string): void {
  span.setAttribute("error.type", type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED) === 0 ? "00" : "01"}`;
}

/** W3C Trace Context: later versions are read like the first; an invalid traceparent starts a new trace. */
const traceparentForm = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

function contextOf(traceparent: string | undefined): Context {
  const [, traceId, spanId, flags] = traceparentForm.exec(traceparent ?? "") ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  });
}

function samplerOf({ parentBased, ratio }: TracingOptions["sampler"]) {
  const root = ratio >= 1 ? new AlwaysOnSampler() : ratio <= 0 ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(ratio);
  return parentBased ? new ParentBasedSampler({ root }) : root;
}

/** The processor's own counters, for /metrics: spans sent and spans lost. */
function countSpans(addMetric: TracingOptions["addMetric"]) {
  const spans = { sent: 0, failed: 0, dropped: 0 };
  addMetric(
    { name: "svc_trace_spans_total", help: "Spans sent, refused by the collector, or dropped from a full queue", type: "counter" },
    () => Object.entries(spans).map(([outcome, value]) => ({ labels: { outcome }, value })),
  );
  const processed = {
    add(count: number, attributes: Record<string, unknown> = {}) {
      const error = attributes["error.type"];
      spans[error === undefined ? "sent" : error === "queue_full" ? "dropped" : "failed"] += count;
    },
  };
  // The no-op span is shared.
  return Object.assign(Object.create(createNoopMeter()) as Meter, { createCounter: () => processed });
}
