// One admitted call from its hold to its one settlement: charged, free because it failed, or charged for what was delivered before its client
// disconnected (docs/behaviour/billing.md#ends). The first end settles; any later one does nothing.
import { type ErrorCode, errors } from "../../generated/errors.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { type AttemptRecord, expenseOfAttempts, msSince, storableText, type UsageLogRow } from "../ledger/usage-log.ts";
import type { CountedCall } from "../limits/call.ts";
import { type Amount, million, toUsd, usdFromPrice, usdText } from "../money.ts";
import { tokenCost } from "../pricing/token-cost.ts";
import type { Tally } from "../providers/types.ts";
import { type Attempt, reportAttempts } from "../routing/attempt.ts";
import { attemptRecord } from "../routing/attempt-record.ts";
import type { Candidate } from "../routing/candidates.ts";
import { noUsage, type Usage } from "../usage.ts";
import { tokenPricesOf } from "./admit.ts";
import { withinWindows } from "./context-window.ts";
import { countedOutputTokens, type PromptSize } from "./prompt-size.ts";
import type { Hold } from "./reserve.ts";

interface CallFacts {
  operation: string;
  requestId: string;
  receivedAt: Date;
  /** As performance.now() counts, in ms. */
  since: number;
  stream: boolean;
}

/** What was charged, for the answer's usage block and the log. */
export interface Bill {
  /** The model whose prices apply. */
  model: Model;
  usage: Usage;
  cost: Amount;
  cacheDiscount: Amount;
}

export interface OpenCall {
  admitted: Resolved;
  hold: Hold;
  size: PromptSize;
  /** src/routing/attempt.ts appends to it. */
  attempts: Attempt[];
  served: Candidate | null;
  /** The stream that it answers with. */
  source: { tally: Tally } | null;
  firstByteMs: number | null;
  /** The answer is complete. Without `usage` from the upstream, `counted` is charged, at most the hold. */
  complete(usage: Usage | null, counted: () => Promise<Usage>): Promise<Bill>;
  /** The client disconnected; it pays for what was delivered. */
  aborted(delivered: Usage, measured: boolean): Promise<void>;
  /** Nothing is charged. `shown` is what the caller gets. */
  failed(code: ErrorCode, shown: { status: number; message: string }): Promise<void>;
  /** The stream failed after its head was sent. Nothing is charged. */
  interrupted(): Promise<void>;
}

interface CallParts {
  caller: Caller;
  facts: CallFacts;
  admitted: Resolved;
  hold: Hold;
  size: PromptSize;
  /** What the rate limits counted for it. */
  rate: CountedCall;
}

export function openCall(
  context: Pick<Context, "ledger" | "log" | "countAttempt">,
  { caller, facts, admitted, hold, size, rate }: CallParts,
): OpenCall {
  const asked = admitted.model;
  const nothing: Bill = { model: asked, usage: noUsage, cost: 0n, cacheDiscount: 0n };
  let settled: Promise<Bill> | null = null;

  const settle = (bill: Bill, outcome: Outcome): Promise<Bill> => {
    if (settled !== null) return settled;
    reportAttempts(context, { request_id: facts.requestId }, call.attempts, bill.usage);
    rate.correct(tokensOf(bill.usage));
    const log = logRow(caller, facts, call, bill, outcome);
    settled = context.ledger.settle({ accountId: caller.accountId, id: hold.id, log }).then(() => bill);
    return settled;
  };

  const call: OpenCall = {
    admitted,
    hold,
    size,
    attempts: [],
    served: null,
    source: null,
    firstByteMs: null,
    async complete(usage, counted) {
      const bill = billOf(asked, call.served, usage ?? (await counted()), hold.inputMax);
      if (usage !== null && (bill.cost > hold.granted || withinWindows(usage, hold.inputMax) !== usage))
        reportOverrun(context.log, facts, call, bill);
      return settle(usage === null ? atMost(hold.granted, bill) : bill, {
        status: "success",
        http_status: 200,
        ...noError,
        estimated: usage === null,
      });
    },
    async aborted(delivered, measured) {
      const bill = delivered.output > 0 || measured ? atMost(hold.granted, billOf(asked, call.served, delivered, hold.inputMax)) : nothing;
      await settle(bill, { status: "aborted", http_status: 499, ...noError, estimated: !measured });
    },
    async failed(code, { status, message }) {
      const error = { error_code: code, error_message: storableText(message) };
      await settle(nothing, { status: "failed", http_status: status, ...error, estimated: false });
    },
    interrupted: () => call.failed("stream_interrupted", { status: 200, message: errors.stream_interrupted.message }),
  };
  return call;
}

