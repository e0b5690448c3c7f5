// A call that is billed by its tokens: holds the most that it can cost (token-hold.ts), and charges what it used.
import type { components } from "../../generated/api.d.ts";
import { errors } from "../../generated/errors.ts";
import type { Ask } from "../calls/ask.ts";
import { atLesserPrice, openCall, type PaidCall } from "../calls/call.ts";
import { aborted, type Bill, type ChargedUsage, noError, type Outcome, tokensOf } from "../calls/log-row.ts";
import { refuseUnpaid } from "../calls/refusals.ts";
import { cacheTier, type Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { type Amount, usdText } from "../money.ts";
import { billAt, chargedTier, type UsageBounds, withinBounds } from "../pricing/token-cost.ts";
import type { Tally } from "../providers/types.ts";
import type { Attempt } from "../routing/attempt.ts";
import { noToolCalls, noUsage, type Usage } from "../usage.ts";
import { usageCounted, usageUnread } from "./counted-usage.ts";
import type { PromptSize } from "./prompt-size.ts";
import { isOwn, likelyTier, type Opening, planHold, pricedTier, type TokenHold, type TokenRequest } from "./token-hold.ts";
import { carriesTier, sentTier } from "./withheld-fields.ts";

/** What was charged, for the answer's usage block and the log. */
export interface TokenBill extends Bill {
  usage: Usage;
  cacheDiscount: Amount;
}

export interface TokenCall extends PaidCall<TokenHold, TokenBill> {
  size: PromptSize;
  /** The stream that it answers with. */
  source: { tally: Tally } | null;
  /** The answer is complete. Without `usage` from the upstream, `counted` is charged, at most the hold. */
  complete(usage: Usage | null, counted: () => Promise<Usage>): Promise<TokenBill>;
  /** The client disconnected, or read so slowly that the upstream gave up: charged as in `complete`. */
  aborted(usage: Usage | null, counted: () => Promise<Usage>): Promise<TokenBill>;
  /** The client disconnected before anything was sent. Nothing is charged. */
  unsent(): Promise<void>;
  /** The stream failed after its head was sent. Nothing is charged. */
  interrupted(): Promise<void>;
}

/** Fails with permission_denied, request_too_large, rate_limit_exceeded, insufficient_credits, key_limit_reached or overloaded. */
export async function openTokenCall(context: Opening, ask: Ask, asked: TokenRequest): Promise<TokenCall> {
  const { admitted, stream, size } = asked;
  const { model } = admitted;
  const tier = asked.kept === undefined ? pricedTier(ask, model, asked.tier) : cacheTier;
  const likely = likelyTier(ask, model, tier);
  const { limited, money, unpaid, holdOf } = planHold(context, ask, { ...asked, tier: likely });
  const { rate, reserved } = await context.admitCall(context.catalog, limited, money);
  if (reserved.granted === null) return refuseUnpaid(context, unpaid, reserved);
  const hold = holdOf(reserved.granted, reserved);
  const nothing: TokenBill = { ...billAt(model, noUsage, hold.bounds, likely), cost: 0n };
  const used = (answered: boolean, charged: ChargedUsage, attempt: Attempt) => ({
    usage: !answered ? usageUnread(call, attempt) : isCounted(charged) ? usageCounted(call, charged, attempt) : charged.usage,
    tier: sentTier(ask, attempt.candidate, asked.tier),
  });
  const paid = openCall<TokenHold, TokenBill>(context, ask, { admitted, stream, hold, rate, nothing, used });
  const tierAt = (other: Model, { serviceTier }: Usage) => {
    const last = paid.served ?? paid.attempts.at(-1)?.candidate;
    if (last?.model !== other) return likely; // no answer says at which tier it would have been served
    return chargedTier(other.tokens!, isOwn(tier) || carriesTier(ask, last.route, tier) ? tier : null, serviceTier);
  };
  const billOf = (usage: Usage) =>
    atLesserPrice(model, paid.served?.model ?? model, (other) => billAt(other, usage, hold.bounds, tierAt(other, usage)));
  const charge = (usage: Usage | null, counted: () => Promise<Usage>, end: Pick<Outcome, "status" | "http_status">) => {
    const measured = withAllCalls(usage, hold.bounds);
    if (measured === null)
      return counted().then((estimate) => {
        const bill = atMost(hold.granted, billOf({ serviceTier: call.source?.tally.servedTier, ...unmeasured(estimate, hold.bounds) }));
        return paid.settle(bill, { ...end, ...noError, estimated: true });
      });
    const bill = billOf(measured);
    reportOverruns(context, paid, bill);
    return paid.settle(bill, { ...end, ...noError, estimated: false });
  };
  const call: TokenCall = Object.assign(paid, {
    size,
    source: null,
    complete: (usage: Usage | null, counted: () => Promise<Usage>) => charge(usage, counted, { status: "success", http_status: 200 }),
    aborted: (usage: Usage | null, counted: () => Promise<Usage>) => charge(usage, counted, aborted),
    async unsent() {
      await paid.settle(nothing, { ...aborted, ...noError, estimated: true });
    },
    interrupted: () => paid.failed("stream_interrupted", { status: 200, message: errors.stream_interrupted.message }),
  });
  return call;
}

const isCounted = (charged: ChargedUsage) => charged.estimated || tokensOf(charged) === 0;

/** An upstream that could run a tool and doesn't say how often it did may have done so as often as it might. */
function withAllCalls(usage: Usage | null, { toolCallsMax }: UsageBounds): Usage | null {
  if (usage === null || toolCallsMax === noToolCalls) return usage;
  return { ...usage, toolCalls: { ...toolCallsMax, ...usage.toolCalls } };
}

/** What its tools brought became a part of the prompt that can't be counted here: without a measured usage it is what was held for. */
function unmeasured(counted: Usage, { inputMax, toolCallsMax }: UsageBounds): Usage {
  if (toolCallsMax === noToolCalls) return counted;
  return { ...counted, input: inputMax - counted.cacheRead - counted.cacheWrite, toolCalls: toolCallsMax };
}

/** What an answer says of the provider's own tools; nothing where none were asked for. */
export function serverToolUse({ prices }: Pick<TokenBill, "prices">): { server_tool_use?: components["schemas"]["ServerToolUsage"] } {
  if (!("web_search" in prices || "web_fetch" in prices)) return {};
  const { web_searches = 0, web_fetches = 0 } = prices;
  return { server_tool_use: { web_search_requests: web_searches, ...("web_fetch" in prices ? { web_fetch_requests: web_fetches } : {}) } };
}

/** An estimate never bills above its hold. */
function atMost(limit: Amount, bill: TokenBill): TokenBill {
  return bill.cost <= limit ? bill : { ...bill, cost: limit };
}

/**
 * Measured usage is charged as far as window and output allow, even above its hold: only that can make a balance negative. Usage above either
 * is the fault of an upstream or of the catalog, such as a window that is too small there: the operator should look at it.
 */
function reportOverruns(
  { log, countOverrun }: Pick<Context, "log" | "countOverrun">,
  { ask, admitted, hold, served }: Pick<TokenCall, "ask" | "admitted" | "hold" | "served">,
  { usage, cost }: TokenBill,
): void {
  const above = [
    ...(withinBounds(usage, hold.bounds) === usage ? [] : (["bounds"] as const)),
    ...(cost > hold.granted ? (["hold"] as const) : []),
  ];
  if (above.length === 0) return;
  for (const kind of above) countOverrun(admitted.model.id, kind);
  log.error(
    { request_id: ask.requestId, route: served?.routeId, above, reserved: usdText(hold.granted), cost: usdText(cost), usage },
    "usage above its reservation",
  );
}
