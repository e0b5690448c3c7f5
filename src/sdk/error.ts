// What a failed call throws, whatever failed: one class, told apart by `code`.
import type { ErrorCode, ErrorsByCode, JobErrorCode, OperationId, Operations, Refusal } from "../../generated/sdk/types.d.ts";

/**
 * Failures that are not error responses of the gateway.
 * `connection_failed`: no answer came, or the connection failed during the answer. `timeout`: nothing came for `timeout` ms. `aborted`: by
 * your signal. `stream_interrupted`: the gateway reported in a stream that the answer was interrupted; send the whole
 * request again. `unexpected_answer`: something other than the gateway answered, such as a proxy; `httpStatus` has its status.
 * `job_failed`: a job ended without a result and without a reason. `still_running`: a job took longer than `maxWait` or could not be polled,
 * see `cause`; the job continues, and `body` is its last known state.
 */
export type LocalErrorCode =
  "connection_failed" | "timeout" | "aborted" | "stream_interrupted" | "unexpected_answer" | "job_failed" | "still_running";

/** Every code of a failed call. Newer gateways may have more. */
export type AnyErrorCode = ErrorCode | LocalErrorCode;

/** A failure on the client side: `status` is null; do not rely on `body`. */
export type LocalError = SvcError & { readonly status: null; readonly code: LocalErrorCode };

/** A job that ended without a result; `body` is the job. Nothing is charged. */
export type JobFailure<Job> = SvcError & { readonly status: null; readonly code: JobErrorCode | "job_failed"; readonly body: Job };

type NarrowedBy<C> = C extends keyof ErrorsByCode
  ? Readonly<ErrorsByCode[C]> | (C extends LocalErrorCode ? Readonly<Refusal<null, C, unknown>> : never)
  : { readonly code: C };

/** The errors of an operation: one member per status with its codes and its body, and the failures on the client side. */
export type OperationError<Op extends OperationId> = (SvcError & Readonly<Operations[Op]["error"]>) | LocalError;

/** The fields of an error. */
export interface ErrorFields {
  message: string;
  code: string;
  status?: number | null;
  httpStatus?: number | null;
  type?: string | null;
  param?: string | null;
  retryable?: boolean;
  requestId?: string | null;
  docUrl?: string | null;
  retryAfterMs?: number | null;
  headers?: Headers | null;
  body?: unknown;
  cause?: unknown;
}

const nothing = {
  status: null,
  httpStatus: null,
  type: null,
  param: null,
  retryAfterMs: null,
  requestId: null,
  docUrl: null,
  headers: null,
  body: null,
};

/** Every failure of a call. Branch on `code`; `SvcError.is` narrows the type. */
export class SvcError extends Error {
  /** Status of the gateway's error response; null if the failure is not one. */
  declare readonly status: number | null;
  /** Status of any response, also of a proxy; null if there was none. */
  declare readonly httpStatus: number | null;
  /** Stable code to branch on. */
  declare readonly code: AnyErrorCode;
  /** Category of the error, such as `billing_error`; null for failures on the client side. */
  declare readonly type: string | null;
  /** The request field that caused the error, such as `messages[0].role`; else null. */
  declare readonly param: string | null;
  /** Whether retrying the same request can help. Safe retries have already been made. */
  declare readonly retryable: boolean;
  /** Milliseconds to wait before the next attempt, as the gateway asks; else null. */
  declare readonly retryAfterMs: number | null;
  /** Id of the request, for support and for `usage.receipt`; null if there was no response. */
  declare readonly requestId: string | null;
  /** Page that explains the code; null for failures on the client side. */
  declare readonly docUrl: string | null;
  /** Headers of the response; null if there was none. */
  declare readonly headers: Headers | null;
  /** Body of the response, parsed if it is JSON; the job, if a job failed; else null. */
  declare readonly body: unknown;

  constructor({ message, cause, ...fields }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { name: "SvcError", retryable: false }, nothing, fields);
  }

  /**
   * Whether a thrown value is a failed call and, if you pass codes, has one of them:
   * `if (SvcError.is(error, "model_requires_paid")) console.log(error.body.need_usd)`. A job can fail with a code that requests have too, such
   * as `insufficient_credits`: then `error.status === 402` tells them apart.
   */
  static is(error: unknown): error is SvcError;
  static is<C extends AnyErrorCode>(error: unknown, ...codes: [C, ...C[]]): error is SvcError & NarrowedBy<C>;
  static is(error: unknown, ...codes: string[]): boolean {
    // By name: two copies of this package may meet in one program.
    const { name, code } = Object(error) as { name?: unknown; code?: unknown };
    return name === "SvcError" && (codes.length === 0 || codes.includes(code as string));
  }
}
