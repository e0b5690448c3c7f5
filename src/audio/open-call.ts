// One audio call from its admission to its one settlement: gate, rate, slot and hold, then charged, or free because it failed
// (docs/behaviour/billing.md#ends). Its cost is known before it begins, or as soon as a recording is measured. The first end settles; any
// later one does nothing.
import type { ErrorCode } from "../../generated/errors.ts";
import { operations } from "../../generated/operations.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Ask } from "../admission/ask.ts";
import { asDeclared } from "../admission/declared-error.ts";
import { assertMayUse, refuseBalance, refuseKey } from "../admission/payment.ts";
import type { Resolved } from "../catalog/resolve.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Model } from "../catalog/types.ts";
import { GatewayStopping, isLeft } from "../concurrency/stopping.ts";
import type { Context } from "../context.ts";
import { ApiError, fail } from "../errors/fail.ts";
import { shownError } from "../errors/text.ts";
import { uuidv7 } from "../ids.ts";
import type { Reserved, Slot } from "../ledger/ledger.ts";
import { expenseOfAttempts, msSince, storableText, type UsageLogRow } from "../ledger/usage-log.ts";
import { countCall, orGiveBack } from "../limits/call.ts";
import { type AudioKind, slotOf } from "../limits/slots.ts";
import type { Amount } from "../money.ts";
import { type AudioCharge, audioCost } from "../pricing/audio-cost.ts";
import { usedByAudio } from "../pricing/expense.ts";
import { type Attempt, reportAttempts } from "../routing/attempt.ts";
import { attemptRecord } from "../routing/attempt-record.ts";
import type { Candidate } from "../routing/candidates.ts";

export interface AudioPlan {
  asked: Resolved;
  /** Null: the call needs no slot. */
  slot: AudioKind | null;
  stream: boolean;
}

/** The charge, and the account's balance after it. */
export interface AudioBill {
  charge: AudioCharge;
  cost: Amount;
  balance: Amount;
}

interface Answered {
  candidate: Candidate;
  afterMs: number;
}

export interface AudioCall {
  plan: AudioPlan;
  hold: AudioHold;
  /** What was asked for, whether or not it is charged. */
  planned: AudioCharge;
  /** src/routing/attempt.ts appends to it. */
  attempts: Attempt[];
  /** Whose answer was taken last (`answeredBy`); null before any was. */
  readonly answered: Answered | null;
  answeredBy(candidate: Candidate): void;
  /** Raises the hold to a higher cost. Where that can't be paid, the call is refused and uncounted, and its hold stays as it was. */
  raise(charge: AudioCharge): Promise<void>;
  /** The audio is whole. The charge is committed when it resolves. */
  complete(charge: AudioCharge): Promise<AudioBill>;
  /** The client disconnected. `delivered` is what it pays for; null: nothing. */
  aborted(delivered: AudioCharge | null): Promise<void>;
  /** Nothing is charged. `shown` is what the caller gets. */
  failed(code: ErrorCode, shown: { status: number; message: string }): Promise<void>;
}

type Opening = Pick<Context, "db" | "catalog" | "ledger" | "limits" | "clock" | "log" | "countAttempt" | "publicUrl">;

/**
 * `priced` returns the cost, or the least that it can be. It runs after the rate limit has counted and before anything is held, so that a
 * recording that can't be measured is uncounted again. Fails with model_requires_paid, permission_denied, rate_limit_exceeded,
 * audio_concurrent_limit, insufficient_credits or key_limit_reached, or as `priced` does.
 */
export async function openAudioCall(
  context: Opening,
  ask: Ask,
  plan: AudioPlan,
  priced: () => AudioCharge | Promise<AudioCharge>,
): Promise<AudioCall> {
  const { model } = plan.asked;
  const { catalog } = context;
  await assertMayUse(context, ask.caller, model);
  const tier = tierOf(catalog, ask.caller.purchased);
  const rate = await countCall(context, { ...ask, model, tokens: { input: 0, output: 0 } });
  const reserving = async () => {
    const slot = plan.slot === null ? null : slotOf(catalog.tiers, tier, plan.slot);
    const charge = await priced();
    return { charge, hold: await reserveAudio(context, ask.caller, model, audioCost(charge), slot) };
  };
  const { charge, hold } = await orGiveBack(rate, reserving());
  let settled: Promise<AudioBill> | null = null;

  const settle = (charge: AudioCharge, outcome: Outcome): Promise<AudioBill> => {
    if (settled !== null) return settled;
    reportAttempts(context, { request_id: ask.requestId }, call.attempts);
    const cost = audioCost(charge);
    const log = logRow(ask, call, { charge, cost }, outcome);
    settled = context.ledger.settle({ accountId: ask.caller.accountId, id: hold.id, log }).then((balance) => ({ charge, cost, balance }));
    return settled;
  };
  const nothing: AudioCharge = { ...charge, units: 0 };

  const call: AudioCall & { answered: Answered | null } = {
    plan,
    hold,
    planned: charge,
    attempts: [],
    answered: null,
    answeredBy: (candidate) => (call.answered = { candidate, afterMs: msSince(ask.since) }),
    raise(charge) {
      call.planned = charge;
      return orGiveBack(rate, raiseHold(context, ask.caller, model, hold, audioCost(charge)));
    },
    complete: (charge) => settle(charge, { status: "success", http_status: 200, ...noError }),
    async aborted(delivered) {
      await settle(delivered ?? nothing, { status: "aborted", http_status: 499, ...noError });
    },
    async failed(code, { status, message }) {
      await settle(nothing, { status: "failed", http_status: status, error_code: code, error_message: storableText(message) });
    },
  };
  return call;
}

