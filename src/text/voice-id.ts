// Validates the id of a voice: it becomes part of a provider's address, of our database and of lists.

/** Characters that no provider's ids hold, and that would lead to another path of the provider. */
const oddCharacter = /[\p{C}\p{Zl}\p{Zp}/\\?#%]/u;
const lengthMax = 256;

export function isVoiceId(text: string): boolean {
  return text !== "" && text.length <= lengthMax && text !== "." && text !== ".." && !oddCharacter.test(text);
}
