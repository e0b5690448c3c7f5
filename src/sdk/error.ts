// The one class that every failed call throws; `code` says what failed.
import type { ErrorCode, ErrorsByCode, JobErrorCode, OperationId, Operations, Refusal } from "../../generated/sdk/types.d.ts";

/**
 * Failures on the client's side, without an error answer of the gateway.
 * `connection_failed`: no answer came, or it broke off on its way. `timeout`: nothing came for `timeout` ms. `aborted`: by your signal.
 * `stream_interrupted`: the gateway said within a stream that the answer broke off. Nothing is charged; send the whole request again.
 * `unexpected_answer`: something else than the gateway answered, such as a proxy; `httpStatus` has its status.
 * `job_failed`: a job ended without a result and without a reason. `still_running`: a job took longer than
 * `maxWait` or could not be looked at, see `cause`; it goes on, and `body` is what was last known of it.
 */
export type LocalErrorCode =
  "connection_failed" | "timeout" | "aborted" | "stream_interrupted" | "unexpected_answer" | "job_failed" | "still_running";

/** Every code that a call can fail with. Newer gateways may have more. */
export type AnyErrorCode = ErrorCode | LocalErrorCode;

/** A failure on the client's side; don't rely on `status` and `body`, which may be null. */
export type LocalError = SvcError & { readonly status: null; readonly code: LocalErrorCode };

/** A job that ended without a result; `body` is the job. Nothing is charged. */
export type JobFailure<Job> = SvcError & { readonly status: null; readonly code: JobErrorCode | "job_failed"; readonly body: Job };

type NarrowedBy<C> = C extends keyof ErrorsByCode
  ? Readonly<ErrorsByCode[C]> | (C extends LocalErrorCode ? Readonly<Refusal<null, C, unknown>> : never)
  : { readonly code: C };

/** What an operation can fail with: one member per status with its codes and its body, and the client-side failures. */
export type OperationError<Op extends OperationId> = (SvcError & Readonly<Operations[Op]["error"]>) | LocalError;

/** The parts of an error. */
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
  /** The gateway's HTTP status; null if the gateway did not answer. */
  declare readonly status: number | null;
  /** HTTP status of the gateway or of a proxy in between; null if nothing answered. */
  declare readonly httpStatus: number | null;
  /** Stable word to branch on. */
  declare readonly code: AnyErrorCode;
  /** Category of the error, such as `billing_error`; null for client-side failures. */
  declare readonly type: string | null;
  /** Request field at fault, such as `messages[0].role`; null if none. */
  declare readonly param: string | null;
  /** Whether sending the same request again can help. Safe retries have already been made. */
  declare readonly retryable: boolean;
  /** Milliseconds that the gateway asks to wait before a retry; null if it doesn't say. */
  declare readonly retryAfterMs: number | null;
  /** Request id, for support and for `usage.receipt`; null if nothing answered. */
  declare readonly requestId: string | null;
  /** Page that explains the code; null for client-side failures. */
  declare readonly docUrl: string | null;
  /** Headers of the answer; null if nothing answered. */
  declare readonly headers: Headers | null;
  /** Body of the answer, parsed if it was JSON; the job, if a job failed; null if there is none. */
  declare readonly body: unknown;

  constructor({ message, cause, ...fields }: ErrorFields) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, { name: "SvcError", retryable: false }, nothing, fields);
  }

  /**
   * Whether a thrown value is a failure of a call and, if codes are given, has one of them: `if (SvcError.is(error, "model_requires_paid"))
   * console.log(error.body.need_usd)`. A job may fail with a code that requests have too, such as `insufficient_credits`: there
   * `error.status === 402` tells them apart.
   */
  static is(error: unknown): error is SvcError;
  static is<C extends AnyErrorCode>(error: unknown, ...codes: [C, ...C[]]): error is SvcError & NarrowedBy<C>;
  static is(error: unknown, ...codes: string[]): boolean {
    // Compares the name, because two copies of this package may be in one program.
    const { name, code } = Object(error) as { name?: unknown; code?: unknown };
    return name === "SvcError" && (codes.length === 0 || codes.includes(code as string));
  }
}
