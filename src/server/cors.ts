// CORS: which headers a page may read, and the answer to a preflight. Any origin may call, because credentials are in headers that
// a page has to set; cookies are never accepted across origins.
import type { IncomingHttpHeaders } from "node:http";
import type { Headers } from "../operation.ts";

/** All headers of the contract's replies beyond those that browsers expose anyway. */
const exposed = [
  "x-request-id",
  "request-id",
  "retry-after",
  "retry-after-ms",
  "x-should-retry",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
];

export function exposedHeaders(contractHeaders: Iterable<string>): string {
  const own = [...contractHeaders]
    .map((name) => name.toLowerCase())
    .filter((name) => name.startsWith("x-svc-") || name.startsWith("x-litellm-") || name.startsWith("x-ratelimit-"));
  return [...new Set([...exposed, ...own.sort()])].join(", ");
}

/** A day, though browsers cap it lower: the answer never changes while the server runs. */
const preflightSec = 86_400;

export function preflightHeaders(asked: IncomingHttpHeaders, allow: string): Headers {
  const requested = asked["access-control-request-headers"] ?? "";
  return {
    allow,
    "access-control-allow-origin": "*",
    "access-control-allow-methods": allow,
    // `*` does not cover authorization, so the requested names are echoed.
    "access-control-allow-headers": /^[A-Za-z0-9!#$%&'*+.^_`|~, -]{1,4096}$/.test(requested) ? requested : "*",
    "access-control-max-age": String(preflightSec),
    vary: "origin, access-control-request-method, access-control-request-headers",
  };
}
