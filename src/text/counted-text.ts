// A caller's text as limits and prices count it: its characters are the code points after Unicode NFC normalisation. Ids of voices, which
// are such texts too.

export interface CountedText {
  /** Normalised, unless the text is far too long. */
  text: string;
  /** Infinity: so far above `max` that they were not counted. */
  characters: number;
}

/** At most four code points normalise into one, as in U+1F82 (Unicode Annex 15). */
const foldedMax = 4;

/**
 * Ordering marks takes quadratic time in the length of a run (40,000 take seconds), so a text that can't shrink to `max` is never
 * normalised: neither one that is too long beforehand, nor one with too many marks after one letter.
 */
export function countText(given: string, max: number): CountedText {
  // Half of a surrogate pair is not a character: it replaces what an encoder could not read.
  const whole = given.toWellFormed();
  const tooLong =
    whole.length > 2 * foldedMax * max || (whole.match(/\p{M}+/gu) ?? []).some((marks) => charactersOf(marks) > max + foldedMax);
  if (tooLong) return { text: whole, characters: Infinity };
  const text = whole.normalize("NFC");
  return { text, characters: charactersOf(text) };
}

/** True for text without visible or audible content: blanks, controls and invisible characters. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** For the refusal's message. */
export function countShown({ characters }: CountedText, max: number): string {
  return characters === Infinity ? `far more than ${max}` : String(characters);
}

function charactersOf(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

// Validates the id of a voice: it becomes part of a provider's address, of our database and of lists.

/** Characters that no provider's ids contain, and that would change the path at the provider. */
const oddCharacter = /[\p{C}\p{Zl}\p{Zp}/\\?#%]/u;
const lengthMax = 256;

export function isVoiceId(text: string): boolean {
  return text !== "" && text.length <= lengthMax && text !== "." && text !== ".." && !oddCharacter.test(text);
}
