// The free-tier gate and the two 402 refusals for money, with everything that a caller needs to act on them (docs/behaviour/errors.md#shape).
import type { Caller } from "../accounts/caller.ts";
import { assertModelAllowed, mayUseModel } from "../accounts/key-policy.ts";
import { maskedKey } from "../accounts/keys.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { userIdText } from "../ids.ts";
import { readBalance, readLimitedKey } from "../ledger/balance.ts";
import type { Reserved } from "../ledger/reserve.ts";
import { type Amount, amountFromUsd, toUsd, usdText } from "../money.ts";
import { topupFields, topupMinimumUsd } from "../network/own-addresses.ts";

type Refusing = Pick<Context, "db" | "catalog" | "publicUrl">;

interface Unpaid {
  caller: Caller;
  model: Model;
  need: Amount;
  /** Output tokens of one answer that an amount pays for; null: there is no output to shorten. */
  affordable?: ((amount: Amount) => number) | null;
}

/** Why nothing was held, what the account and the key could spend, and what the account's other requests in flight hold. */
type Refused = Pick<Reserved, "refused" | "available" | "reserved" | "keyLeft">;

/** Refuses a call that the key's budget or the account's balance can't pay. */
export async function refuseUnpaid(context: Refusing, unpaid: Unpaid, { refused, keyLeft, ...funds }: Refused): Promise<never> {
  if (refused === "key" && keyLeft !== null) return await refuseKey(context, unpaid, keyLeft, funds.available);
  return refuseBalance(context, unpaid, funds);
}

/** The sentence says what the account could pay for now, and once its other requests have ended. */
function refuseBalance(
  context: Refusing,
  { affordable = null, ...unpaid }: Unpaid,
  { available, reserved }: Pick<Refused, "available" | "reserved">,
): never {
  const text: Record<string, string | number> = {};
  const details: Record<string, number> = {};
  if (reserved > 0n) text.held = usdText(reserved); // distinguishes spent money from money that will come back
  if (affordable !== null) {
    text.affordable = details.affordable_max_tokens = affordable(available > 0n ? available : 0n);
    const later = (details.affordable_max_tokens_when_released = affordable(available + reserved));
    if (reserved > 0n) text.affordable_later = later;
  }
  fail("insufficient_credits", {
    text: { model: unpaid.model.id, need: usdText(unpaid.need), have: usdText(available), ...text },
    extra: { ...refusalFields(context, unpaid, available, details), held_usd: toUsd(reserved) },
  });
}

/** For a key whose budget, or its member's, is too small although the account could pay. What the account's other requests hold doesn't matter here. */
async function refuseKey(context: Refusing, { affordable = null, ...unpaid }: Unpaid, keyLeft: Amount, available: Amount): Promise<never> {
  const have = keyLeft > 0n ? keyLeft : 0n; // its budget may have been set below what it had spent
  const key = (await readLimitedKey(context.db, unpaid.caller.keyId!))!; // only a key with a budget gets here
  const member: Record<string, string> = key.member === null ? {} : { member: userIdText(key.member) };
  const details = { ...(affordable === null ? {} : { affordable_max_tokens: affordable(have) }), ...member };
  const resets: Record<string, string> = key.resetsAt === null ? {} : { resets_at: key.resetsAt.toISOString() };
  fail("key_limit_reached", {
    text: {
      ...{ key: maskedKey(key), limit: usdText(key.limit ?? have), have: usdText(have), need: usdText(unpaid.need) },
      ...{ span: key.period === null ? "in all" : `in each ${key.period}`, ...resets, ...member },
    },
    extra: { ...refusalFields(context, unpaid, have, details), balance: toUsd(available), ...resets },
  });
}

function refusalFields(
  { catalog, publicUrl }: Refusing,
  { caller, model, need }: Omit<Unpaid, "affordable">,
  have: Amount,
  details: Record<string, number | string>,
) {
  return {
    ...paymentFields(publicUrl, need, have),
    details: { model: model.id, tier: tierOf(catalog, caller).tier, ...details },
  };
}

/** The fields that every 402 carries. */
function paymentFields(publicUrl: string, need: Amount, have: Amount) {
  return { need_usd: toUsd(need), have_usd: toUsd(have), required: toUsd(need), balance: toUsd(have), ...topupFields(publicUrl) };
}

// Whether this caller may use a model at all, before any limit or money (docs/behaviour/billing.md#refusals).

/**
 * A key may be bound to some models, and an account that never added credits may use free-tier models only. Fails with model_not_allowed or 402
 * model_requires_paid; nothing is charged.
 */
export async function assertMayUse(context: Refusing, caller: Caller, model: Model): Promise<void> {
  assertModelAllowed(caller, model.id);
  if (mayUse(caller, model)) return;
  const balance = await readBalance(context.db, caller.accountId);
  if (balance !== undefined && balance.purchased > 0n) return; // funded a moment ago, after the caller was cached
  fail("model_requires_paid", {
    param: "model",
    text: { model: model.id },
    extra: {
      ...paymentFields(context.publicUrl, minimumTopUp, balance?.available ?? 0n),
      held_usd: 0,
      details: { model: model.id, tier: tierOf(context.catalog, caller).tier },
    },
  });
}

export function mayUse(caller: Caller, model: Model): boolean {
  return (caller.purchased > 0n || model.freeTier) && (caller.policy === null || mayUseModel(caller, model.id));
}

const minimumTopUp = amountFromUsd(topupMinimumUsd) as Amount;
