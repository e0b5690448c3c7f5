// The prompts of music and sound effects. Each model bounds their length, so a refusal names the model and its bound.
import { countShown, countText } from "../text/counted-text.ts";
import { fail } from "../errors/fail.ts";

/** After Unicode NFC normalisation. Fails with prompt_too_long. */
export function readPromptText(given: string, max: number, { param, model }: { param: string; model: { id: string } }): string {
  const counted = countText(given, max);
  if (counted.characters > max) fail("prompt_too_long", { param, text: { count: countShown(counted, max), model: model.id, max, param } });
  return counted.text;
}
