// From the alternatives of a first token to how likely each option is (WIRE.md 10.4). Pure; knows neither prompts nor hosts.
import type { ChatCompletion } from "../../providers/types.ts";
import { arrayOf, isObject, objectOf } from "../../providers/json/read.ts";

/** Hosts say about -9999 of what is not in their list. */
const absentBelow = -9_000;
const parts = 1_000_000;
/** More than any host tells, and longer than any token of a vocabulary: of either an answer may hold millions. */
const alternativesMax = 1_000;
const tokenMax = 256;

/**
 * Shares of 1, one a label in order, each a multiple of a millionth. Null where the answer tells nothing of the labels:
 * no log probabilities, no alternatives to the token that was said, or none of the labels among them.
 */
export function labelOdds({ choices }: Pick<ChatCompletion, "choices">, labels: readonly string[]): number[] | null {
  const [first] = arrayOf(objectOf(choices[0]?.["logprobs"])["content"]);
  const seen = alternativesOf(first);
  if (seen.size < Math.min(2, labels.length)) return null;
  const highest = Math.max(...seen.values());
  const lowest = Math.min(...seen.values());
  const weights = new Map<string, number>();
  for (const [token, logprob] of seen) {
    const label = bareWord(token);
    weights.set(label, (weights.get(label) ?? 0) + Math.exp(logprob - highest));
  }
  if (!labels.some((label) => weights.has(label))) return null;
  // What is not in the list is at most as likely as the last that is.
  const floor = Math.exp(lowest - highest);
  return sharesOf(labels.map((label) => weights.get(label) ?? floor));
}

/** Token to log probability: the list, and the token that was said where a host leaves it out. */
function alternativesOf(entry: unknown): Map<string, number> {
  const seen = new Map<string, number>();
  for (const alternative of [...arrayOf(objectOf(entry)["top_logprobs"]).slice(0, alternativesMax), entry]) {
    if (!isObject(alternative)) continue;
    const { token, logprob } = alternative;
    if (typeof token === "string" && token.length <= tokenMax && typeof logprob === "number" && logprob > absentBelow && !seen.has(token))
      seen.set(token, logprob);
  }
  return seen;
}

/** `" a"`, `"A)"` and the `"▁A"` and `"ĠA"` of hosts that show their tokenizer's own spaces all mean A. */
function bareWord(token: string): string {
  return token.replace(/^[\s▁Ġ("'*]+|[\s).:,"'*]+$/g, "").toUpperCase();
}

/** Rounded by the largest remainder, so that they sum to 1 and the likelier never gets less. */
export function sharesOf(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map((weight) => (weight / total) * parts);
  const whole = exact.map(Math.floor);
  const left = parts - whole.reduce((sum, count) => sum + count, 0);
  const byRemainder = exact.map((share, at) => ({ at, remainder: share - Math.floor(share) })).sort((a, b) => b.remainder - a.remainder);
  for (const { at } of byRemainder.slice(0, left)) whole[at] = (whole[at] as number) + 1;
  return whole.map((count) => count / parts);
}
