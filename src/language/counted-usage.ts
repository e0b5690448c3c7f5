// What a call used whose upstream never said (PEERS.md 5.6): the prompt as it was measured before the end, else by a real
// tokenizer; the answer by what went out.
import type { Tally } from "../providers/types.ts";
import type { Usage } from "../usage.ts";
import { countedOutputTokens, type PromptSize } from "./prompt-size.ts";

export async function countedUsage(size: PromptSize, shown: Pick<Tally, "deltas" | "characters" | "prompt">): Promise<Usage> {
  const prompt = shown.prompt ?? { input: await size.countTokens(), cacheRead: 0, cacheWrite: 0 };
  return { ...prompt, output: countedOutputTokens(shown.deltas, shown.characters), reasoning: 0 };
}
