// What may be the id of a voice: text that is part of a provider's address, of our database and of lists.

/** What no provider's ids hold, and what would lead to another path of the provider. */
const oddCharacter = /[\p{C}\p{Zl}\p{Zp}/\\?#%]/u;
const lengthMax = 256;

export function isVoiceId(text: string): boolean {
  return text !== "" && text.length <= lengthMax && text !== "." && text !== ".." && !oddCharacter.test(text);
}
