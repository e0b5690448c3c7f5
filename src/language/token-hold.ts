// What a call that is billed by its tokens holds: the most that it can cost, with its output cap lowered to what the balance and the key's
// budget can pay (docs/behaviour/billing.md#reservation). A quote is told the same.
import type { Ask } from "../calls/ask.ts";
import type { Hold } from "../calls/log-row.ts";
import { type Likely, tryReserving } from "../calls/quote.ts";
import type { Resolved } from "../catalog/resolve.ts";
import { batchTier, type Catalog, type Model, ownTiers } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { uuidv7 } from "../ids.ts";
import { readUsualOutput } from "../ledger/read-usage-log.ts";
import type { Reserved } from "../ledger/reserve.ts";
import { type Amount, million } from "../money.ts";
import {
  affordableOutputTokens,
  billAt,
  heldPricesOf,
  pricesOf,
  tokenCost,
  tokenCostBound,
  type UsageBounds,
} from "../pricing/token-cost.ts";
import type { Candidate } from "../routing/candidates.ts";
import { byTool, noToolCalls, noUsage, sumOfCalls, type ToolCalls, type Usage } from "../usage.ts";
import type { OutputCap } from "./context-window.ts";
import { countPrompt } from "./counted-usage.ts";
import type { PromptSize } from "./prompt-size.ts";
import { carriesTier } from "./withheld-fields.ts";

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

export type Opening = Pick<
  Context,
  "db" | "admitCall" | "catalog" | "publicUrl" | "clock" | "ledger" | "log" | "countAttempt" | "countOverrun"
>;

/** What a call is opened for. */
export interface TokenRequest {
  admitted: Resolved;
  stream: boolean;
  size: PromptSize;
  cap: OutputCap;
  /** The service tier that was asked for; null: none. */
  tier: string | null;
  candidates: readonly Candidate[];
  /** The most calls of tools that the provider may run for all answers. */
  toolCalls: ToolCalls;
  /** The provider may summarize the conversation before it answers; absent: never. */
  summarizes?: boolean;
  /** Of the kept answer that answers; absent: a route is asked. */
  kept?: Usage;
}

/** A batch's line pays the price of batches, unless it asks for a tier that has a price. No request can ask for the price of batches. */
export function pricedTier({ isBatch }: Ask, { tokens }: Model, asked: string | null): string | null {
  if (asked !== null && !ownTiers.has(asked) && tokens!.serviceTiers.has(asked)) return asked;
  return isBatch === true ? batchTier : null;
}

/** The tier that the call is likely to have: none where it is cheaper than none and one of the model's routes would not carry it. */
export function likelyTier(ask: Ask, { tokens, routes }: Model, tier: string | null): string | null {
  const isCheaper = tier !== null && !isOwn(tier) && (tokens!.serviceTiers.get(tier) ?? million) < million;
  return isCheaper && !routes.every((route) => carriesTier(ask, route, tier)) ? null : tier;
}

export const isOwn = (tier: string | null): boolean => tier !== null && ownTiers.has(tier);

/** At the prices of the requested model: a fallback never costs more. What a kept answer costs is known. */
export function planHold(context: Opening, ask: Ask, asked: TokenRequest) {
  const { admitted, size, cap, tier, toolCalls, summarizes = false, candidates, kept } = asked;
  const { caller, callId, addHeaders, isBatch = false } = ask;
  const { model } = admitted;
  const { maxOutputTokens, outputLimited } = model;
  // After each call of such a tool the model reads the whole conversation again, with what it brought: as much as its window holds.
  const calls = toolCalls === noToolCalls ? 0 : sumOfCalls(toolCalls);
  const once = model.contextWindow * size.contexts * (1 + calls);
  const imageTokens = imageTokensMax(context.catalog, model);
  const prompt = calls > 0 ? once : Math.min(size.tokensMax + size.images * imageTokens, once);
  // A summary reads all of it, is as long as an answer can be, and is then read in place of what it says.
  const summary = summarizes ? maxOutputTokens * (1 + calls) : 0;
  const inputMax = summarizes ? once * 2 : once;
  const inputTokens = summarizes ? Math.min(prompt * 2 + summary, inputMax) : prompt;
  const intake = { inputTokens, toolCalls };
  const prices = heldPricesOf(model.tokens!, { prompt: inputTokens, tier, toolCalls });
  const outputMax = outputLimited ? Math.min(cap.asked ?? maxOutputTokens, maxOutputTokens) : (cap.asked ?? maxOutputTokens);
  // A decisions model has no longest answer: it says a token or a short document for each question.
  const longest = maxOutputTokens === 0 ? inputMax : Math.max(outputMax, maxOutputTokens) * cap.choices + summary;
  const bounds = { inputMax, outputMax: longest, toolCallsMax: toolCalls };
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
    likely: () => likelyCost(context, caller, model, { size, outputMax: outputMax * cap.choices, tier, toolCalls }),
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
  { size, outputMax, tier, toolCalls }: Pick<TokenRequest, "size" | "tier" | "toolCalls"> & { outputMax: number },
): Promise<Likely> {
  const input = await countPrompt(context, size);
  const recent = outputMax === 0 ? null : await readUsualOutput(context.db, accountId, model.id);
  const output = Math.min(outputMax, recent ?? usualAnswerTokens);
  const prices = pricesOf(model.tokens!, { prompt: input, tier, toolCalls });
  const once = byTool((tool) => (toolCalls[tool] === undefined ? undefined : Math.min(toolCalls[tool], 1))); // who may search does it once, as a rule
  const { cost } = tokenCost(prices, { ...noUsage, input, output, toolCalls: once });
  return { cost, basis: outputMax === 0 ? "input" : recent === null ? "usual_answer" : "recent_calls", tokens: { input, output } };
}

function perChoice(tokens: number, { choices }: OutputCap): number {
  return Math.max(0, Math.floor(tokens / choices));
}

/** A fallback may make more tokens of an image, and is charged at most what this model would have cost with them. */
function imageTokensMax({ models }: Pick<Catalog, "models">, model: Model): number {
  return Math.max(model.imageTokensMax, ...model.fallbacks.map((id) => models.get(id)?.imageTokensMax ?? 0));
}
