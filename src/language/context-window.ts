// How much of a model's context window a prompt takes. A prompt that cannot fit is refused before anything is held.
import type { OperationId } from "../../generated/operations.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail } from "../errors/fail.ts";
import { countPrompt } from "./counted-usage.ts";
import type { PromptSize } from "./prompt-size.ts";

export interface OutputCap {
  /** Output tokens asked for; null where the caller set no cap. */
  asked: number | null;
  /** Answers asked for (`n`), each as long as the cap. */
  choices: number;
  /** An answer with room for fewer output tokens is not begun where the balance pays for no more; absent: 1. */
  least?: number;
}

/** For operations that are billed by their input alone. */
export const noOutput: OutputCap = { asked: 0, choices: 1 };

/** The field that holds the prompt; in all other operations `messages`. */
const promptFields: Partial<Record<OperationId, string>> = {
  createCompletion: "prompt",
  createResponse: "input",
  compactResponse: "input",
  createEmbeddings: "input",
  createRerank: "documents",
  createDecision: "state",
  createSystemOneDecision: "state",
};

/** A text has at most as many tokens as bytes. More than two tokens in four bytes is so rare that the upstream may refuse it. */
export function surelyFits({ contextWindow, imageTokensMax }: Model, { tokensMax, images, tokensLikely, prompts }: PromptSize): boolean {
  const window = contextWindow * prompts;
  return tokensMax + images * imageTokensMax <= window || tokensLikely * 2 <= window;
}

/**
 * A model's own tokenizer may make up to a fifth fewer tokens than ours, for Chinese, code or digits. The upstream decides what lies
 * between, and that costs at most the window, which is reserved.
 */
const countedAtMost = 1.25;

/** Fails with 400 request_rejected. Counts with a real tokenizer: a bound from bytes alone would refuse prompts that fit. */
export async function assertRoom(context: Pick<Context, "log">, model: Model, size: PromptSize, operationId: OperationId): Promise<void> {
  const window = model.contextWindow * size.prompts;
  const tokens = await countPrompt(context, size);
  const isExact = size.tokensLikely === size.tokensMax; // the caller sent tokens
  if (tokens <= window * (isExact ? 1 : countedAtMost)) return;
  // Clients shorten a conversation by themselves where they read "prompt is too long" (Anthropic's) or "maximum context length" (OpenAI's).
  const reason = `prompt is too long: about ${tokens} tokens, and the maximum context length of ${model.id} is ${window} tokens`;
  fail("request_rejected", { param: promptFields[operationId] ?? "messages", text: { reason } });
}

/** Whether prompt and answer probably fit into the model's window, with the cap lowered to what the model can write. */
export function hasRoom(model: Model, { tokensLikely, prompts }: PromptSize, { asked }: OutputCap): boolean {
  return tokensLikely + Math.min(asked ?? 0, model.maxOutputTokens) <= model.contextWindow * prompts;
}
