// What an upstream refused, in the codes and statuses that the operation declares (spec/*.tsp, x-error-codes and x-error-statuses).
// Which fault it was is decided in src/routing/attempt.ts, for all operations alike.
import { operations, type OperationId } from "../../generated/operations.ts";
import { ApiError } from "../fail.ts";

/** Any other error stays as it is. */
export function asDeclared(error: unknown, operation: OperationId): unknown {
  if (!(error instanceof ApiError)) return error;
  const { errors, statuses } = operations[operation];
  // Where no code says that the content was refused, it is a value that the model doesn't take: sending it again changes nothing.
  const code = error.code === "route_refused" && !errors.includes(error.code) ? "request_rejected" : error.code;
  const declared = statuses?.[code];
  const status = declared === undefined || declared.includes(error.details.status ?? 0) ? error.details.status : declared[0];
  if (code === error.code && status === error.details.status) return error;
  return new ApiError(code, { ...error.details, ...(status === undefined ? {} : { status }) });
}
