// The prompt of a picture or a clip: 1 to 4000 characters, counted after Unicode NFC normalisation (gateway-api.md, cross-cutting rule 5),
// and nothing that the database could not keep.
import { countText } from "../text/counted-text.ts";
import { fail } from "../errors/fail.ts";

const charactersMax = 4000;

/** The prompt as it goes on, normalised. Fails with invalid_prompt. */
export function readPrompt(prompt: string | null | undefined): string {
  if (prompt === undefined || prompt === null) failPrompt("it is missing");
  if (prompt.includes("\0")) failPrompt("it holds a NUL character");
  const { text, characters } = countText(prompt, charactersMax);
  if (characters > charactersMax) failPrompt(`it has more than ${charactersMax} characters`);
  if (text.trim() === "") failPrompt("it is empty");
  return text;
}

function failPrompt(reason: string): never {
  fail("invalid_prompt", { param: "prompt", text: { reason } });
}
