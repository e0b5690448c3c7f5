// UpstreamError: a failed upstream call. Its fault is for routing, its cause for the operator.
import type { components } from "../../../generated/api.d.ts";

/**
 * Why an upstream did not serve. Routing decides from it alone (docs/behaviour/providers.md#faults):
 * - unavailable: connection, timeout, 5xx, 408, 529: next route; counts for the breaker, except a 408
 * - rate_limited: 429: next route; a 4xx never counts for the breaker
 * - unreadable: a 200 that can't be understood: next route, counts, except a malformed output of the model; a 200 that holds an error is classified by that error
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
  /** The connection broke, without an answer, while a large body may have been on its way: a host that finds it too large may do that. */
  readonly cutUpload: boolean;

  constructor(
    fault: UpstreamFault,
    reason: string,
    options: Partial<Pick<UpstreamError, "status" | "retryAfterMs" | "param" | "job" | "failure" | "cutUpload">> & { cause?: unknown } = {},
  ) {
    super(`${fault}: ${reason}`, { cause: options.cause });
    this.fault = fault;
    this.reason = reason;
    this.status = options.status ?? null;
    this.retryAfterMs = options.retryAfterMs ?? null;
    this.param = options.param ?? null;
    this.job = options.job ?? null;
    this.failure = options.failure ?? null;
    this.cutUpload = options.cutUpload ?? false;
  }
}

/** Statuses with a cause of their own; the others share one per hundred, so that the metric's label stays bounded. */
const knownStatuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503, 504, 529] as const;

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
  "malformed_output",
  "too_large",
  "ended_early",
  "slow_reader",
  "file",
  "failed",
  "credentials",
  "clock_skew",
  "not_sent",
  "local_overload",
  "breaker_open",
  "disabled",
  "gateway_error",
] as const;

export type FailureCause = (typeof failureCauses)[number];

// Why an attempt failed, for the operator: a cause from a closed list and a sentence. Callers see neither.

/** Longer sentences are cut. */
const detailCharacters = 500;

/** The failure recorded with the error, else one derived from fault and status. The sentence is safe to store and log. */
export function failureOf(error: UpstreamError): Failure {
  const { cause, detail } = error.failure ?? derivedFrom(error);
  return { cause, detail: detail.slice(0, detailCharacters).replaceAll("\0", "").toWellFormed() };
}

function derivedFrom(error: UpstreamError): Failure {
  if (error.cause instanceof UpstreamError) return failureOf(error.cause); // the same failure, worded for the caller
  return { cause: causeOf(error), detail: error.reason };
}

/**
 * The model's own tool call, or all that it wrote, is malformed, and nothing of it can be shown. A caller's tools can bring it about: not the route's
 * fault (docs/behaviour/providers.md#faults).
 */
export function malformedOutput(): UpstreamError {
  const detail = "the model's own output is malformed";
  return new UpstreamError("unreadable", detail, { status: 200, failure: { cause: "malformed_output", detail } });
}

export function isMalformedOutput(error: UpstreamError): boolean {
  return error.failure?.cause === "malformed_output";
}

/** The provider had the request, and an answer may have been under way. */
export function isTimedOut({ cause }: Failure): boolean {
  return cause === "timeout_first_byte" || cause === "timeout_idle" || cause === "timeout_answer";
}

export function tooLarge(bytesMax: number): UpstreamError {
  const detail = `the answer is larger than ${bytesMax} bytes`;
  return new UpstreamError("unreadable", detail, { failure: { cause: "too_large", detail } });
}

export function isTooLarge(error: UpstreamError): boolean {
  return failureOf(error).cause === "too_large";
}

/** A host that gave up because our caller read too slowly: not its fault (docs/behaviour/streams.md#disconnects). */
export function slowReaderFault(cause: UpstreamError): UpstreamError {
  const detail = "the caller read so slowly that the provider gave up";
  return new UpstreamError(cause.fault, detail, { status: cause.status, failure: { cause: "slow_reader", detail }, cause });
}

export function isSlowReader(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.failure?.cause === "slow_reader";
}

