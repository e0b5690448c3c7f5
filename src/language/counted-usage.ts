// The usage of a call whose upstream reported none (docs/behaviour/billing.md#usage). The prompt is what the upstream measured before the
// end, else a real tokenizer's count, else an estimate from its bytes; the answer is what was sent to the client.
import { type ChargedUsage, tokensOf } from "../calls/log-row.ts";
import type { Context } from "../context.ts";
import type { Tally } from "../providers/types.ts";
import type { Attempt } from "../routing/attempt.ts";
import { noUsage, type Usage } from "../usage.ts";
import { countedOutputTokens, type PromptSize } from "./prompt-size.ts";

export async function countedUsage(
  context: Pick<Context, "log">,
  size: PromptSize,
  shown: Pick<Tally, "deltas" | "characters" | "prompt">,
): Promise<Usage> {
  const prompt = shown.prompt ?? { input: await countPrompt(context, size), cacheRead: 0, cacheWrite: 0 };
  return { ...prompt, output: countedOutputTokens(shown.deltas, shown.characters), reasoning: 0 };
}

/** Never rejects: a failure of our own tokenizer must neither make an answer free nor leave a hold open. */
export async function countPrompt({ log }: Pick<Context, "log">, size: PromptSize): Promise<number> {
  try {
    return await size.countTokens();
  } catch (error) {
    log.error({ err: error }, "a prompt could not be counted by the tokenizer; its bytes were counted instead");
    return size.tokensLikely;
  }
}

// What an upstream bills, beside what its caller is charged (docs/behaviour/billing.md#expenses).

interface Answered {
  size: PromptSize;
  hold: { outputMax: number; choices: number };
}

/** What it was told to make at most. */
const outputMaxOf = ({ hold }: Answered) => hold.outputMax * hold.choices;

/** For an answer that was not measured, or of which nothing is charged, such as an interrupted stream. A count above the cap is the count's mistake. */
export function usageCounted(call: Answered & { source: { tally: Tally } | null }, { usage: charged }: ChargedUsage): Usage {
  const { size, source } = call;
  if (tokensOf({ usage: charged }) > 0) return { ...charged, output: Math.min(charged.output, outputMaxOf(call)) };
  if (source === null) return charged;
  const { usage, prompt, deltas, characters } = source.tally;
  return usage ?? { ...promptAlone(size), ...prompt, output: countedOutputTokens(deltas, characters) };
}

/** For an answer of which nothing could be read. Nobody knows how far one went that was too large. */
export function usageUnread(call: Answered, { failure }: Attempt): Usage {
  return { ...promptAlone(call.size), output: failure?.cause === "too_large" ? outputMaxOf(call) : 0 };
}

function promptAlone({ tokensLikely }: PromptSize): Usage {
  return { ...noUsage, input: tokensLikely };
}
