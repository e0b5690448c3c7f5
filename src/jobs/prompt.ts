// The prompt of a picture or a clip: 1 to 4000 characters, counted after Unicode NFC normalisation (gateway-api.md, cross-cutting rule 5),
// and nothing that the database could not keep.
import { fail } from "../fail.ts";

const charactersMax = 4000;

/** The prompt as it goes on, normalised. Fails with invalid_prompt. */
export function readPrompt(prompt: string | null | undefined): string {
  if (prompt === undefined || prompt === null) failPrompt("it is missing");
  if (prompt.includes("\0")) failPrompt("it holds a NUL character");
  // Half of a pair is no character at all: it stands for what an encoder could not read.
  const normal = prompt.toWellFormed().normalize("NFC");
  if (normal.trim() === "") failPrompt("it is empty");
  // Two units make a character at most, so nothing of a long text needs counting.
  const characters = normal.length > 2 * charactersMax ? Infinity : [...normal].length;
  if (characters > charactersMax) failPrompt(`it has more than ${charactersMax} characters`);
  return normal;
}

function failPrompt(reason: string): never {
  fail("invalid_prompt", { param: "prompt", text: { reason } });
}
