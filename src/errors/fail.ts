// How code refuses: fail(code, …) throws an ApiError. The catalogue (spec/errors/errors.tsp) says what a code means, src/errors/text.ts
// gives its status and sentence, src/server/render-error.ts the rest of its answer.
import type { ErrorCode } from "../../generated/errors.ts";

/** What one refusal adds to its row of the catalogue. */
export interface FailDetails {
  /** Request field at fault, e.g. `messages[0].role`. */
  param?: string | null;
  /** Replaces the row's message by one that was given before, e.g. of a job. */
  message?: string;
  /** Values for the {placeholders} of the row's message. */
  text?: Record<string, string | number>;
  /** Fields beside `error` in the body, e.g. need_usd, did_you_mean. */
  extra?: Record<string, unknown>;
  /** Fields inside `error`, e.g. suggested_models on route_refused. */
  inside?: Record<string, unknown>;
  /** The status, for the few rows that may answer with more than one. */
  status?: number;
  /** True time to wait; becomes Retry-After (whole seconds, rounded up) and, on rate_limit_exceeded, retry-after-ms. */
  retryAfterMs?: number;
  /** True time until a window has room, for retry-after-ms; Retry-After stays the row's. */
  windowMs?: number;
  headers?: Record<string, string>;
  cause?: unknown;
}

export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly details: FailDetails;

  constructor(code: ErrorCode, details: FailDetails) {
    super(code, { cause: details.cause });
    this.code = code;
    this.details = details;
  }
}

/** The most common refusal: one field, and what is wrong with it. */
export function failParameter(param: string, reason: string): never {
  return fail("invalid_parameter", { param, text: { param, reason } });
}

/** What was asked can't be done in the present state. */
export function failNotPossible(reason: string): never {
  return fail("not_possible", { text: { reason } });
}

export function fail(code: ErrorCode, details: FailDetails = {}): never {
  throw new ApiError(code, details);
}
