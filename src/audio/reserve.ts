// Reserves what a call of audio costs, in its slot, and raises it once a recording turns out to be longer. Refuses with 429 where the
// slots are taken, with 402 where it can't be paid (gateway-api.md "Limits", audio concurrency; OPERATOR.md, order of refusals).
import { refuseBalance, refuseKey } from "../admission/payment.ts";
import type { Model } from "../catalog/types.ts";
import type { Caller, Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { uuidv7 } from "../ids.ts";
import type { Reserved, Slot } from "../ledger/ledger.ts";
import type { Amount } from "../money.ts";

export interface AudioHold {
  id: string;
  amount: Amount;
  /** The account's balance before this call is charged: what it could spend, and what its other calls hold. */
  balance: Amount;
}

type Reserving = Pick<Context, "db" | "ledger" | "catalog" | "publicUrl" | "clock">;

export async function reserveAudio(context: Reserving, caller: Caller, model: Model, cost: Amount, slot: Slot | null): Promise<AudioHold> {
  const id = uuidv7(context.clock());
  const { accountId, keyId } = caller;
  const reserved = await context.ledger.reserve({ accountId, keyId, id, want: cost, least: cost, ...(slot !== null && { slot }) });
  if (slot !== null && reserved.refused === "slot")
    fail("audio_concurrent_limit", { text: { limit: slot.poolMax, capability: slot.pool } });
  if (slot !== null && reserved.refused === "group") fail("audio_concurrent_limit", { text: { limit: slot.groupMax ?? slot.poolMax } });
  await assertPaid(context, caller, model, { cost, before: 0n }, reserved);
  return { id, amount: cost, balance: reserved.available + reserved.reserved };
}

/** `hold` grows to `cost`, where it is less. */
export async function raiseHold(context: Reserving, caller: Caller, model: Model, hold: AudioHold, cost: Amount): Promise<void> {
  if (cost <= hold.amount) return;
  const reserved = await context.ledger.raise({ accountId: caller.accountId, id: hold.id, want: cost });
  await assertPaid(context, caller, model, { cost, before: hold.amount }, reserved);
  hold.amount = cost;
}

/** `before`: what this call holds already; it could be spent on it. */
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
