// The free-tier gate: whether this caller may use a model at all, before any limit or money (docs/behaviour/billing.md#refusals).
import type { Caller } from "../accounts/caller.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { readBalance } from "../ledger/balance.ts";
import { type Amount, amountFromUsd } from "../money.ts";
import { topupMinimumUsd } from "../network/own-addresses.ts";
import { paymentFields } from "./payment.ts";

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
