// What an upstream refused, in the codes and statuses that the operation declares (spec/*.tsp, x-error-codes and x-error-statuses).
// Which fault it was is decided in src/routing/attempt.ts, for all operations alike.
import type { ErrorCode } from "../../generated/errors.ts";
import { operations, type OperationId } from "../../generated/operations.ts";
import { ApiError } from "../errors/fail.ts";

/**
 * What stands in for a code that the operation doesn't declare: the first of these that it does. Of what was refused, sending it again
 * changes nothing.
 */
const inPlaceOf: Partial<Record<ErrorCode, readonly ErrorCode[]>> = {
  route_refused: ["content_refused", "request_rejected", "invalid_request"],
  request_rejected: ["invalid_request"],
  upstream_invalid_response: ["tts_failed", "provider_error"],
  provider_unavailable: ["provider_error"],
  model_unavailable: ["provider_error"],
};

/** Any other error stays as it is. */
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
