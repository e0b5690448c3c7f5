// Admits a token-billed call: counts it, reserves the most that it can cost, and lowers its output cap to what the balance and the key's budget can pay
// (docs/behaviour/billing.md#reservation). Refuses with 402 when they can't pay for a single token.
import { refuseBalance, refuseKey, type Shortfall } from "../admission/payment.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import type { CountedCall, LimitedCall } from "../limits/call.ts";
import type { Amount } from "../money.ts";
import { affordableOutputTokens, tokenCostBound, type TokenPrices } from "../pricing/token-cost.ts";
import type { PromptSize } from "./prompt-size.ts";

export interface OutputCap {
  /** Output tokens asked for; null where the caller set no cap. */
  asked: number | null;
  /** Answers asked for (`n`), each as long as the cap. */
  choices: number;
}

/** For operations that are billed by their input alone. */
export const noOutput: OutputCap = { asked: 0, choices: 1 };

export interface Hold {
  id: string;
  granted: Amount;
  /** The caller's cap; null: none. */
  asked: number | null;
  /** The cap that the balance pays for; null where it pays for all that was asked for. */
  lowered: number | null;
  /** The cap that goes to the model's own routes; null: none. */
  sent: number | null;
  /** Output tokens of one answer that are reserved for, with or without a cap. */
  outputMax: number;
  /** Input tokens that are charged at most, whatever the upstream reports: the context window, times how often it is filled. */
  inputMax: number;
  /** What the account could spend before this call, or its key where that is less. */
  available: Amount;
}

/**
 * `prices` are those of the requested model: a fallback never costs more. Fails with permission_denied, request_too_large,
 * rate_limit_exceeded, insufficient_credits, key_limit_reached or overloaded.
 */
export async function reserveTokens(
  context: Pick<Context, "db" | "admitCall" | "catalog" | "publicUrl" | "clock">,
  call: LimitedCall & { model: Model },
  prices: TokenPrices,
  size: PromptSize,
  cap: OutputCap,
): Promise<{ hold: Hold; rate: CountedCall }> {
  const { caller, model } = call;
  const inputMax = model.contextWindow * size.contexts;
  const inputTokens = Math.min(size.tokensMax, inputMax);
  const { maxOutputTokens, outputLimited } = model;
  const outputMax = outputLimited ? Math.min(cap.asked ?? maxOutputTokens, maxOutputTokens) : (cap.asked ?? maxOutputTokens);
  const want = tokenCostBound(prices, inputTokens, outputMax * cap.choices);
  const least = tokenCostBound(prices, inputTokens, Math.min(outputMax, 1) * cap.choices);
  const id = uuidv7(context.clock());
  const { rate, reserved } = await context.admitCall(context.catalog, call, { id, want, least });
  const affordable: Affordable = (amount) => Math.min(outputMax, perChoice(affordableOutputTokens(prices, inputTokens, amount), cap));
  const { granted, refused, keyLeft } = reserved;
  const shortfall = { caller, model, need: least, available: reserved.available, reserved: reserved.reserved };
  const shorter = outputMax === 0 ? null : affordable; // null: there is no output to shorten
  if (refused === "key" && keyLeft !== null) {
    const payable = shorter?.(keyLeft > 0n ? keyLeft : 0n);
    await refuseKey(context, { ...shortfall, keyLeft, details: payable === undefined ? {} : { affordable_max_tokens: payable } });
  }
  if (granted === null) refusePayment(context, shortfall, shorter);
  const available = keyLeft !== null && keyLeft < reserved.available ? keyLeft : reserved.available;
  const hold = { id, granted, asked: cap.asked, available, inputMax };
  if (granted >= want) return { rate, hold: { ...hold, lowered: null, sent: outputLimited ? outputMax : cap.asked, outputMax } };
  const lowered = affordable(granted);
  return { rate, hold: { ...hold, lowered, sent: lowered, outputMax: lowered } };
}

function perChoice(tokens: number, { choices }: OutputCap): number {
  return Math.max(0, Math.floor(tokens / choices));
}

/** The sentence says what the account could pay for now, and once its other requests have ended. */
function refusePayment(context: Pick<Context, "catalog" | "publicUrl">, shortfall: Shortfall, affordable: Affordable | null): never {
  if (affordable === null) refuseBalance(context, shortfall);
  const { available, reserved } = shortfall;
  const now = affordable(available > 0n ? available : 0n);
  const later = affordable(available + reserved);
  refuseBalance(context, {
    ...shortfall,
    text: { affordable: now, ...(reserved > 0n ? { affordable_later: later } : {}) },
    details: { affordable_max_tokens: now, affordable_max_tokens_when_released: later },
  });
}

/** Output tokens of one answer that an amount pays for. */
type Affordable = (amount: Amount) => number;
