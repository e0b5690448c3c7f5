// A text that a regular expression accepts, by randexp. Whatever it makes is checked against the expression; what can't be made is null,
// never wrong.
import randexp from "randexp";
import { wholeBetween, type Random } from "./seed.ts";

/** What the package exports is the class itself; its types are those of a module that holds it. */
const RandExp = randexp as unknown as typeof randexp.default;

/** Repetitions without an upper bound are short. */
const repeatsMax = 4;
/** Characters. A few counts inside each other would order more than memory holds. */
const orderedMax = 1_000_000;

export function samplePattern(pattern: string, random: Random): string | null {
  if (orderedRepeats(pattern) > orderedMax) return null;
  try {
    const sampler = new RandExp(pattern, "u");
    sampler.max = repeatsMax;
    sampler.randInt = (from, to) => wholeBetween(random, from, to);
    const made = sampler.gen();
    return new RegExp(pattern, "u").test(made) ? made : null;
  } catch {
    return null;
  }
}

/** As many as a pattern's counts allow, were they all inside each other. */
function orderedRepeats(pattern: string): number {
  return [...pattern.matchAll(/\{(\d+),?(\d*)\}/g)].reduce((product, [, least, most]) => product * Math.max(1, Number(most || least)), 1);
}
