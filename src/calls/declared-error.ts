// Maps an upstream's refusal to the codes and statuses that the operation declares (spec/*.tsp, x-error-codes and x-error-statuses).
// src/routing/attempt.ts decides which fault it was, for all operations alike.
import type { ErrorCode } from "../../generated/errors.ts";
import { operations, type OperationId } from "../../generated/operations.ts";
import { ApiError } from "../errors/fail.ts";

/** What replaces a code that the operation doesn't declare: the first of these that it does. They too say that sending it again changes nothing. */
const inPlaceOf: Partial<Record<ErrorCode, readonly ErrorCode[]>> = {
  route_refused: ["content_refused", "request_rejected", "invalid_request"],
  request_rejected: ["invalid_request"],
  upstream_invalid_response: ["tts_failed", "provider_error"],
  provider_unavailable: ["provider_error"],
  model_unavailable: ["provider_error"],
};

/** Other errors stay as they are. */
export function asDeclared(error: unknown, operation: OperationId): unknown {
  if (!(error instanceof ApiError)) return error;
  const { errors, statuses } = operations[operation];
  const code = errors.includes(error.code) ? error.code : (inPlaceOf[error.code]?.find((other) => errors.includes(other)) ?? error.code);
  const { status: given, ...details } = error.details;
  const declared = statuses?.[code];
  const status = declared === undefined ? (code === error.code ? given : undefined) : declared.includes(given ?? 0) ? given : declared[0];
  if (code === error.code && status === given) return error;
  return new ApiError(code, { ...details, ...(status === undefined ? {} : { status }) });
}
