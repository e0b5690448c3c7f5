// How much of a model's context window a prompt takes: one that surely does not fit is refused before any hold, and what an upstream says it read
// beyond the window is not charged.
import type { OperationId } from "../../generated/operations.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import type { Usage } from "../usage.ts";
import { countPrompt } from "./counted-usage.ts";
import type { PromptSize } from "./prompt-size.ts";
import type { OutputCap } from "./reserve.ts";

/** Where the prompt stands; elsewhere in `messages`. */
const promptFields: Partial<Record<OperationId, string>> = {
  createCompletion: "prompt",
  createResponse: "input",
  createEmbeddings: "input",
  createRerank: "documents",
  createDecision: "state",
  createSystemOneDecision: "state",
};

/** No text has more tokens than bytes, and one of more than two in four bytes is rare enough for its upstream to refuse it. */
export function surelyFits({ contextWindow }: Model, { tokensMax, tokensLikely, prompts }: PromptSize): boolean {
  const window = contextWindow * prompts;
  return tokensMax <= window || tokensLikely * 2 <= window;
}

/**
 * A model's own tokenizer may make fewer tokens of the same text than the one we count with: up to a fifth of Chinese, of code, of digits.
 * What lies between is its upstream's to refuse, and costs no more than the window, which is reserved.
 */
const countedAtMost = 1.25;

/** 400 request_rejected, by a real tokenizer: bytes alone would refuse prompts that fit. */
export async function assertRoom(context: Pick<Context, "log">, model: Model, size: PromptSize, operationId: OperationId): Promise<void> {
  const window = model.contextWindow * size.prompts;
  const tokens = await countPrompt(context, size);
  const isExact = size.tokensLikely === size.tokensMax; // the caller sent tokens
  if (tokens <= window * (isExact ? 1 : countedAtMost)) return;
  // Clients shorten a conversation by themselves where they read "prompt is too long" (Anthropic's) or "maximum context length" (OpenAI's).
  const reason = `prompt is too long: about ${tokens} tokens, and the maximum context length of ${model.id} is ${window} tokens`;
  fail("request_rejected", { param: promptFields[operationId] ?? "messages", text: { reason } });
}

/** Whether prompt and answer probably fit into the model's window; the cap is lowered to what the model can write. */
export function hasRoom(model: Model, { tokensLikely, prompts }: PromptSize, { asked }: OutputCap): boolean {
  return tokensLikely + Math.min(asked ?? 0, model.maxOutputTokens) <= model.contextWindow * prompts;
}

/** Of a usage what the windows hold. The dearer input goes first. */
export function withinWindows(usage: Usage, inputMax: number): Usage {
  let above = usage.input + usage.cacheWrite + usage.cacheRead - inputMax;
  if (above <= 0) return usage;
  const lowered = { ...usage };
  for (const kind of ["input", "cacheWrite", "cacheRead"] as const) {
    const less = Math.min(above, lowered[kind]);
    lowered[kind] -= less;
    above -= less;
  }
  return lowered;
}
