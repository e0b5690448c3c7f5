// POST /v1/text-to-speech/{voice_id}, whole or as a stream: a text in a voice that exists.
import { readSteering } from "../header-knobs.ts";
import type { Ask, Plan } from "../protocol.ts";
import { isFields, type Fields } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";
import { secondsOfSpeech } from "../sound/make-sound.ts";
import { planAudio } from "./audio-plan.ts";
import { readBodyFields, readNumber, readText, refuseField, refuseWith } from "./errors.ts";
import { readOutputFormat } from "./output-format.ts";
import { findVoice } from "./voices.ts";

const charactersMax = 10_000;
const modelUsual = "eleven_multilingual_v2";

export async function planTextToSpeech(voice: string, { body, query, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "text-to-speech", readModelName(fields, modelUsual));
  const text = readText(fields, "text");
  const format = readOutputFormat(query);
  const speed = checkSettings(fields);
  const characters = [...text].length;
  if (characters > charactersMax) {
    refuseWith(400, "max_character_limit_exceeded", `This request's text has ${characters} characters; the limit is ${charactersMax}.`);
  }
  if (findVoice(voice) === undefined) refuseWith(404, "voice_not_found", `A voice with voice_id ${voice} was not found.`);
  const seed = `${steered.name}:${voice}:${text}`;
  const told = { "character-cost": String(characters), "history-item-id": madeUpId("", `history ${seed}`) };
  return planAudio(steered, { format, seconds: secondsOfSpeech(text) / speed, seed, headers: told });
}

export function readModelName({ model_id: model = null }: Fields, usual: string): string {
  if (model !== null && (typeof model !== "string" || model === "")) refuseField("model_id", "Input should be a valid string.");
  return model ?? usual;
}

/** Returns the speed. */
function checkSettings({ voice_settings: settings = null }: Fields): number {
  if (settings === null) return 1;
  if (!isFields(settings)) refuseField("voice_settings", "Input should be a valid object.");
  for (const name of ["stability", "similarity_boost", "style"]) readNumber(settings, name, 0, 1);
  const boost = settings["use_speaker_boost"] ?? true;
  if (typeof boost !== "boolean") refuseField("use_speaker_boost", "Input should be true or false.");
  return readNumber(settings, "speed", 0.7, 1.2) ?? 1;
}
