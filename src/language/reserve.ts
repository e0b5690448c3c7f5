// Reserves what a token-billed call may cost at most and lowers its output cap to what the balance
// and the key's budget can pay (gateway-api.md, max_tokens; OPERATOR.md "The upper bound reserved"). Refuses with 402 when not one token
// can be paid.
import { maskedKey } from "../accounts/keys.ts";
import { topupFields } from "../addresses.ts";
import { tierOf } from "../catalog/tiers.ts";
import type { Model } from "../catalog/types.ts";
import type { Caller, Context } from "../context.ts";
import { fail } from "../fail.ts";
import { uuidv7 } from "../ids.ts";
import { readLimitedKey } from "../ledger/key-budget.ts";
import type { Reserved } from "../ledger/ledger.ts";
import { type Amount, toUsd, usdText } from "../money.ts";
import { affordableOutputTokens, tokenCostBound, type TokenPrices } from "../pricing/token-cost.ts";
import type { PromptSize } from "./prompt-size.ts";

export interface OutputCap {
  /** Output tokens asked for; null: the caller named none. */
  asked: number | null;
  /** Answers asked for (`n`): each may be that long. */
  choices: number;
}

/** Of an operation that is billed on its input alone. */
export const noOutput: OutputCap = { asked: 0, choices: 1 };

export interface Hold {
  id: string;
  granted: Amount;
  /** The cap to send upstream when it is not the asked one; null: send what was asked. */
  lowered: number | null;
  /** The cap that goes upstream; null: none. */
  sent: number | null;
  /** Output tokens of one answer that are reserved for, whether or not a cap says so. */
  outputMax: number;
  /** What the account, or its key where that is less, could spend before this call. */
  available: Amount;
}

/** `prices` are those of the model asked for: a fallback never costs more. */
export async function reserveTokens(
  context: Pick<Context, "db" | "ledger" | "catalog" | "publicUrl" | "clock">,
  caller: Caller,
  model: Model,
  prices: TokenPrices,
  size: PromptSize,
  cap: OutputCap,
): Promise<Hold> {
  const inputTokens = Math.min(size.tokensMax, model.contextWindow * size.contexts);
  const outputMax = cap.asked ?? model.maxOutputTokens;
  const want = tokenCostBound(prices, inputTokens, outputMax * cap.choices);
  const least = tokenCostBound(prices, inputTokens, Math.min(outputMax, 1) * cap.choices);
  const id = uuidv7(context.clock());
  const reserved = await context.ledger.reserve({ accountId: caller.accountId, keyId: caller.keyId, id, want, least });
  const affordable = (amount: Amount) => Math.min(outputMax, perChoice(affordableOutputTokens(prices, inputTokens, amount), cap));
  const { granted, refused, keyLeft } = reserved;
  const refusal = { caller, model, need: least, reserved, affordable: outputMax === 0 ? null : affordable };
  if (refused === "key") await refuseKey(context, refusal);
  if (granted === null) refusePayment(context, refusal);
  const available = keyLeft !== null && keyLeft < reserved.available ? keyLeft : reserved.available;
  if (granted >= want) return { id, granted, lowered: null, sent: cap.asked, outputMax, available };
  const lowered = affordable(granted);
  return { id, granted, lowered, sent: lowered, outputMax: lowered, available };
}

function perChoice(tokens: number, { choices }: OutputCap): number {
  return Math.max(0, Math.floor(tokens / choices));
}

interface Refusal {
  caller: Caller;
  model: Model;
  need: Amount;
  reserved: Reserved;
  /** Output tokens of one answer that an amount pays for; null: there is no output that could be shorter. */
  affordable: ((amount: Amount) => number) | null;
}

/** Tells money that is gone from money that other requests hold, and what could be paid once those end. */
function refusePayment(context: Pick<Context, "catalog" | "publicUrl">, refusal: Refusal): never {
  const { available, reserved } = refusal.reserved;
  const { details, ...fields } = refusalFields(context, refusal, available);
  const { affordable_max_tokens: now } = details;
  const later = refusal.affordable?.(available + reserved);
  fail("insufficient_credits", {
    text: {
      model: details.model,
      need: usdText(refusal.need),
      have: usdText(available),
      ...(now === undefined ? {} : { affordable: now }),
      ...(reserved > 0n ? { held: usdText(reserved), ...(later === undefined ? {} : { affordable_later: later }) } : {}),
    },
    extra: {
      ...fields,
      held_usd: toUsd(reserved),
      details: { ...details, ...(later === undefined ? {} : { affordable_max_tokens_when_released: later }) },
    },
  });
}

/** The account could pay; the key's own budget does not reach. What the account's other requests hold is beside the point. */
async function refuseKey(context: Pick<Context, "db" | "catalog" | "publicUrl">, refusal: Refusal): Promise<never> {
  const left = refusal.reserved.keyLeft!; // a key without a limit refuses nothing
  const have = left > 0n ? left : 0n; // its limit may be below what is spent
  const key = (await readLimitedKey(context.db, refusal.caller.keyId!))!;
  fail("key_limit_reached", {
    text: { key: maskedKey(key), limit: usdText(key.limit ?? have), have: usdText(have), need: usdText(refusal.need) },
    extra: { ...refusalFields(context, refusal, have), balance: toUsd(refusal.reserved.available) },
  });
}

function refusalFields(
  { catalog, publicUrl }: Pick<Context, "catalog" | "publicUrl">,
  { caller, model, need, affordable }: Refusal,
  have: Amount,
) {
  const details: { model: string; tier: number; affordable_max_tokens?: number } = {
    model: model.id,
    tier: tierOf(catalog, caller.purchased).tier,
    ...(affordable === null ? {} : { affordable_max_tokens: affordable(have > 0n ? have : 0n) }),
  };
  return { ...paymentFields(publicUrl, need, have), details };
}

/** WIRE.md 14 row 4: every 402 carries them all. */
export function paymentFields(publicUrl: string, need: Amount, have: Amount) {
  return { need_usd: toUsd(need), have_usd: toUsd(have), required: toUsd(need), balance: toUsd(have), ...topupFields(publicUrl) };
}
