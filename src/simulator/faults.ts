// The faults that replace an answer: refusals by status, and bodies that aren't what was asked for.
// Faults that break an answer half way (cut, end, stall, error record) stand in send.ts.
import type { Directives } from "./directive-list.ts";
import { jsonReply, type SimulatorProtocol, type WholeReply } from "./protocol.ts";
import type { Refusal } from "./request-fields.ts";

/** What real hosts call these statuses; any other is a server or request error by its class. */
const byStatus: Record<number, { type: string; code: string | null; message: string }> = {
  401: { type: "invalid_request_error", code: "invalid_api_key", message: "Incorrect API key provided." },
  402: { type: "insufficient_balance", code: "insufficient_balance", message: "Insufficient balance." },
  403: { type: "permission_error", code: "permission_denied", message: "This key may not use this model." },
  404: { type: "invalid_request_error", code: "model_not_found", message: "The model does not exist or you do not have access to it." },
  408: { type: "timeout", code: null, message: "The request timed out." },
  413: { type: "invalid_request_error", code: "request_too_large", message: "The request is too large." },
  429: { type: "rate_limit_error", code: "rate_limit_exceeded", message: "Rate limit reached. Please try again later." },
  503: { type: "server_error", code: null, message: "The server is overloaded. Please try again later." },
  529: { type: "overloaded_error", code: null, message: "Overloaded." },
};

/** Null where the directives name no fault of this kind. `streaming` faults of the body become faults of the first record. */
export function faultReply(
  directives: Directives,
  protocol: SimulatorProtocol,
  promise: { streaming: boolean; body: Buffer | null },
): WholeReply | null {
  const status = directives.fail ?? directives.status;
  if (directives.html) return htmlReply(status ?? 200);
  if (directives.empty && (status !== undefined || !promise.streaming)) return emptyReply(status ?? 200);
  const met = refusalOf(directives, status);
  const refusal = met === null ? null : (protocol.rewordRefusal?.(met) ?? met);
  if (refusal !== null) return jsonReply(refusal.status, protocol.renderRefusal({ ...refusal, directives }), refusal.headers);
  if (promise.streaming) return null;
  if (directives.okError || directives.errorAfter !== undefined) return jsonReply(200, renderStreamError(protocol, directives));
  if (directives.badJson && promise.body !== null)
    return jsonReply(200, promise.body.subarray(0, Math.ceil(promise.body.length / 2)).toString("latin1"));
  return null;
}

/** What an error says that comes inside a stream or under a 200. */
const streamError: Refusal = {
  status: 500,
  type: "server_error",
  code: "internal_error",
  message: "The model stopped working on this request.",
};

export function renderStreamError(protocol: SimulatorProtocol, directives: Directives): string {
  return protocol.renderRefusal({ ...(protocol.rewordRefusal?.(streamError) ?? streamError), directives });
}

function refusalOf(directives: Directives, status: number | undefined): Refusal | null {
  if (directives.refuse || directives.refuseStatus) {
    const code = directives.refuseStatus === 403 ? "content_policy_violation" : "content_filter";
    return {
      status: directives.refuseStatus ?? 400,
      type: "invalid_request_error",
      code,
      param: "messages",
      message: "The request was refused by the content policy.",
    };
  }
  if (directives.reject || directives.rejectStatus) {
    const message = "Unsupported value: 'temperature' does not support this value with this model.";
    return {
      status: directives.rejectStatus ?? 400,
      type: "invalid_request_error",
      code: "unsupported_value",
      param: "temperature",
      message,
    };
  }
  if (directives.context) {
    const message =
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens. Please reduce their length.";
    return { status: 400, type: "invalid_request_error", code: "context_length_exceeded", param: "messages", message };
  }
  if (directives.quota) {
    return {
      status: 429,
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota, please check your plan.",
    };
  }
  if (directives.baseResp !== undefined)
    return { status: 200, type: "base_resp", code: String(directives.baseResp), message: "The simulator was told so." };
  if (status === undefined) return null;
  const fallback = status < 500 ? { type: "invalid_request_error", code: null } : { type: "server_error", code: null };
  const row = byStatus[status] ?? { ...fallback, message: `The simulator was told to fail with ${status}.` };
  const retryAfter = directives.retryAfter ?? (status === 429 ? 1 : undefined);
  return { status, ...row, headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter) } };
}

/** What a load balancer in front of a model says when the model is away. */
function htmlReply(status: number): WholeReply {
  const body = Buffer.from("<html><head><title>Bad gateway</title></head><body><h1>Bad gateway</h1></body></html>\n");
  return { kind: "whole", status, body, headers: { "content-type": "text/html", "content-length": String(body.length) } };
}

function emptyReply(status: number): WholeReply {
  return { kind: "whole", status, body: Buffer.alloc(0), headers: { "content-type": "application/json", "content-length": "0" } };
}
