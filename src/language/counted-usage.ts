// The usage of a call whose upstream reported none (docs/behaviour/billing.md#usage). The prompt is what the upstream measured before the
// end, else a real tokenizer's count, else an estimate from its bytes; the answer is what was sent to the client.
import { type ChargedUsage, tokensOf } from "../calls/log-row.ts";
import type { Context } from "../context.ts";
import { isTimedOut } from "../providers/errors/upstream-error.ts";
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
export function usageCounted(
  call: Answered & { source: { tally: Tally } | null },
  { usage: charged }: ChargedUsage,
  attempt: Attempt,
): Usage {
  const { size, source } = call;
  if (tokensOf({ usage: charged }) > 0) return { ...charged, output: Math.min(charged.output, outputMaxOf(call)) };
  if (source === null) return charged;
  const { usage, prompt, deltas, characters, reasoned } = source.tally;
  const thought = reasoned ? 0 : thoughtUnseen(call, attempt);
  return usage ?? { ...promptAlone(size), ...prompt, output: Math.max(thought, countedOutputTokens(deltas, characters)) };
}

/** For an answer of which nothing could be read. Nobody knows how far one went that was too large. */
export function usageUnread(call: Answered & { stream: boolean }, attempt: Attempt): Usage {
  const { outcome, failure } = attempt;
  const input = promptAlone(call.size);
  if (failure?.cause === "too_large") return { ...input, output: outputMaxOf(call) };
  const wasGivenUp = outcome === "aborted" || (failure !== null && isTimedOut(failure));
  if (!wasGivenUp) return input;
  return { ...input, output: call.stream ? thoughtUnseen(call, attempt) : madeUnseen(call, attempt) }; // a stream shows its text as it is made
}

/** What most models write. */
const tokensPerMs = 0.1;

/** What its upstream is likely to have made of an answer until it was given up, or until its stream began. */
function madeUnseen(call: Answered, { latencyMs }: Attempt): number {
  return Math.min(Math.ceil(latencyMs * tokensPerMs) * call.hold.choices, outputMaxOf(call));
}

/** Of a model that may think without showing it. */
function thoughtUnseen(call: Answered, attempt: Attempt): number {
  return attempt.candidate.model.supports.reasoning ? madeUnseen(call, attempt) : 0;
}

function promptAlone({ tokensLikely }: PromptSize): Usage {
  return { ...noUsage, input: tokensLikely };
}