/** If `work` throws, ends the call uncharged and rethrows in the operation's own codes. */
export async function whileOpen<T>(context: Pick<Context, "log">, ask: Ask, call: AudioCall, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    const error = thrown instanceof GatewayStopping ? new ApiError("overloaded", { cause: thrown }) : asDeclared(thrown, ask.operationId);
    await settleWithout(context, ask, call, error);
    throw error;
  }
}

/** For errors that the caller no longer sees, or sees otherwise. Where the database is unavailable, the hold ends by itself. */
export async function settleWithout({ log }: Pick<Context, "log">, ask: Ask, call: AudioCall, error: unknown): Promise<void> {
  const planned = error instanceof ApiError ? error : new ApiError("internal_error", {});
  try {
    if (isLeft(ask.signal)) await call.aborted(null);
    else await call.failed(planned.code, shownError(planned, operations[ask.operationId].dialect));
  } catch (cause) {
    log.error({ err: cause, request_id: ask.requestId }, "a failed call could not be settled");
  }
}

type Outcome = Pick<UsageLogRow, "status" | "http_status" | "error_code" | "error_message">;

const noError = { error_code: null, error_message: null };

const noTokens = { input_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 0, reasoning_tokens: 0 };

function logRow(
  { caller, requestId, receivedAt, since, operationId }: Ask,
  { plan, hold, attempts, answered, planned }: AudioCall,
  { charge, cost }: Pick<AudioBill, "charge" | "cost">,
  outcome: Outcome,
): UsageLogRow {
  const { model, alias } = plan.asked;
  const served = answered?.candidate ?? null;
  const records = attempts.map((attempt) => attemptRecord(attempt, usedByAudio(planned)));
  return {
    account_id: String(caller.accountId),
    created_at: receivedAt,
    id: hold.id,
    request_id: requestId,
    key_id: caller.keyId === null ? null : String(caller.keyId),
    operation: operationId,
    model: model.id,
    model_type: model.type,
    alias,
    served_model: served === null || served.model === model ? null : served.model.id,
    ...outcome,
    ...noTokens,
    estimated: false,
    units: charge.units,
    unit: charge.prices.unit,
    cost: String(cost),
    reserved: String(hold.amount),
    prices: charge.prices,
    attempts: records,
    expense: expenseOfAttempts(records),
    stream: plan.stream,
    fallback_layer: served === null || served.layer === 0 ? null : served.layer,
    latency_ms: msSince(since),
    first_byte_ms: answered?.afterMs ?? null,
  };
}

// Reserves the cost of an audio call together with its slot, and raises it if a recording turns out longer. Refuses with 429 where the slots
// are taken (docs/behaviour/limits.md#slots), with 402 where it can't be paid.

interface AudioHold {
  id: string;
  amount: Amount;
  /** The account's balance before this charge: what it could spend, plus what its other calls hold. */
  balance: Amount;
}

type Reserving = Pick<Context, "db" | "ledger" | "catalog" | "publicUrl" | "clock">;

async function reserveAudio(context: Reserving, caller: Caller, model: Model, cost: Amount, slot: Slot | null): Promise<AudioHold> {
  const id = uuidv7(context.clock());
  const { accountId, keyId } = caller;
  const reserved = await context.ledger.reserve({ accountId, keyId, id, want: cost, least: cost, ...(slot !== null && { slot }) });
  if (slot !== null && reserved.refused === "slot")
    fail("audio_concurrent_limit", { text: { limit: slot.poolMax, capability: slot.pool } });
  if (slot !== null && reserved.refused === "group") fail("audio_concurrent_limit", { text: { limit: slot.groupMax ?? slot.poolMax } });
  await assertPaid(context, caller, model, { cost, before: 0n }, reserved);
  return { id, amount: cost, balance: reserved.available + reserved.reserved };
}

/** Raises `hold` to `cost` if it is less. */
async function raiseHold(context: Reserving, caller: Caller, model: Model, hold: AudioHold, cost: Amount): Promise<void> {
  if (cost <= hold.amount) return;
  const reserved = await context.ledger.raise({ accountId: caller.accountId, id: hold.id, want: cost });
  await assertPaid(context, caller, model, { cost, before: hold.amount }, reserved);
  hold.amount = cost;
}

/** `before` is what this call holds already and could spend again. */
async function assertPaid(
  context: Reserving,
  caller: Caller,
  model: Model,
  { cost, before }: { cost: Amount; before: Amount },
  { granted, refused, available, reserved, keyLeft }: Reserved,
): Promise<void> {
  if (granted !== null) return;
  const shortfall = { caller, model, need: cost, available: available + before, reserved: reserved - before };
  if (refused === "key" && keyLeft !== null) await refuseKey(context, { ...shortfall, keyLeft: keyLeft + before });
  refuseBalance(context, shortfall);
}
