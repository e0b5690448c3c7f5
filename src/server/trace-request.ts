// One span a request of the API, where tracing is on; probes, pages and files are nobody's trace.
import type { IncomingMessage } from "node:http";
import type { RequestSpan, Tracing } from "../telemetry/tracing.ts";
import type { Edge, Exchange } from "./edge.ts";

/** The methods that OpenTelemetry's conventions know; any other word is the caller's own text. */
const knownMethods = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

export function traceRequest(tracing: Tracing, req: IncomingMessage): RequestSpan | null {
  const { traceparent } = req.headers;
  if (!req.url?.startsWith("/v1/")) return null;
  return tracing.begin(methodOf(req), typeof traceparent === "string" ? traceparent : undefined);
}

/** A model is told of where the catalog knows it: a caller may write anything there. */
export function endTrace({ context }: Edge, span: RequestSpan, { req, res, operation, code, model, requestId }: Exchange): void {
  const { models, aliases } = context.catalog;
  span.end({
    method: methodOf(req),
    route: operation?.path ?? null,
    operation: operation?.id ?? null,
    status: res.headersSent ? res.statusCode : null,
    code,
    model: model !== null && (models.has(model) || aliases.has(model)) ? model : null,
    requestId,
  });
}

function methodOf({ method = "" }: IncomingMessage): string {
  return knownMethods.has(method) ? method : "_OTHER";
}
