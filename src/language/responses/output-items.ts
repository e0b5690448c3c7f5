// A chat answer, piece by piece, as output items and the records that tell of them. One machine for streams and whole
// answers, so that both say the same.
import { unreadable } from "../../providers/transport/json-answer.ts";
import { answerBytesMax } from "../../providers/transport/exchange.ts";
import { addCall, closeCalls } from "./call-items.ts";
import type { Delta, Output } from "./output.ts";
import type { Logprob } from "./types.ts";
import { closeCurrent, isTextOpen, say, think } from "./said-items.ts";

/** Throws for more than a whole answer may hold. `logprobs` are those of the piece's tokens. */
export function addDelta(output: Output, { reasoning_content, content, refusal, tool_calls }: Delta, logprobs: Logprob[] = []): void {
  const texts = [reasoning_content, content, refusal, ...(tool_calls ?? []).map((call) => call.function?.arguments)];
  output.characters += texts.reduce<number>((sum, text) => sum + (text?.length ?? 0), 0);
  if (logprobs.length > 0) output.characters += JSON.stringify(logprobs).length;
  if (output.characters > answerBytesMax) throw unreadable("the answer is too large");
  if (reasoning_content) think(output, reasoning_content);
  if (content) say(output, "output_text", content, logprobs);
  // The first tokens of a character that takes several come before any text of it.
  else if (logprobs.length > 0 && !refusal && !tool_calls?.length && isTextOpen(output)) say(output, "output_text", "", logprobs);
  if (refusal) say(output, "refusal", refusal);
  for (const delta of tool_calls ?? []) addCall(output, delta);
}

/** `cut`: the answer was ended by a limit, so what was said last is incomplete. */
export function endOutput(output: Output, cut: boolean): void {
  closeCurrent(output, cut);
  closeCalls(output, cut);
}
