// A call that is billed by its tokens: holds the most that it can cost, lowers its output cap to what the balance and the key's budget can pay
// (docs/behaviour/billing.md#reservation), and charges what it used.
import { errors } from "../../generated/errors.ts";
import type { Ask } from "../calls/ask.ts";
import { atLesserPrice, openCall, type PaidCall } from "../calls/call.ts";
import { aborted, type Bill, type ChargedUsage, type Hold, noError, type Outcome, tokensOf } from "../calls/log-row.ts";
import { type Likely, tryReserving } from "../calls/quote.ts";
import { refuseUnpaid } from "../calls/refusals.ts";
import type { Resolved } from "../catalog/resolve.ts";
import { pricesAsLogged } from "../catalog/prepare.ts";
import { batchTier, cacheTier, ownTiers, type Catalog, type Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import { readUsualOutput } from "../ledger/read-usage-log.ts";
import type { Reserved } from "../ledger/reserve.ts";
import { type Amount, million, usdText } from "../money.ts";
import { affordableOutputTokens, chargedTier, heldPricesOf, pricesOf, tokenCost, tokenCostBound } from "../pricing/token-cost.ts";
import { isBedrockTier } from "../providers/bedrock/request.ts";
import { isGoogleTier } from "../providers/gemini/chat.ts";
import type { Route, Tally } from "../providers/types.ts";
import { isAnthropics } from "../providers/vertex/vertex.ts";
import type { Attempt } from "../routing/attempt.ts";
import type { Candidate } from "../routing/candidates.ts";
import { noUsage, type Usage } from "../usage.ts";
import { type OutputCap, type UsageBounds, withinBounds } from "./context-window.ts";
import { countPrompt, usageCounted, usageUnread } from "./counted-usage.ts";
import type { PromptSize } from "./prompt-size.ts";
import { passesTier } from "./withheld-fields.ts";

export interface TokenHold extends Hold {
  /** The caller's cap; null: none. */
  asked: number | null;
  /** The cap that the balance pays for; null where it pays for all that was asked for. */
  lowered: number | null;
  /** The cap that goes to the model's own routes; null: none. */
  sent: number | null;
  /** Output tokens of one answer that are reserved for, with or without a cap. */
  outputMax: number;
  /** Answers asked for. */
  choices: number;
  bounds: UsageBounds;
  /** Tokens that are held for one image. */
  imageTokensMax: number;
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

type Opening = Pick<Context, "db" | "admitCall" | "catalog" | "publicUrl" | "clock" | "ledger" | "log" | "countAttempt" | "countOverrun">;

/** What a call is opened for. */
export interface TokenRequest {
  admitted: Resolved;
  stream: boolean;
  size: PromptSize;
  cap: OutputCap;
  /** The service tier that was asked for; null: none. */
  tier: string | null;
  candidates: readonly Candidate[];
  /** The most web searches of all answers; 0: none were asked for. */
  webSearches: number;
  /** The provider may summarize the conversation before it answers; absent: never. */
  summarizes?: boolean;
  /** Of the kept answer that answers; absent: a route is asked. */
  kept?: Usage;
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
    const measured = withAllSearches(usage, hold.bounds);
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

/** An upstream that was asked to search and doesn't say how often it did may have done so as often as it might. */
function withAllSearches(usage: Usage | null, { webSearchesMax }: UsageBounds): Usage | null {
  if (usage === null || webSearchesMax === 0 || usage.webSearches !== undefined) return usage;
  return { ...usage, webSearches: webSearchesMax };
}

/** What searches found became a part of the prompt that can't be counted here: without a measured usage it is what was held for. */
function unmeasured(counted: Usage, { inputMax, webSearchesMax }: UsageBounds): Usage {
  if (webSearchesMax === 0) return counted;
  return { ...counted, input: inputMax - counted.cacheRead - counted.cacheWrite, webSearches: webSearchesMax };
}

/**
 * Whether the tier that a request asks for reaches the route's provider: Anthropic has tiers of its own, which no chat request names, and
 * Bedrock's chats go through the same translation.
 */
function carriesTier({ operationId }: Pick<Ask, "operationId">, route: Route, tier: string | null): boolean {
  const { protocol } = route.provider;
  if (protocol === "bedrock") return operationId === "createMessage" && isBedrockTier(tier);
  if (protocol === "gemini" || (protocol === "vertex" && !isAnthropics({ route }))) return isGoogleTier(tier);
  return protocol === "openai" || protocol === "azure-openai" || (protocol === "anthropic" && operationId === "createMessage");
}

/** What its provider was asked for; null: the usual. */
function sentTier(ask: Ask, candidate: Candidate, tier: string | null): string | null {
  return tier !== null && passesTier(tier, candidate) && carriesTier(ask, candidate.route, tier) ? tier : null;
}

/** A batch's line pays the price of batches, unless it asks for a tier that has a price. No request can ask for the price of batches. */
function pricedTier({ isBatch }: Ask, { tokens }: Model, asked: string | null): string | null {
  if (asked !== null && !ownTiers.has(asked) && tokens!.serviceTiers.has(asked)) return asked;
  return isBatch === true ? batchTier : null;
}

/** The tier that the call is likely to have: none where it is cheaper than none and one of the model's routes would not carry it. */
function likelyTier(ask: Ask, { tokens, routes }: Model, tier: string | null): string | null {
  const isCheaper = tier !== null && !isOwn(tier) && (tokens!.serviceTiers.get(tier) ?? million) < million;
  return isCheaper && !routes.every((route) => carriesTier(ask, route, tier)) ? null : tier;
}

const isOwn = (tier: string | null): boolean => tier !== null && ownTiers.has(tier);

/** At the prices of the requested model: a fallback never costs more. What a kept answer costs is known. */
function planHold(context: Opening, ask: Ask, asked: TokenRequest) {
  const { admitted, size, cap, tier, webSearches, summarizes = false, candidates, kept } = asked;
  const { caller, callId, addHeaders, isBatch = false } = ask;
  const { model } = admitted;
  const { maxOutputTokens, outputLimited } = model;
  // After each search the model reads the whole conversation again, with what was found: as much as its window holds.
  const once = model.contextWindow * size.contexts * (1 + webSearches);
  const imageTokens = imageTokensMax(context.catalog, model);
  const prompt = webSearches > 0 ? once : Math.min(size.tokensMax + size.images * imageTokens, once);
  // A summary reads all of it, is as long as an answer can be, and is then read in place of what it says.
  const summary = summarizes ? maxOutputTokens * (1 + webSearches) : 0;
  const inputMax = summarizes ? once * 2 : once;
  const inputTokens = summarizes ? Math.min(prompt * 2 + summary, inputMax) : prompt;
  const intake = { inputTokens, webSearches };
  const prices = heldPricesOf(model.tokens!, { prompt: inputTokens, tier, searches: webSearches > 0 });
  const outputMax = outputLimited ? Math.min(cap.asked ?? maxOutputTokens, maxOutputTokens) : (cap.asked ?? maxOutputTokens);
  // A decisions model has no longest answer: it says a token or a short document for each question.
  const longest = maxOutputTokens === 0 ? inputMax : Math.max(outputMax, maxOutputTokens) * cap.choices + summary;
  const bounds = { inputMax, outputMax: longest, webSearchesMax: webSearches };
  const exact = kept === undefined ? null : billAt(model, kept, bounds, tier).cost;
  const want = exact ?? tokenCostBound(prices, intake, outputMax * cap.choices + summary);
  const least = exact ?? tokenCostBound(prices, intake, Math.min(outputMax, cap.least ?? 1) * cap.choices + summary);
  const id = callId ?? uuidv7(context.clock());
  const money = { id, want, least, isNamed: callId !== undefined };
  const tokens = { input: size.tokensLikely, output: Math.min(cap.asked ?? 0, maxOutputTokens) * cap.choices };
  const affordable = (amount: Amount) => Math.min(outputMax, perChoice(affordableOutputTokens(prices, intake, amount) - summary, cap));
  ask.quote?.({
    ...{ admitted, tokens, want, least, affordable: outputMax === 0 ? null : affordable },
    hold: tryReserving(context, caller, { id, want, least }),
    likely: () => likelyCost(context, caller, model, { size, outputMax: outputMax * cap.choices, tier, webSearches }),
    routes: () => candidates,
  });
  return {
    limited: { caller, model, tokens, addHeaders, isBatch },
    money,
    unpaid: { caller, model, need: least, affordable: outputMax === 0 || exact !== null ? null : affordable },
    holdOf(granted: Amount, { keyLeft, available }: Pick<Reserved, "keyLeft" | "available">): TokenHold {
      const lowered = granted >= want ? null : affordable(granted);
      return {
        id,
        granted,
        asked: cap.asked,
        lowered,
        sent: lowered ?? (outputLimited ? outputMax : cap.asked),
        outputMax: lowered ?? outputMax,
        choices: cap.choices,
        bounds,
        imageTokensMax: imageTokens,
        available: keyLeft !== null && keyLeft < available ? keyLeft : available,
      };
    },
  };
}

/** Of an answer to an account that has not called the model lately. */
const usualAnswerTokens = 300;

async function likelyCost(
  context: Pick<Context, "db" | "log">,
  { accountId }: Ask["caller"],
  model: Model,
  { size, outputMax, tier, webSearches }: Pick<TokenRequest, "size" | "tier" | "webSearches"> & { outputMax: number },
): Promise<Likely> {
  const input = await countPrompt(context, size);
  const recent = outputMax === 0 ? null : await readUsualOutput(context.db, accountId, model.id);
  const output = Math.min(outputMax, recent ?? usualAnswerTokens);
  const prices = pricesOf(model.tokens!, { prompt: input, tier, searches: webSearches > 0 });
  const { cost } = tokenCost(prices, { ...noUsage, input, output, webSearches: Math.min(webSearches, 1) }); // who may search does it once, as a rule
  return { cost, basis: outputMax === 0 ? "input" : recent === null ? "usual_answer" : "recent_calls", tokens: { input, output } };
}

function perChoice(tokens: number, { choices }: OutputCap): number {
  return Math.max(0, Math.floor(tokens / choices));
}

/** A fallback may make more tokens of an image, and is charged at most what this model would have cost with them. */
function imageTokensMax({ models }: Pick<Catalog, "models">, model: Model): number {
  return Math.max(model.imageTokensMax, ...model.fallbacks.map((id) => models.get(id)?.imageTokensMax ?? 0));
}

/** The bill shows usage as it was measured, and charges what window and output allow. */
function billAt({ id, tokens }: Model, usage: Usage, bounds: UsageBounds, tier: string | null): TokenBill {
  const charged = withinBounds(usage, bounds);
  const terms = tokens!; // the catalog's check lets no other billing through for these types
  const prompt = charged.input + charged.cacheRead + charged.cacheWrite;
  const searches = bounds.webSearchesMax > 0;
  const prices = pricesOf(terms, { prompt, tier, searches });
  const logged = prices === terms.prices ? terms.logged : pricesAsLogged(id, prices, searches ? charged.webSearches : 0);
  return { usage, prices: logged, ...tokenCost(prices, charged) };
}

/** What an answer says of the provider's own tools; nothing where none were asked for. */
export function serverToolUse({ prices }: Pick<TokenBill, "prices">): { server_tool_use?: { web_search_requests: number } } {
  if (!("web_search" in prices)) return {};
  return { server_tool_use: { web_search_requests: prices.web_searches ?? 0 } };
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
