// The headers of an error response. The inline types are deliberate: fuzzers read a header's schema without following references.
import type { Dialect } from "./catalogue.ts";
import type { Header } from "./document.ts";
import type { ErrorsOfStatus } from "./error-schemas.ts";

/** `counts`: the operation's calls count for the account's limits, so that also its other errors may say what is left. */
export function errorHeaders({ status, entries }: ErrorsOfStatus, envelope: Dialect["envelope"], counts: boolean): Record<string, Header> {
  const waits = entries.flatMap(({ row }) => row.retryAfterSec ?? []);
  return {
    "x-request-id": { description: "Id of this request; `error.request_id` repeats it.", required: true, schema: { type: "string" } },
    ...(envelope === "anthropic"
      ? {
          "request-id": {
            description: "The same id, under the name that Anthropic's clients read.",
            required: true,
            schema: { type: "string" },
          },
        }
      : {}),
    ...(entries.every(({ row }) => row.bare === true)
      ? {}
      : {
          "x-should-retry": {
            description: "Whether retrying the same request can help.",
            required: !entries.some(({ row }) => row.bare === true),
            schema: { type: "string", enum: ["true", "false"] },
            example: String(entries[0]!.row.retryable),
          },
        }),
    ...(waits.length > 0 ? { "retry-after": { description: "Seconds to wait.", schema: { type: "integer" }, example: waits[0] } } : {}),
    ...(entries.some(({ code }) => code === "rate_limit_exceeded")
      ? {
          "retry-after-ms": {
            description: "Milliseconds until the window has room again; only on `rate_limit_exceeded`.",
            schema: { type: "integer" },
            example: 1000,
          },
        }
      : {}),
    ...(status === 429 || counts ? rateLimitHeaders : {}),
  };
}

const rateLimitHeaders: Record<string, Header> = {
  "x-ratelimit-limit-requests": { description: "Requests per minute that the limit allows.", schema: { type: "integer" } },
  "x-ratelimit-remaining-requests": { description: "Requests left in this minute.", schema: { type: "integer" } },
  "x-ratelimit-reset-requests": {
    description: "Time until the limit is fully reset if no more requests are sent, such as `37s` or `1m12s`.",
    schema: { type: "string" },
  },
};
