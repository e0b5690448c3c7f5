// The errors of the queue and of its runs, as replies: the failure of a work, and refusals of a submit in the queue's words.
import type { Directives } from "../directive-list.ts";
import { jsonReply, type WholeReply } from "../protocol.ts";
import type { Refusal } from "../request-fields.ts";
import { failureRow, type FailureType, failureTypes, policyWords } from "./failure-types.ts";

/** Why a work failed; `field` and `message` override the row's. */
export interface Failure {
  type: FailureType;
  field?: string;
  message?: string;
}

/** The failure that the directives ask for; null: the work succeeds. */
export function requestedFailure(directives: Directives): Failure | null {
  if (directives.jobError !== undefined) return { type: failureTypes[directives.jobError]! };
  if (directives.jobPolicy === undefined) return null;
  const messages = {
    nsfw: "Nudity (NSFW) was detected.",
    likeness: "The likeness of a real person was detected.",
    unsafe: "The prompt is unsafe.",
  };
  return { type: "content_policy_violation", message: messages[policyWords[directives.jobPolicy]!] };
}

export function renderFailure({ type, field, message }: Failure): WholeReply {
  const row = failureRow(type);
  const text = message ?? row.message;
  if (row.by === "request") return jsonReply(row.status, JSON.stringify({ detail: text, error_type: type }), { "x-fal-error-type": type });
  const place = field ?? row.field;
  return modelError(row.status, type, place === undefined ? ["body"] : ["body", place], text);
}

/** A run's failure in words that no table lists. */
export function renderOtherFailure(directives: Directives): WholeReply | null {
  const text = "The simulator was told that this work fails.";
  if (directives.jobFail !== undefined) return jsonReply(directives.jobFail, JSON.stringify({ detail: text }));
  if (directives.jobMessage !== undefined) return jsonReply(directives.jobMessage, JSON.stringify({ message: text }));
  return null;
}

function modelError(status: number, type: string, loc: string[], msg: string): WholeReply {
  const detail = [{ loc, msg, type, url: `https://docs.fal.ai/errors#${type}` }];
  return jsonReply(status, JSON.stringify({ detail }), { "x-fal-retryable": String(status >= 500) });
}

/** A refusal of a submit; a fault's code becomes the queue's type of error for it. */
export function renderRefusal({ message, code, type, param }: Refusal): string {
  if (type === "model_error") return JSON.stringify({ detail: [{ loc: ["body", param ?? "prompt"], msg: message, type: code }] });
  return JSON.stringify({ detail: message, ...(code === null ? {} : { error_type: code }) });
}

export function rewordRefusal(refusal: Refusal): Refusal {
  const model = { status: 422, type: "model_error", headers: { "x-fal-retryable": "false" } };
  switch (refusal.code) {
    case "content_filter":
    case "content_policy_violation":
      return { ...refusal, ...model, code: "content_policy_violation", param: "prompt" };
    case "unsupported_value":
      return { ...refusal, ...model, code: "one_of", param: "aspect_ratio", message: "Input should be one of the listed values." };
    case "context_length_exceeded":
      return { ...refusal, ...model, code: "string_too_long", param: "prompt", message: "String should have at most 5000 characters" };
    case "insufficient_quota":
      return { ...refusal, status: 403, code: null, message: "User is locked. Reason: Exhausted balance." };
    case "invalid_api_key":
      return { ...refusal, code: null, message: "No user found for Key ID and Secret" };
    case "rate_limit_exceeded":
      return { ...refusal, code: "concurrency_limit", headers: { ...refusal.headers, "x-fal-error-type": "concurrency_limit" } };
    case "unknown_directive":
    case "unknown_url":
      return refusal;
    default:
      return { ...refusal, code: null };
  }
}