type Outcome = Pick<UsageLogRow, "status" | "http_status" | "error_code" | "error_message" | "estimated">;

const noError = { error_code: null, error_message: null };

function tokensOf({ input, cacheRead, cacheWrite, output }: Usage): number {
  return input + cacheRead + cacheWrite + output;
}

/** Another model's answer costs its own price, at most what the requested model would have cost. */
function billOf(asked: Model, served: Candidate | null, usage: Usage, inputMax: number): Bill {
  const own = billAt(asked, usage, inputMax);
  if (served === null || served.layer !== 3) return own;
  const other = billAt(served.model, usage, inputMax);
  return other.cost < own.cost ? other : own;
}

/** The bill shows usage as it was measured, and charges what fits into the window. */
function billAt(model: Model, usage: Usage, inputMax: number): Bill {
  return { model, usage, ...tokenCost(tokenPricesOf(model), withinWindows(usage, inputMax)) };
}

/**
 * Measured usage is charged as far as its input fills the context window, even above its hold. Usage above either is the fault of an upstream
 * or of the catalog, such as a window that is too small there: the operator should look at it.
 */
function reportOverrun(log: Context["log"], { requestId }: CallFacts, { hold, served }: OpenCall, { usage, cost }: Bill): void {
  log.error(
    { request_id: requestId, route: served?.routeId, reserved: usdText(hold.granted), cost: usdText(cost), usage },
    "usage above its reservation",
  );
}

/** An estimate never bills above its hold. */
function atMost(limit: Amount, bill: Bill): Bill {
  return bill.cost <= limit ? bill : { ...bill, cost: limit };
}

function logRow(caller: Caller, facts: CallFacts, call: OpenCall, { model: charged, usage, cost }: Bill, outcome: Outcome): UsageLogRow {
  const { admitted, hold, served } = call;
  const prices = tokenPricesOf(charged);
  const attempts = attemptRecords(call, usage);
  return {
    account_id: String(caller.accountId),
    created_at: facts.receivedAt,
    id: hold.id,
    request_id: facts.requestId,
    key_id: caller.keyId === null ? null : String(caller.keyId),
    operation: facts.operation,
    model: admitted.model.id,
    model_type: admitted.model.type,
    alias: admitted.alias,
    served_model: served !== null && served.layer === 3 ? served.model.id : null,
    ...outcome,
    input_tokens: usage.input,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    output_tokens: usage.output,
    reasoning_tokens: usage.reasoning,
    cost: String(cost),
    reserved: String(hold.granted),
    prices: {
      model: charged.id,
      input: String(prices.input),
      output: String(prices.output),
      cached: prices.cached === null ? null : String(prices.cached),
      per_request: String(prices.perRequest),
      ...(prices.step === 1n ? {} : { step: String(prices.step) }),
    },
    attempts,
    expense: expenseOfAttempts(attempts),
    stream: facts.stream,
    fallback_layer: served === null || served.layer === 0 ? null : served.layer,
    latency_ms: msSince(facts.since),
    first_byte_ms: call.firstByteMs,
  };
}

/** The last attempt is the one that answered, where any did; the others may have been billed for the prompt. */
function attemptRecords(call: OpenCall, usage: Usage): AttemptRecord[] {
  const prompt = { ...noUsage, input: call.size.tokensLikely };
  return call.attempts.map((attempt, index) => {
    const answered = call.served !== null && index === call.attempts.length - 1;
    return { ...attemptRecord(attempt, { usage: answered ? usageUpstream(call, usage) : prompt }), cost_basis: costBasis(attempt) };
  });
}

/** What an upstream bills for an answer of which nothing was charged: an interrupted stream's tokens so far. */
function usageUpstream({ source, size }: OpenCall, charged: Usage): Usage {
  if (tokensOf(charged) > 0 || source === null) return charged;
  const { usage, prompt, deltas, characters } = source.tally;
  const counted = { input: size.tokensLikely, cacheRead: 0, cacheWrite: 0 };
  return usage ?? { ...(prompt ?? counted), output: countedOutputTokens(deltas, characters), reasoning: 0 };
}

function costBasis({ candidate: { model } }: Attempt): NonNullable<AttemptRecord["cost_basis"]> {
  const prices = tokenPricesOf(model);
  const perMillion = (price: bigint) => usdFromPrice(price, million);
  return {
    input: perMillion(prices.input),
    output: perMillion(prices.output),
    cached: prices.cached === null ? null : perMillion(prices.cached),
    per_request: toUsd(prices.perRequest),
  };
}
