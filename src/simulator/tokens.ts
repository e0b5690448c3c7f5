// The simulator's token: four bytes of UTF-8. A character belongs to the token that its first byte lies in,
// so cutting a text into tokens never splits a character. Every protocol counts by this rule.

const bytesPerToken = 4;

/** Ceil(bytes / 4), except where the last character alone reaches over the border. */
export function countTokens(text: string): number {
  if (text.length === 0) return 0;
  const last =
    text.codePointAt(text.length - 1)! >= 0xdc00 && text.codePointAt(text.length - 1)! <= 0xdfff ? text.slice(-2) : text.slice(-1);
  const lastBegins = Buffer.byteLength(text) - Buffer.byteLength(last);
  return Math.floor(lastBegins / bytesPerToken) + 1;
}

/** The text cut into its tokens; joined they are the text again. */
export function splitTokens(text: string): string[] {
  const tokens: string[] = [];
  if (Buffer.byteLength(text) === text.length) {
    for (let at = 0; at < text.length; at += bytesPerToken) tokens.push(text.slice(at, at + bytesPerToken));
    return tokens;
  }
  let byte = 0;
  for (const character of text) {
    const token = Math.floor(byte / bytesPerToken);
    tokens[token] = (tokens[token] ?? "") + character;
    byte += Buffer.byteLength(character);
  }
  return tokens;
}