/** For logs: what was thrown. An upstream's own sentence may quote a prompt, and prompts stay out of logs. */
export function withoutWords(error: unknown): Record<string, unknown> {
  return error instanceof UpstreamError
    ? { fault: error.fault, upstream_status: error.status, ...failureWithoutText(error) }
    : { err: error };
}

function failureWithoutText(error: UpstreamError): { cause: FailureCause; detail?: string } {
  const { cause, detail } = failureOf(error);
  return /^(?:http_\w+|error_in_answer|failed|not_sent)$/.test(cause) ? { cause } : { cause, detail };
}

function causeOf({ fault, status }: UpstreamError): FailureCause {
  if (fault === "local_overload" || fault === "failed") return fault;
  if (fault === "unreadable" && (status === null || status < 300)) return fault;
  if (status === null) return fault === "unavailable" ? "connection_failed" : "not_sent";
  if (status < 300) return "error_in_answer";
  const known = knownStatuses.find((one) => one === status);
  if (known !== undefined) return `http_${known}`;
  return status < 400 ? "http_3xx" : status < 500 ? "http_4xx" : "http_5xx";
}

/** Describes a socket error by its code and address. Its own message may quote a header and is never repeated. */
export function socketFailure(error: Error): Failure {
  const { code, address, port, hostname, reason } = error as SocketError;
  const word = typeof code === "string" && /^[A-Z][A-Z0-9_]{2,60}$/.test(code) ? code : error.name;
  const [cause, sentence] = socketCauses[word] ?? causeOfFamily(word);
  const peer = hostname ?? (address === undefined ? undefined : `${address}${port === undefined ? "" : `:${port}`}`);
  const names = cause === "tls_hostname" && typeof reason === "string" ? `: ${reason.slice(0, 300).trim()}` : "";
  return { cause, detail: `${sentence} (${peer === undefined ? word : `${word} ${peer}`})${names}` };
}

interface SocketError extends Error {
  code?: unknown;
  address?: string;
  port?: number;
  hostname?: string;
  /** Of a certificate error: the names that the certificate covers. */
  reason?: unknown;
}

function causeOfFamily(code: string): readonly [FailureCause, string] {
  if (/^EAI_/.test(code)) return ["dns", "the host's name could not be looked up"];
  if (/^CERT_|CERTIFICATE|_CERT(?:_|$)|CRL/.test(code)) return ["tls_untrusted", "the certificate is not trusted"];
  if (/^ERR_(?:SSL|TLS)_|^EPROTO$/.test(code)) return ["tls_failed", "no secure connection could be agreed on"];
  if (/^HPE_/.test(code)) return ["unreadable", "the answer is not HTTP"];
  return ["connection_failed", "the connection failed"];
}

const socketCauses: Readonly<Record<string, readonly [FailureCause, string]>> = {
  ECONNREFUSED: ["connection_refused", "nothing listens there"],
  ECONNRESET: ["connection_reset", "the connection was reset"],
  EPIPE: ["connection_reset", "the connection was reset"],
  UND_ERR_SOCKET: ["connection_reset", "the connection was closed"],
  ENOTFOUND: ["dns", "there is no host of this name"],
  CERT_HAS_EXPIRED: ["tls_expired", "the certificate has expired"],
  DEPTH_ZERO_SELF_SIGNED_CERT: ["tls_self_signed", "the certificate is self-signed"],
  SELF_SIGNED_CERT_IN_CHAIN: ["tls_self_signed", "the certificate's chain ends with a self-signed one"],
  ERR_TLS_CERT_ALTNAME_INVALID: ["tls_hostname", "the certificate is for another host"],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ["tls_untrusted", "the certificate's chain is not complete"],
  UND_ERR_CONNECT_TIMEOUT: ["timeout_connect", "no connection in time"],
  ETIMEDOUT: ["timeout_connect", "no connection in time"],
  UND_ERR_HEADERS_TIMEOUT: ["timeout_first_byte", "no answer in time"],
  UND_ERR_BODY_TIMEOUT: ["timeout_idle", "the answer stopped arriving"],
};
