// A failed upstream call: what went wrong, as routing needs to know it, and why, as its operator needs to know it.
import type { components } from "../../../generated/api.d.ts";

/**
 * Why an upstream did not serve; what to do next follows from it alone (WIRE.md 10.3):
 * - unavailable: connection, time-out, 5xx, 408, 529: next route; counts for the breaker, but for the 408
 * - rate_limited: 429: next route; a 4xx never counts for the breaker
 * - unreadable: a 200 that can't be understood: next route, counts; one that says it is an error is judged by what it says
 * - our_fault: 401, 402, bare 403, quota: our own account's trouble: next route, never shown to the caller
 * - gone: 404: next route
 * - refused: the content was refused: next route, doesn't count
 * - rejected: 400, 413, 422, or without a status what this dialect can't say: the caller's parameters: no further route, shown to the
 *   caller; but see the rules of routing/attempt.ts
 * - local_overload: too many of our own calls wait for the provider; says nothing of it
 * - failed: work that the upstream had accepted has failed there: nothing is tried again
 */
export type UpstreamFault =
  "unavailable" | "rate_limited" | "unreadable" | "our_fault" | "gone" | "refused" | "rejected" | "local_overload" | "failed";

/** A failure as its operator sees it. */
export interface Trouble {
  cause: TroubleCause;
  /** A sentence without secrets: the upstream's own where it said one. */
  detail: string;
}

type JobErrorCode = components["schemas"]["JobErrorCode"];

export class UpstreamError extends Error {
  readonly fault: UpstreamFault;
  /** The upstream's HTTP status; null where there was none. */
  readonly status: number | null;
  /** The upstream's own sentence, without secrets; shown to callers for `rejected` and `refused` only. */
  readonly reason: string;
  readonly retryAfterMs: number | null;
  /** The request field that the upstream found at fault, where it named one. */
  readonly param: string | null;
  /** Why a job failed, where more is known than the fault says, and the upstream's own word for it; null: it said none. */
  readonly job: { code: JobErrorCode; word: string | null } | null;
  /** Where fault and status don't say what happened; read it by troubleOf. */
  readonly trouble: Trouble | null;

  constructor(
    fault: UpstreamFault,
    reason: string,
    options: Partial<Pick<UpstreamError, "status" | "retryAfterMs" | "param" | "job" | "trouble">> & { cause?: unknown } = {},
  ) {
    super(`${fault}: ${reason}`, { cause: options.cause });
    this.fault = fault;
    this.reason = reason;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.param = options.param ?? null;
    this.job = options.job ?? null;
    this.trouble = options.trouble ?? null;
  }
}

/** Statuses that have a word of their own; the rest of their hundred share one, so that a metric's label stays bounded. */
export const knownStatuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529] as const;

/** Every word there is, as the operator's page explains them. */
export const troubleCauses = [
  "connection_refused",
  "connection_reset",
  "connection_failed",
  "dns",
  "tls_expired",
  "tls_self_signed",
  "tls_hostname",
  "tls_untrusted",
  "tls_failed",
  "timeout_connect",
  "timeout_first_byte",
  "timeout_idle",
  "timeout_answer",
  ...knownStatuses.map((status) => `http_${status}` as const),
  "http_3xx",
  "http_4xx",
  "http_5xx",
  "error_in_answer",
  "unreadable",
  "ended_early",
  "file",
  "failed",
  "not_sent",
  "local_overload",
  "breaker_open",
  "gateway_error",
] as const;

export type TroubleCause = (typeof troubleCauses)[number];
