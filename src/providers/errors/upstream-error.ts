// UpstreamError: a failed upstream call. Its fault is for routing, its cause for the operator.
import type { components } from "../../../generated/api.d.ts";

/**
 * Why an upstream did not serve. Routing decides from it alone (docs/behaviour/providers.md#faults):
 * - unavailable: connection, timeout, 5xx, 408, 529: next route; counts for the breaker, except a 408
 * - rate_limited: 429: next route; a 4xx never counts for the breaker
 * - unreadable: a 200 that can't be understood: next route, counts; a 200 that holds an error is classified by that error
 * - our_fault: 401, 402, bare 403, quota: our own account: next route, never shown to the caller
 * - gone: 404: next route
 * - refused: the content was refused: next route, doesn't count
 * - rejected: 400, 413, 422, or (without a status) what the other dialect can't express: the caller's parameters: no further route, shown
 *   to the caller; routing/attempt.ts has the exceptions
 * - local_overload: too many of our own calls wait for the provider; says nothing about it
 * - failed: accepted work failed at the upstream: not tried again
 */
export type UpstreamFault =
  "unavailable" | "rate_limited" | "unreadable" | "our_fault" | "gone" | "refused" | "rejected" | "local_overload" | "failed";

/** A failure as the operator sees it. */
export interface Failure {
  cause: FailureCause;
  /** A sentence without secrets; the upstream's own where it sent one. */
  detail: string;
}

type JobErrorCode = components["schemas"]["JobErrorCode"];

export class UpstreamError extends Error {
  readonly fault: UpstreamFault;
  /** The upstream's HTTP status; null where there was none. */
  readonly status: number | null;
  /** The upstream's sentence, without secrets; callers see it for `rejected` and `refused` only. */
  readonly reason: string;
  readonly retryAfterMs: number | null;
  /** The request field that the upstream blames, where it names one. */
  readonly param: string | null;
  /** The job's error code, where the upstream says more than the fault does, and the upstream's own word (null where it has none). */
  readonly job: { code: JobErrorCode; word: string | null } | null;
  /** Set where fault and status don't say what happened; read it through failureOf. */
  readonly failure: Failure | null;

  constructor(
    fault: UpstreamFault,
    reason: string,
    options: Partial<Pick<UpstreamError, "status" | "retryAfterMs" | "param" | "job" | "failure">> & { cause?: unknown } = {},
  ) {
    super(`${fault}: ${reason}`, { cause: options.cause });
    this.fault = fault;
    this.reason = reason;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.param = options.param ?? null;
    this.job = options.job ?? null;
    this.failure = options.failure ?? null;
  }
}

/** Statuses with a cause of their own; the others share one per hundred, so that the metric's label stays bounded. */
export const knownStatuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529] as const;

/** All causes; the operator's guide explains each. */
export const failureCauses = [
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

export type FailureCause = (typeof failureCauses)[number];
