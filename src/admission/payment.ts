// The free-tier gate and the two 402 refusals for money, with everything that a caller needs to act on them (docs/behaviour/errors.md#shape).
import type { Caller } from "../accounts/caller.ts";
import { maskedKey } from "../accounts/keys.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { readBalance, readLimitedKey } from "../ledger/balance.ts";
import { type Amount, amountFromUsd, toUsd, usdText } from "../money.ts";
import { topupFields, topupMinimumUsd } from "../network/own-addresses.ts";

export interface Shortfall {
  caller: Caller;
  model: Model;
  need: Amount;
  /** What the account could spend. */
  available: Amount;
  /** What its other requests in flight hold: distinguishes spent money from money that will come back. */
  reserved: Amount;
  /** What the operation adds to the sentence and to `details`. */
  text?: Record<string, string | number>;
  details?: Record<string, unknown>;
}

export function refuseBalance(context: Pick<Context, "catalog" | "publicUrl">, shortfall: Shortfall): never {
  const { model, need, available, reserved, text } = shortfall;
  const held: Record<string, string> = reserved > 0n ? { held: usdText(reserved) } : {};
  fail("insufficient_credits", {
    text: { model: model.id, need: usdText(need), have: usdText(available), ...held, ...text },
    extra: { ...refusalFields(context, shortfall, available), held_usd: toUsd(reserved) },
  });
}

/** For a key whose budget is too small although the account could pay. What the account's other requests hold doesn't matter here. */
export async function refuseKey(
  context: Pick<Context, "db" | "catalog" | "publicUrl">,
  { keyLeft, ...shortfall }: Shortfall & { keyLeft: Amount },
): Promise<never> {
  const have = keyLeft > 0n ? keyLeft : 0n; // its budget may have been set below what it had spent
  const key = (await readLimitedKey(context.db, shortfall.caller.keyId!))!; // only a key with a budget gets here
  fail("key_limit_reached", {
    text: { key: maskedKey(key), limit: usdText(key.limit ?? have), have: usdText(have), need: usdText(shortfall.need) },
    extra: { ...refusalFields(context, shortfall, have), balance: toUsd(shortfall.available) },
  });
}

function refusalFields({ catalog, publicUrl }: Pick<Context, "catalog" | "publicUrl">, shortfall: Shortfall, have: Amount) {
  const { caller, model, need, details } = shortfall;
  return {
    ...paymentFields(publicUrl, need, have),
    details: { model: model.id, tier: tierOf(catalog, caller.purchased).tier, ...details },
  };
}

/** The fields that every 402 carries. */
function paymentFields(publicUrl: string, need: Amount, have: Amount) {
  return { need_usd: toUsd(need), have_usd: toUsd(have), required: toUsd(need), balance: toUsd(have), ...topupFields(publicUrl) };
}

// The free-tier gate: whether this caller may use a model at all, before any limit or money (docs/behaviour/billing.md#refusals).

/** An account that never added credits may use free-tier models only. Fails with 402 model_requires_paid; nothing is charged. */
export async function assertMayUse(context: Pick<Context, "db" | "catalog" | "publicUrl">, caller: Caller, model: Model): Promise<void> {
  if (mayUse(caller, model)) return;
  const balance = await readBalance(context.db, caller.accountId);
  if (balance !== undefined && balance.purchased > 0n) return; // funded a moment ago, after the caller was cached
  fail("model_requires_paid", {
    param: "model",
    text: { model: model.id },
    extra: {
      ...paymentFields(context.publicUrl, minimumTopUp, balance?.available ?? 0n),
      held_usd: 0,
      details: { model: model.id, tier: tierOf(context.catalog, 0n).tier },
    },
  });
}

export function mayUse(caller: Caller, model: Model): boolean {
  return caller.purchased > 0n || model.freeTier;
}

const minimumTopUp = amountFromUsd(topupMinimumUsd) as Amount;
