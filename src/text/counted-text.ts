// A caller's text as limits and prices count it: its characters are the code points after Unicode NFC normalisation. Ids of voices, which
// are such texts too.

export interface CountedText {
  /** Normalised, unless it is far too long. */
  text: string;
  /** Infinity: so many more than `max` that they were not counted. */
  characters: number;
}

/** Normalised into one character are at most four, as in U+1F82 (Unicode Annex 15). */
const foldedMax = 4;

/**
 * Putting marks in order takes the square of how many follow one another (40,000 take seconds), so a text that can't come down to `max`
 * is never normalised: neither one that is too long before, nor one where more marks than that stand behind one letter.
 */
export function countText(given: string, max: number): CountedText {
  // Half of a pair is no character at all: it stands for what an encoder could not read.
  const whole = given.toWellFormed();
  const tooLong =
    whole.length > 2 * foldedMax * max || (whole.match(/\p{M}+/gu) ?? []).some((marks) => charactersOf(marks) > max + foldedMax);
  if (tooLong) return { text: whole, characters: Infinity };
  const text = whole.normalize("NFC");
  return { text, characters: charactersOf(text) };
}

/** True for text with nothing to see or say: blanks, controls and characters without a shape. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** For a sentence that refuses it. */
export function countShown({ characters }: CountedText, max: number): string {
  return characters === Infinity ? `far more than ${max}` : String(characters);
}

function charactersOf(text: string): number {
  let characters = 0;
  for (const _ of text) characters += 1;
  return characters;
}

// Validates the id of a voice: it becomes part of a provider's address, of our database and of lists.

/** Characters that no provider's ids hold, and that would lead to another path of the provider. */
const oddCharacter = /[\p{C}\p{Zl}\p{Zp}/\\?#%]/u;
const lengthMax = 256;

export function isVoiceId(text: string): boolean {
  return text !== "" && text.length <= lengthMax && text !== "." && text !== ".." && !oddCharacter.test(text);
}
