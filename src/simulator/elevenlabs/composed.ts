// POST /v1/music and /v1/sound-generation: audio that follows from a prompt, of the length that was asked for.
import { readSteering } from "../header-knobs.ts";
import type { Ask, Plan } from "../protocol.ts";
import { isFields } from "../request-fields.ts";
import { madeUpId } from "../seed.ts";
import { secondsOfSong } from "../sound/make-sound.ts";
import { planAudio } from "./audio-plan.ts";
import { readBodyFields, readNumber, readText, refuseField, rewordForPrompts } from "./errors.ts";
import { readOutputFormat } from "./output-format.ts";
import { readModelName } from "./text-to-speech.ts";

const promptMax = 4100;
/** Lower than the real one: a gateway may sell less. */
const musicMsMin = 1000;
const musicMsMax = 600_000;
const soundSecondsMin = 0.5;
const soundSecondsMax = 30;
/** Of a sound whose length nobody asked for. */
const soundSecondsUsual = 3;

export async function planMusic({ body, query, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "music", readModelName(fields, "music_v1"));
  const plan = fields["composition_plan"] ?? null;
  if (plan !== null && !isFields(plan)) refuseField("composition_plan", "Input should be a valid object.");
  const prompt = plan === null ? readText(fields, "prompt") : JSON.stringify(plan);
  if (prompt.length > promptMax) refuseField("prompt", `String should have at most ${promptMax} characters.`);
  const asked = readNumber(fields, "music_length_ms", musicMsMin, musicMsMax);
  if (asked !== null && !Number.isInteger(asked)) refuseField("music_length_ms", "Input should be a valid integer.");
  const seconds = asked === null ? secondsOfSong(prompt) : asked / 1000;
  const seed = `${steered.name}:${prompt}`;
  return planAudio(steered, {
    format: readOutputFormat(query),
    seconds,
    seed,
    headers: { "song-id": madeUpId("song_", seed) },
    rewordRefusal: rewordForPrompts,
  });
}

export async function planSoundEffect({ body, query, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "sound-generation", readModelName(fields, "eleven_text_to_sound_v2"));
  const text = readText(fields, "text");
  readNumber(fields, "prompt_influence", 0, 1);
  const seconds = readNumber(fields, "duration_seconds", soundSecondsMin, soundSecondsMax) ?? soundSecondsUsual;
  const seed = `${steered.name}:${text}`;
  return planAudio(steered, { format: readOutputFormat(query), seconds, seed, headers: {}, rewordRefusal: rewordForPrompts });
}
