// What a model says and thinks, as the list of its tokens; the same in every protocol.
// Owns length, stop sequences and documents; which of it is sent in which shape belongs to the protocols.
import type { Directives } from "./directive-list.ts";
import { echo, splitTokens, writeSentences } from "./prose.ts";
import { sampleSchema, type Schema } from "./schema-sample.ts";
import { type Random, wholeBetween } from "./seed.ts";

/** How many tokens an effort thinks. */
export const tokensByEffort: Record<string, number> = { none: 0, minimal: 8, low: 16, medium: 32, high: 64, xhigh: 96, max: 128 };

export function writeThought(random: Random, tokens: number): string[] {
  return tokens > 0 ? splitTokens(writeSentences(random, tokens)).slice(0, tokens) : [];
}

/** The tokens of a text or a document; sim-tokens-N sets how many. */
export function writeText(asked: { directives: Directives; documentSchema: Schema | null; userText: string }, random: Random): string[] {
  const { directives, documentSchema } = asked;
  if (documentSchema !== null) return splitTokens(JSON.stringify(sampleSchema(documentSchema, random)));
  const lengthMin = directives.tokens ?? wholeBetween(random, 16, 48);
  const opening = echo(asked.userText);
  const tokens = splitTokens(opening + writeSentences(random, lengthMin));
  return directives.tokens === undefined ? tokens : tokens.slice(0, directives.tokens);
}

/** The same list and null where no stop sequence occurs; else the text before the first one, cut into tokens anew, and that one. */
export function stopAt(tokens: string[], stop: readonly string[]): { tokens: string[]; stoppedBy: string | null } {
  if (stop.length === 0) return { tokens, stoppedBy: null };
  const text = tokens.join("");
  let at = Number.POSITIVE_INFINITY;
  let stoppedBy: string | null = null;
  for (const sequence of stop) {
    const found = text.indexOf(sequence);
    if (found >= 0 && found < at) [at, stoppedBy] = [found, sequence];
  }
  return stoppedBy === null ? { tokens, stoppedBy } : { tokens: splitTokens(text.slice(0, at)), stoppedBy };
}

/** sim-big-N: a token is shown N bytes wide, and still counts as one. Widened where it is sent, so that memory stays flat. */
export function widen(token: string, { bigBytes }: Directives): string {
  return bigBytes === undefined ? token : token + ".".repeat(Math.max(0, bigBytes - Buffer.byteLength(token)));
}
