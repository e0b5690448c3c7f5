// What a paid call would count and hold, found out by the statements of the real call in transactions that are rolled back: so a quote never
// says another amount than the hold of the same request at the same moment. Nothing is counted, held or asked of a provider.
import type { components } from "../../generated/api.d.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Context } from "../context.ts";
import { type Queries, withoutEffect } from "../db/connect.ts";
import { refuseInDoubt } from "../db/database-checks.ts";
import { isSurelyUndone, isTransient } from "../db/transient-error.ts";
import { ApiError, fail } from "../errors/fail.ts";
import { shownError } from "../errors/text.ts";
import { isAccountHeld } from "../ledger/account-batcher.ts";
import { always } from "../ledger/slice-ends.ts";
import { reserveIn, type Reserved, type ReserveRequest } from "../ledger/reserve.ts";
import { takeIn } from "../limits/counters.ts";
import { type Amount, toUsd } from "../money.ts";
import type { Candidate } from "../routing/candidates.ts";
import { type LimitedCall, takesOf } from "./admit.ts";
import { refuseUnpaid } from "./refusals.ts";

type Quote = components["schemas"]["Quote"];
type Check = components["schemas"]["QuoteCheck"];

/** A request that passed every rule of its operation, before it is counted. */
export interface PlannedCall {
  admitted: Resolved;
  tokens: LimitedCall["tokens"];
  /** The most that it may cost, and what it is refused below. */
  want: Amount;
  least: Amount;
  /** Output tokens of one answer that an amount pays for; null: there is no output to shorten. */
  affordable: ((amount: Amount) => number) | null;
  /** Holds as the real call does. */
  hold: (transaction: Queries) => Promise<TriedHold>;
  likely: () => Promise<Likely>;
  /** In the order in which they are tried. */
  routes: () => readonly Candidate[];
}

interface TriedHold extends Omit<Reserved, "refused"> {
  /** The refusal for want of a slot; null: there is one, or none is needed. */
  slots: ApiError | null;
  /** The job waits for a slot, and holds when it gets it. */
  queued: boolean;
}

/** Tries what `Ledger.reserve` does. `slots`: the refusal that a missing slot means. */
export function tryReserving(
  { ledger }: Pick<Context, "ledger">,
  { accountId, keyId }: Caller,
  request: Omit<ReserveRequest, "accountId" | "keyId">,
  slots: (refused: Reserved["refused"]) => ApiError | null = () => null,
): PlannedCall["hold"] {
  return async (transaction) => {
    const { refused, ...reserved } = await reserveIn(transaction, ledger.owner, { accountId, keyId, ...request });
    return { ...reserved, slots: slots(refused), queued: false };
  };
}

export interface Likely {
  cost: Amount;
  basis: components["schemas"]["QuoteBasis"];
  /** Null where tokens are not billed. */
  tokens: { input: number; output: number } | null;
}

type Quoting = Pick<Context, "db" | "ledger" | "catalog" | "limits" | "breakers" | "publicUrl">;

/** Fails with permission_denied or request_too_large, as the call does whatever it may spend, or with overloaded. */
export async function quoteCall(context: Quoting, caller: Caller, planned: PlannedCall): Promise<Omit<Quote, "operation">> {
  const { admitted, want, least, affordable } = planned;
  refuseInDoubt(context.db);
  try {
    const tryBoth = async () => ({
      // One after the other, each rolled back at once: a transaction with both would hold locks in another order than calls do.
      rate: await tryLimits(context, caller, planned),
      held: await withoutEffect(context.db, planned.hold),
    });
    const { rate, held } = await context.ledger.recalling(caller.accountId, tryBoth, always);
    const checks = await checksOf(context, caller, planned, { rate, held });
    const ok = Object.values(checks).every((check) => check.ok);
    const granted = held.queued ? want : (held.granted ?? 0n);
    const isClamped = affordable !== null && ok && granted < want;
    const { cost, basis, tokens } = await planned.likely();
    return {
      object: "quote",
      model: admitted.model.id,
      admitted: ok,
      queued: ok && held.queued,
      reserve_usd: toUsd(ok ? granted : 0n),
      most_usd: toUsd(want),
      least_usd: toUsd(least),
      max_tokens_clamped: isClamped ? affordable(granted) : null,
      likely: {
        cost_usd: toUsd(cost),
        basis,
        input_tokens: tokens?.input ?? null,
        output_tokens: tokens?.output ?? null,
      },
      checks,
      routes: shownRoutes(context, planned.routes()),
    };
  } catch (cause) {
    if (isTransient(cause) || isAccountHeld(cause)) fail("overloaded", { cause });
    throw cause;
  }
}

async function tryLimits(context: Quoting, caller: Caller, { admitted, tokens }: PlannedCall): Promise<Check> {
  const { takes, decided } = takesOf(context, { caller, model: admitted.model, tokens, addHeaders: () => undefined });
  const tryOnce = () => withoutEffect(context.db, (transaction) => takeIn(transaction, takes));
  // A minute that ends while its counts are awaited is asked about again, as a call does it.
  const decision = await tryOnce().catch((error: unknown) => (isSurelyUndone(error) ? tryOnce() : Promise.reject(error)));
  return checkOf(() => void decided(decision));
}

/** Each by itself, though a call is told of the first alone. */
async function checksOf(
  context: Quoting,
  caller: Caller,
  { admitted: { model }, least: need, affordable }: PlannedCall,
  { rate, held }: { rate: Check; held: TriedHold },
): Promise<Quote["checks"]> {
  const { available, reserved, keyLeft, slots } = held;
  const unpaid = { caller, model, need, affordable };
  const refuse = (refused: "balance" | "key") => refuseUnpaid(context, unpaid, { refused, available, reserved, keyLeft });
  const paysBalance = available >= 0n && available >= need;
  const paysKey = keyLeft === null || need === 0n || keyLeft >= need;
  return {
    rate_limits: rate,
    slots: slots === null ? passed : shownCheck(slots),
    balance: { ...(paysBalance ? passed : await checkOf(() => refuse("balance"))), available_usd: toUsd(available) },
    key_budget: { ...(paysKey ? passed : await checkOf(() => refuse("key"))), left_usd: keyLeft === null ? null : toUsd(keyLeft) },
  };
}

const passed: Check = { ok: true, code: null, reason: null };

/** What `work` refuses with. */
async function checkOf(work: () => Promise<void> | void): Promise<Check> {
  try {
    await work();
    return passed;
  } catch (error) {
    if (error instanceof ApiError) return shownCheck(error);
    throw error;
  }
}

function shownCheck(error: ApiError): Check {
  const { windowMs, retryAfterMs = windowMs } = error.details;
  const { message } = shownError(error, "standard");
  return {
    ok: false,
    code: error.code,
    reason: message,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: Math.ceil(retryAfterMs) }),
  };
}

function shownRoutes({ breakers }: Pick<Context, "breakers">, candidates: readonly Candidate[]): Quote["routes"] {
  const open = new Set(breakers.failing().flatMap(({ routeId, isOpen }) => (isOpen ? [routeId] : [])));
  return candidates.map(({ model, layer, routeId }) => ({
    model: model.id,
    layer,
    available: !open.has(routeId) && !breakers.isDisabled(routeId),
  }));
}
