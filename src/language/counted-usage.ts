// What a call used whose upstream never said (PEERS.md 5.6): the prompt as it was measured before the end, else by a real
// tokenizer, else by its bytes; the answer by what went out.
import type { Context } from "../context.ts";
import type { Tally } from "../providers/types.ts";
import type { Usage } from "../usage.ts";
import { countedOutputTokens, type PromptSize } from "./prompt-size.ts";

export async function countedUsage(
  context: Pick<Context, "log">,
  size: PromptSize,
  shown: Pick<Tally, "deltas" | "characters" | "prompt">,
): Promise<Usage> {
  const prompt = shown.prompt ?? { input: await countPrompt(context, size), cacheRead: 0, cacheWrite: 0 };
  return { ...prompt, output: countedOutputTokens(shown.deltas, shown.characters), reasoning: 0 };
}

/** Never rejects: what was delivered is not given away because our own tokenizer failed, and no hold is left without an end. */
export async function countPrompt({ log }: Pick<Context, "log">, size: PromptSize): Promise<number> {
  try {
    return await size.countTokens();
  } catch (error) {
    log.error({ err: error }, "a prompt could not be counted by the tokenizer, so its bytes were");
    return size.tokensLikely;
  }
}
