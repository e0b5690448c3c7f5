// One admitted call until its one settlement: charged, free because it failed, or charged for what it made its upstream do before its
// client disconnected (docs/behaviour/billing.md#ends). The first end settles; any later one does nothing.
import type { ErrorCode } from "../../generated/errors.ts";
import { operations, type OperationId } from "../../generated/operations.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { ApiError } from "../errors/fail.ts";
import { shownError } from "../errors/text.ts";
import { msSince, storableText } from "../ledger/usage-log.ts";
import type { Amount } from "../money.ts";
import { reportAttempts } from "../routing/attempt.ts";
import type { Candidate } from "../routing/candidates.ts";
import { type Ask, GatewayStopping, isDisconnected } from "./ask.ts";
import type { CountedCall } from "./admit.ts";
import { type Bill, type Hold, type LoggedCall, logRow, type Outcome, tokensOf } from "./log-row.ts";

/** A bill whose charge is committed, and the account's balance after it. */
export type Settled<Billed extends Bill> = Billed & { balance: Amount };

export interface PaidCall<Held extends Hold, Billed extends Bill> extends LoggedCall {
  hold: Held;
  /** All of the answer but its end goes out before it is charged. */
  isOut: boolean;
  answeredBy(candidate: Candidate): void;
  settle(bill: Billed, outcome: Outcome): Promise<Settled<Billed>>;
  /** Nothing is charged. `shown` is what the caller gets. */
  failed(code: ErrorCode, shown: { status: number; message: string }): Promise<void>;
}

interface CallParts<Held extends Hold, Billed extends Bill> {
  admitted: Resolved;
  stream: boolean;
  hold: Held;
  /** What the rate limits counted for it. */
  rate: CountedCall;
  /** The bill of a call that is free. */
  nothing: Billed;
  used: LoggedCall["used"];
}

export function openCall<Held extends Hold, Billed extends Bill>(
  context: Pick<Context, "ledger" | "log" | "countAttempt">,
  ask: Ask,
  { admitted, stream, hold, rate, nothing, used }: CallParts<Held, Billed>,
): PaidCall<Held, Billed> {
  let settled: Promise<Settled<Billed>> | null = null;
  const call: PaidCall<Held, Billed> = {
    ask,
    admitted,
    stream,
    hold,
    isOut: false,
    attempts: [],
    served: null,
    firstByteMs: null,
    connection: null,
    used,
    answeredBy(candidate) {
      call.served = candidate;
      call.firstByteMs = msSince(ask.since);
    },
    settle(bill, outcome) {
      if (settled !== null) return settled;
      reportAttempts(context, { request_id: ask.requestId }, call.attempts, bill.usage);
      rate.correct(tokensOf(bill));
      const owed = call.isOut || outcome.status === "aborted";
      const settlement = { accountId: ask.caller.accountId, id: hold.id, log: logRow(call, bill, outcome), owed };
      settled = context.ledger.settle(settlement).then((balance) => ({ ...bill, balance }));
      return settled;
    },
    async failed(code, { status, message }) {
      const error = { error_code: code, error_message: storableText(message) };
      await call.settle(nothing, { status: "failed", http_status: status, ...error, estimated: false });
    },
  };
  return call;
}

/** How a call ends without an answer. */
interface Ending {
  ask: Ask;
  /** The client disconnected. */
  disconnected(): Promise<void>;
  failed: PaidCall<Hold, Bill>["failed"];
}

/**
 * Ends a call whose answer did not begin and returns the error that the caller gets, in the operation's own codes. `own` returns
 * an error with a code of the operation's own; other errors as they are.
 */
export async function endUnserved(
  context: Pick<Context, "log">,
  call: Ending,
  thrown: unknown,
  own: (error: unknown) => unknown = (error) => error,
): Promise<unknown> {
  const error =
    thrown instanceof GatewayStopping ? new ApiError("overloaded", { cause: thrown }) : asDeclared(own(thrown), call.ask.operationId);
  await settleWithout(context, call, error);
  return error;
}

/** For errors that the caller no longer sees, or sees otherwise. Never rejects: where the database is unavailable, the hold ends by itself. */
export async function settleWithout({ log }: Pick<Context, "log">, call: Ending, error: unknown): Promise<void> {
  const { operationId, requestId, signal, stopping } = call.ask;
  const planned = error instanceof ApiError ? error : new ApiError("internal_error", {});
  try {
    if (isDisconnected(signal) && !stopping().aborted) await call.disconnected();
    else await call.failed(planned.code, shownError(planned, operations[operationId].dialect));
  } catch (cause) {
    log.error({ err: cause, request_id: requestId }, "a failed call could not be settled");
  }
}

/** Another model's answer costs its own price, at most what the requested model would have cost. */
export function atLesserPrice<Billed extends { cost: Amount }>(asked: Model, served: Model, at: (model: Model) => Billed): Billed {
  const own = at(asked);
  if (served === asked) return own;
  const other = at(served);
  return other.cost < own.cost ? other : own;
}

// Maps an upstream's refusal to the codes and statuses that the operation declares (spec/*.tsp, x-error-codes and x-error-statuses).
// src/routing/attempt.ts decides which fault it was, for all operations alike.

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
