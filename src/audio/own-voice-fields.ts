// Validates the texts of a new voice: counted in characters after Unicode NFC normalisation, without anything that the database can't
// store.
import type { components } from "../../generated/api.d.ts";
import { countShown, countText } from "../text/counted-text.ts";
import { fail, failParameter } from "../errors/fail.ts";

const nameMax = 64;
const descriptionMax = 1000;
const previewMax = 500;

/** Null where no name was given; the voice's id then serves as its name. Fails with invalid_parameter. */
export function readVoiceName(name: string | null | undefined): string | null {
  const normal = readShort(name, nameMax, "name");
  if (normal !== null && /\p{Cc}/u.test(normal)) failParameter("name", "it holds control characters");
  return normal;
}

export interface VoiceDesign {
  /** Includes gender and age where they were given. */
  description: string;
  /** Null: the provider's own. */
  previewText: string | null;
}

/** Fails with missing_parameter, description_too_long or invalid_parameter. */
export function readDesign(request: components["schemas"]["VoiceDesignRequest"]): VoiceDesign {
  const counted = countText((request.description ?? request.text ?? "").trim(), descriptionMax);
  const { text: description, characters } = counted;
  if (description === "") fail("missing_parameter", { param: "description", text: { param: "description" } });
  if (characters > descriptionMax)
    fail("description_too_long", { param: "description", text: { count: countShown(counted, descriptionMax), max: descriptionMax } });
  const previewText = readShort(request.preview_text, previewMax, "preview_text");
  const { gender, age_group: age } = request;
  const facets = [...(gender == null ? [] : [`Gender: ${gender}.`]), ...(age == null ? [] : [`Age: ${age}.`])];
  return {
    description: facets.length === 0 ? description : `${description}\n${facets.join(" ")}`,
    previewText,
  };
}

/** Null where it is absent or blank. Fails with invalid_parameter. */
function readShort(given: string | null | undefined, max: number, param: string): string | null {
  const counted = countText((given ?? "").trim(), max);
  if (counted.characters > max) failParameter(param, `it has ${countShown(counted, max)} characters, at most ${max} are taken`);
  return counted.text === "" ? null : counted.text;
}
