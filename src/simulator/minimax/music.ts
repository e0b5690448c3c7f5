// POST /v1/music_generation: a song of a prompt and its lyrics, in hex.
import { readSteering } from "../header-knobs.ts";
import type { Ask, Plan } from "../protocol.ts";
import { makeSound, secondsOfSong } from "../sound/make-sound.ts";
import { describeMusic, readAudioSetting } from "./audio-setting.ts";
import { planJson, readBodyFields, readText, refuseParameter, traceOf } from "./errors.ts";

const promptMax = 2000;
const lyricsMax = 3500;

export async function planMusic({ body, headers }: Ask): Promise<Plan> {
  const fields = readBodyFields(body);
  const steered = readSteering(headers, "music_generation", readText(fields, "model", 200));
  const has = (field: string) => (fields[field] ?? "") !== "";
  if (!has("prompt") && !has("lyrics")) refuseParameter("prompt or lyrics is required");
  const prompt = has("prompt") ? readText(fields, "prompt", promptMax) : "";
  const lyrics = has("lyrics") ? readText(fields, "lyrics", lyricsMax) : "";
  if (fields["stream"] === true) refuseParameter("the simulator doesn't stream music");
  const format = readAudioSetting(fields);
  const seed = `${steered.name}:${prompt}:${lyrics}`;
  const sound = await makeSound(format, steered.knobs.seconds ?? secondsOfSong(prompt, lyrics), seed);
  const data = { audio: steered.knobs.noAudio ? "" : sound.bytes.toString("hex"), status: 2 };
  return planJson(steered, { data, ...traceOf(seed), extra_info: describeMusic(sound, format) });
}
