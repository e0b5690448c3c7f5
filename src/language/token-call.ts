// A call that is billed by its tokens: holds the most that it can cost, lowers its output cap to what the balance and the key's budget can pay
// (docs/behaviour/billing.md#reservation), and charges what it used.
import { errors } from "../../generated/errors.ts";
import type { Ask } from "../calls/ask.ts";
import { atLesserPrice, openCall, type PaidCall } from "../calls/call.ts";
import { type Bill, type Hold, noError } from "../calls/log-row.ts";
import { refuseUnpaid } from "../calls/refusals.ts";
import type { Resolved } from "../catalog/resolve.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import type { LoggedPrices } from "../ledger/usage-log.ts";
import { type Amount, usdText } from "../money.ts";
import { affordableOutputTokens, tokenCost, tokenCostBound, tokenPricesOf } from "../pricing/token-cost.ts";
import type { Candidate } from "../routing/candidates.ts";
import { noUsage, type Usage } from "../usage.ts";
import { type OutputCap, withinWindows } from "./context-window.ts";
import type { PromptSize } from "./prompt-size.ts";

export interface TokenHold extends Hold {
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

/** What was charged, for the answer's usage block and the log. */
export interface TokenBill extends Bill {
  usage: Usage;
  cacheDiscount: Amount;
}

export interface TokenCall extends PaidCall<TokenHold, TokenBill> {
  size: PromptSize;
  /** The answer is complete. Without `usage` from the upstream, `counted` is charged, at most the hold. */
  complete(usage: Usage | null, counted: () => Promise<Usage>): Promise<TokenBill>;
  /** The client disconnected; it pays for what was delivered. */
  aborted(delivered?: Usage, measured?: boolean): Promise<void>;
  /** The stream failed after its head was sent. Nothing is charged. */
  interrupted(): Promise<void>;
}

type Opening = Pick<Context, "db" | "admitCall" | "catalog" | "publicUrl" | "clock" | "ledger" | "log" | "countAttempt">;

interface Asked {
  admitted: Resolved;
  stream: boolean;
  size: PromptSize;
  cap: OutputCap;
}

/** Fails with permission_denied, request_too_large, rate_limit_exceeded, insufficient_credits, key_limit_reached or overloaded. */
export async function openTokenCall(context: Opening, ask: Ask, { admitted, stream, size, cap }: Asked): Promise<TokenCall> {
  const { model } = admitted;
  const { hold, rate } = await holdTokens(context, ask, model, size, cap);
  const nothing: TokenBill = { ...billAt(model, noUsage, hold.inputMax), cost: 0n };
  const paid = openCall<TokenHold, TokenBill>(context, ask, { admitted, stream, hold, rate, nothing });
  const billOf = (usage: Usage) => atLesserPrice(model, paid.served?.model ?? model, (other) => billAt(other, usage, hold.inputMax));
  const call: TokenCall = Object.assign(paid, {
    size,
    async complete(usage: Usage | null, counted: () => Promise<Usage>) {
      const bill = billOf(usage ?? (await counted()));
      if (usage !== null && (bill.cost > hold.granted || withinWindows(usage, hold.inputMax) !== usage))
        reportOverrun(context.log, paid, bill);
      const charged = usage === null ? atMost(hold.granted, bill) : bill;
      return paid.settle(charged, { status: "success", http_status: 200, ...noError, estimated: usage === null });
    },
    async aborted(delivered: Usage = noUsage, measured = false) {
      const bill = delivered.output > 0 || measured ? atMost(hold.granted, billOf(delivered)) : nothing;
      await paid.settle(bill, { status: "aborted", http_status: 499, ...noError, estimated: !measured });
    },
    interrupted: () => paid.failed("stream_interrupted", { status: 200, message: errors.stream_interrupted.message }),
  });
  return call;
}

/** At the prices of the requested model: a fallback never costs more. */
async function holdTokens(context: Opening, { caller, callId, addHeaders }: Ask, model: Model, size: PromptSize, cap: OutputCap) {
  const prices = tokenPricesOf(model);
  const { maxOutputTokens, outputLimited } = model;
  const inputMax = model.contextWindow * size.contexts;
  const inputTokens = Math.min(size.tokensMax, inputMax);
  const outputMax = outputLimited ? Math.min(cap.asked ?? maxOutputTokens, maxOutputTokens) : (cap.asked ?? maxOutputTokens);
  const want = tokenCostBound(prices, inputTokens, outputMax * cap.choices);
  const least = tokenCostBound(prices, inputTokens, Math.min(outputMax, 1) * cap.choices);
  const id = callId ?? uuidv7(context.clock());
  const tokens = { input: size.tokensLikely, output: Math.min(cap.asked ?? 0, maxOutputTokens) * cap.choices };
  const { rate, reserved } = await context.admitCall(context.catalog, { caller, model, tokens, addHeaders }, { id, want, least });
  const affordable = (amount: Amount) => Math.min(outputMax, perChoice(affordableOutputTokens(prices, inputTokens, amount), cap));
  const { granted, keyLeft } = reserved;
  if (granted === null)
    return await refuseUnpaid(context, { caller, model, need: least, affordable: outputMax === 0 ? null : affordable }, reserved);
  const available = keyLeft !== null && keyLeft < reserved.available ? keyLeft : reserved.available;
  const lowered = granted >= want ? null : affordable(granted);
  const sent = lowered ?? (outputLimited ? outputMax : cap.asked);
  const hold: TokenHold = { id, granted, asked: cap.asked, lowered, sent, outputMax: lowered ?? outputMax, inputMax, available };
  return { hold, rate };
}

function perChoice(tokens: number, { choices }: OutputCap): number {
  return Math.max(0, Math.floor(tokens / choices));
}

/** The bill shows usage as it was measured, and charges what fits into the window. */
function billAt(model: Model, usage: Usage, inputMax: number): TokenBill {
  return { usage, prices: loggedPrices(model), ...tokenCost(tokenPricesOf(model), withinWindows(usage, inputMax)) };
}

function loggedPrices(model: Model): LoggedPrices {
  const { input, output, cached, perRequest, step } = tokenPricesOf(model);
  return {
    model: model.id,
    input: String(input),
    output: String(output),
    cached: cached === null ? null : String(cached),
    per_request: String(perRequest),
    ...(step === 1n ? {} : { step: String(step) }),
  };
}

/** An estimate never bills above its hold. */
function atMost(limit: Amount, bill: TokenBill): TokenBill {
  return bill.cost <= limit ? bill : { ...bill, cost: limit };
}

/**
 * Measured usage is charged as far as its input fills the context window, even above its hold. Usage above either is the fault of an upstream
 * or of the catalog, such as a window that is too small there: the operator should look at it.
 */
function reportOverrun(
  log: Context["log"],
  { ask, hold, served }: { ask: Ask; hold: Hold; served: Candidate | null },
  { usage, cost }: TokenBill,
): void {
  log.error(
    { request_id: ask.requestId, route: served?.routeId, reserved: usdText(hold.granted), cost: usdText(cost), usage },
    "usage above its reservation",
  );
}
