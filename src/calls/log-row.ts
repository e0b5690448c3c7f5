// The row of the usage log that a call's settlement writes: what was asked for, who served it, what it was charged and how it ended.
import { type AttemptRecord, expenseOfAttempts, type LoggedPrices, msSince, type UsageLogRow } from "../ledger/usage-log.ts";
import type { Amount } from "../money.ts";
import type { AudioPrices } from "../pricing/audio-cost.ts";
import { expenseOf, type Used } from "../pricing/expense.ts";
import type { Candidate } from "../routing/candidates.ts";
import { noUsage, type Usage } from "../usage.ts";
import type { Connected } from "./upstream-connection.ts";
import type { FailureCause } from "../providers/errors/upstream-error.ts";
import type { Attempt } from "../routing/attempt.ts";

export interface Hold {
  id: string;
  granted: Amount;
}

/** A call as its row tells of it. */
export interface LoggedCall extends Connected {
  stream: boolean;
  hold: Hold;
  /** Whose answer was taken last; null before any was. */
  served: Candidate | null;
  firstByteMs: number | null;
  /** What an attempt made its upstream do; `answered`: it is the one that answered, and this was charged for it. */
  used(answered: boolean, charged: ChargedUsage, attempt: Attempt): Used;
}

/** What a call was charged for; `estimated`: its upstream measured nothing. */
export interface ChargedUsage extends Pick<Outcome, "estimated"> {
  usage: Usage;
}

/** What a call is charged. */
export interface Bill {
  cost: Amount;
  /** The prices that apply: those of the requested model, or of a fallback that cost less. */
  prices: LoggedPrices | AudioPrices;
  /** Null where tokens are not billed. */
  usage: Usage | null;
  /** What is billed instead of tokens, in the unit of the prices. */
  units?: number;
  unit?: AudioPrices["unit"];
}

export type Outcome = Pick<UsageLogRow, "status" | "http_status" | "error_code" | "error_message" | "estimated">;

export const noError = { error_code: null, error_message: null };
/** How a call ends whose caller has disconnected. */
export const aborted = { status: "aborted", http_status: 499 } as const;

export function logRow(call: LoggedCall, { cost, prices, usage, units, unit }: Bill, outcome: Outcome): UsageLogRow {
  const { ask, admitted, hold, served } = call;
  const { model, alias } = admitted;
  const { input, cacheRead, cacheWrite, cacheWriteHour, output, reasoning } = usage ?? noUsage;
  const attempts = attemptRecords(call, { usage: usage ?? noUsage, estimated: outcome.estimated });
  // Without spreads, which would add a third to it.
  const row: UsageLogRow = {
    account_id: String(ask.caller.accountId),
    created_at: ask.receivedAt,
    id: hold.id,
    request_id: ask.requestId,
    key_id: ask.caller.keyId === null ? null : String(ask.caller.keyId),
    operation: ask.operationId,
    model: model.id,
    model_type: model.type,
    alias,
    served_model: served === null || served.model === model ? null : served.model.id,
    status: outcome.status,
    http_status: outcome.http_status,
    error_code: outcome.error_code,
    error_message: outcome.error_message,
    estimated: outcome.estimated,
    input_tokens: input,
    cache_read_tokens: cacheRead,
    cache_write_tokens: cacheWrite,
    output_tokens: output,
    reasoning_tokens: reasoning,
    cost: String(cost),
    reserved: String(hold.granted),
    prices,
    attempts,
    expense: expenseOfAttempts(attempts),
    stream: call.stream,
    fallback_layer: served === null || served.layer === 0 ? null : served.layer,
    latency_ms: msSince(ask.since),
    first_byte_ms: call.firstByteMs,
  };
  if (cacheWriteHour) row.cache_write_1h_tokens = cacheWriteHour;
  if (units !== undefined) row.units = units;
  if (unit !== undefined) row.unit = unit;
  if (ask.tags !== undefined) row.tags = ask.tags;
  return row;
}

export function tokensOf({ usage }: Pick<Bill, "usage">): number {
  return usage === null ? 0 : usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** The last attempt is the one that answered, if any did. */
function attemptRecords({ attempts, connection, served, used }: LoggedCall, charged: ChargedUsage): AttemptRecord[] {
  return attempts.map((attempt, index) => {
    const { tokens } = attempt.candidate.model;
    const unsent = attempt.outcome === "aborted" && !(connection?.attempt === index && connection.sent);
    const record = attemptRecord(attempt, used(served !== null && index === attempts.length - 1, charged, attempt), unsent);
    return tokens === null ? record : { ...record, cost_basis: tokens.costBasis };
  });
}

// An attempt as the usage log stores it, with what it cost the operator (docs/behaviour/billing.md#expenses).

/** `used`: what its provider measured, else the most that it is likely to bill. `unsent`: its caller disconnected before the request was sent. */
export function attemptRecord(attempt: Attempt, used: Used, unsent = false) {
  const { candidate, outcome, status, latencyMs, responseId, answers, failure, credential, refused } = attempt;
  const { routeId, model, route, choice } = candidate;
  const cost = route.cost === null ? {} : { cost: String(!unsent && isBilled(attempt) ? expenseOf(route.cost, used) : 0n) };
  const response = responseId === null ? {} : { response_id: responseId };
  const requests = answers > 1 || (answers === 1 && failure !== null) ? { requests: answers } : {};
  const by = credential === undefined ? {} : { credential, ...(refused === undefined ? {} : { refused }) };
  const chosen = choice === undefined ? {} : { choice };
  return {
    route: routeId,
    model: model.id,
    outcome,
    status,
    latency_ms: latencyMs,
    ...by,
    ...response,
    ...requests,
    ...failure,
    ...cost,
    ...chosen,
  };
}

/** Providers bill no call that they didn't get or answered with an error. They bill what they made, read to its end or not. */
function isBilled({ outcome, failure }: Attempt): boolean {
  return failure === null || outcome === "interrupted" || workLost.has(failure.cause);
}

/** The provider had the request, and an answer was made or under way. */
const workLost: ReadonlySet<FailureCause> = new Set([
  "timeout_first_byte",
  "timeout_idle",
  "timeout_answer",
  "connection_reset",
  "unreadable",
  "malformed_output",
  "too_large",
  "ended_early",
  "slow_reader",
  "file",
]);
