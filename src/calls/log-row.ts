// The row of the usage log that a call's settlement writes: what was asked for, who served it, what it was charged and how it ended.
import { type AttemptRecord, expenseOfAttempts, type LoggedPrices, msSince, type UsageLogRow } from "../ledger/usage-log.ts";
import type { Amount } from "../money.ts";
import type { AudioPrices } from "../pricing/audio-cost.ts";
import type { Used } from "../pricing/expense.ts";
import { attemptRecord } from "../routing/attempt-record.ts";
import type { Candidate } from "../routing/candidates.ts";
import { noUsage, type Usage } from "../usage.ts";
import type { Connected } from "./upstream-connection.ts";

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
  used(answered: boolean, charged: Usage): Used;
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
  const attempts = attemptRecords(call, usage ?? noUsage);
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
    ...(cacheWriteHour ? { cache_write_1h_tokens: cacheWriteHour } : {}),
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
  if (units !== undefined) row.units = units;
  if (unit !== undefined) row.unit = unit;
  if (ask.tags !== undefined) row.tags = ask.tags;
  return row;
}

export function tokensOf({ usage }: Pick<Bill, "usage">): number {
  return usage === null ? 0 : usage.input + usage.cacheRead + usage.cacheWrite + usage.output;
}

/** The last attempt is the one that answered, if any did. */
function attemptRecords({ attempts, connection, served, used }: LoggedCall, charged: Usage): AttemptRecord[] {
  return attempts.map((attempt, index) => {
    const { tokens } = attempt.candidate.model;
    const unsent = attempt.outcome === "aborted" && !(connection?.attempt === index && connection.sent);
    const record = attemptRecord(attempt, used(served !== null && index === attempts.length - 1, charged), unsent);
    return tokens === null ? record : { ...record, cost_basis: tokens.costBasis };
  });
}
