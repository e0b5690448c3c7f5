// What a call used whose upstream never said (PEERS.md 5.6): the prompt by a real tokenizer, the answer by what went out.
import type { Usage } from "../usage.ts";
import { countedOutputTokens, type PromptSize } from "./prompt-size.ts";

export async function countedUsage(size: PromptSize, shown: { deltas: number; characters: number }): Promise<Usage> {
  const output = countedOutputTokens(shown.deltas, shown.characters);
  return { input: await size.countTokens(), cacheRead: 0, cacheWrite: 0, output, reasoning: 0 };
}
