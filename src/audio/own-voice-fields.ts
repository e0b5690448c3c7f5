// The texts of a voice that is to be made, judged and as they go on (gateway-api.md, voice-clone and voice-design): counted in characters
// after Unicode NFC normalisation, nothing in them that the database could not keep.
import type { components } from "../../generated/api.d.ts";
import { fail, failParameter } from "../fail.ts";

const nameMax = 64;
const descriptionMax = 1000;
const previewMax = 500;

/** Null: none was given, the voice is called as its id. Fails with invalid_parameter. */
export function readVoiceName(name: string | undefined): string | null {
  const normal = normalised(name ?? "").trim();
  if (normal === "") return null;
  if (/\p{Cc}/u.test(normal)) failParameter("name", "it holds control characters");
  assertLength(normal, nameMax, "name");
  return normal;
}

export interface VoiceDesign {
  /** With the gender and the age, where they were given. */
  description: string;
  /** Null: the provider's own. */
  previewText: string | null;
}

/** Fails with missing_parameter, description_too_long or invalid_parameter. */
export function readDesign(request: components["schemas"]["VoiceDesignRequest"]): VoiceDesign {
  const description = normalised(request.description ?? request.text ?? "").trim();
  if (description === "") fail("missing_parameter", { param: "description", text: { param: "description" } });
  const count = charactersOf(description);
  if (count > descriptionMax) fail("description_too_long", { param: "description", text: { count, max: descriptionMax } });
  const previewText = normalised(request.preview_text ?? "").trim();
  assertLength(previewText, previewMax, "preview_text");
  const { gender, age_group: age } = request;
  const facets = [...(gender === undefined ? [] : [`Gender: ${gender}.`]), ...(age === undefined ? [] : [`Age: ${age}.`])];
  return {
    description: facets.length === 0 ? description : `${description}\n${facets.join(" ")}`,
    previewText: previewText === "" ? null : previewText,
  };
}

/** Half of a pair is no character at all: it stands for what an encoder could not read. */
function normalised(text: string): string {
  return text.toWellFormed().normalize("NFC");
}

function assertLength(text: string, max: number, param: string): void {
  const count = charactersOf(text);
  if (count > max) failParameter(param, `it has ${count} characters, at most ${max} are taken`);
}

function charactersOf(text: string): number {
  let count = 0;
  for (const character of text) if (character !== "") count += 1;
  return count;
}
