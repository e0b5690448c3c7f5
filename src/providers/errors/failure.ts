// Why an attempt failed, for the operator: a cause from a closed list and a sentence. Callers see neither.
import { knownStatuses, type Failure, type FailureCause, UpstreamError } from "./upstream-error.ts";

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

/** For logs: leaves out an upstream's own sentence, which may quote a prompt. */
export function failureWithoutText(error: UpstreamError): { cause: FailureCause; detail?: string } {
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
