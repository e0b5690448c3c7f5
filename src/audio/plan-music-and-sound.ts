// What a request for music or a sound effect asks for and costs: music by the second asked for or by the song, a sound effect by the piece
// (docs/behaviour/audio.md).
import type { components } from "../../generated/api.d.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { audioPricesOf } from "../pricing/audio-cost.ts";
import type { MusicOrder, SoundOrder } from "../providers/verbs/audio.ts";
import { type AudioFormat, audioFormats, formatOf } from "../sound/formats.ts";
import { countShown, countText, isBlank } from "../text/counted-text.ts";
import { makerModel } from "./find-model.ts";
import type { MakePlan } from "./make-audio.ts";

// Sound effects. The shipped models are paused, the code is not.

type SoundBody = components["schemas"]["SoundEffectRequest"];

const soundPromptMax = 500;
const seconds = { min: 0.5, max: 22 };
const influenceDefault = 0.3;

/** Fails with missing_parameter, invalid_parameter, model_not_found, not_an_sfx_model, prompt_too_long or invalid_duration. */
export function planSound(
  { catalog, providers }: Pick<Context, "catalog" | "providers">,
  body: SoundBody,
  keep: boolean,
): MakePlan<SoundOrder> {
  const param = body.prompt == null && body.text != null ? "text" : "prompt";
  const given = body.prompt ?? body.text;
  if (given == null) fail("missing_parameter", { param, text: { param } });
  if (isBlank(given)) failParameter(param, "it is empty");
  const asked = makerModel(catalog, "sfx", body.model);
  const { model } = asked;
  const order: SoundOrder = {
    prompt: readPromptText(given, soundPromptMax, { param, model }),
    seconds: readLength(body.duration_seconds, model.id),
    influence: body.prompt_influence ?? influenceDefault,
    format: formatOf(body.response_format),
  };
  return { asked, charge: { prices: audioPricesOf(model), units: 1 }, order, adapters: providers.sounds, seconds: null, keep };
}

function readLength(asked: SoundBody["duration_seconds"], model: string): number | null {
  if (asked == null) return null;
  if (asked >= seconds.min && asked <= seconds.max) return asked;
  const param = "duration_seconds";
  return fail("invalid_duration", { param, text: { param, model, reason: `${seconds.min} to ${seconds.max} seconds` } });
}

// Music.

type MusicBody = components["schemas"]["MusicRequest"];

const musicPromptMax = 2000;
const lyricsMax = 600;
const lengthMs = { min: 1000, max: 300_000, default: 30_000 };

/** Fails with invalid_parameter, model_not_found, not_a_music_model, prompt_too_long or invalid_duration. */
export function planMusic(
  { catalog, providers }: Pick<Context, "catalog" | "providers">,
  body: MusicBody,
  keep: boolean,
): MakePlan<MusicOrder> {
  if (isBlank(body.prompt)) failParameter("prompt", "it is empty");
  const asked = makerModel(catalog, "music", body.model);
  const { model } = asked;
  const flat = model.pricing.mode !== "per-second";
  const format = formatOf(body.response_format);
  if (flat) assertMp3(model, format);
  const prompt = readPromptText(body.prompt, musicPromptMax, { param: "prompt", model });
  const lyrics = flat ? readLyrics(body.lyrics, model) : null;
  const seconds = flat ? null : readSeconds(body, model);
  const charge = { prices: audioPricesOf(model), units: seconds ?? 1 };
  return { asked, charge, order: { prompt, lyrics, seconds, format }, adapters: providers.music, seconds, keep };
}

/** This model's files have the provider's own format. */
function assertMp3({ id }: Model, format: AudioFormat): void {
  if (audioFormats[format].encoding === "mp3") return;
  failParameter("response_format", `${id} makes MP3 only`);
}

function readLyrics(lyrics: MusicBody["lyrics"], model: Model): string | null {
  if (lyrics == null || isBlank(lyrics)) return null;
  return readPromptText(lyrics, lyricsMax, { param: "lyrics", model });
}

function readSeconds({ music_length_ms: length, duration_ms: alias }: MusicBody, { id }: Model): number {
  const param = length == null && alias != null ? "duration_ms" : "music_length_ms";
  const ms = length ?? alias ?? lengthMs.default;
  if (!Number.isInteger(ms) || ms < lengthMs.min || ms > lengthMs.max)
    fail("invalid_duration", { param, text: { param, model: id, reason: `whole milliseconds, ${lengthMs.min} to ${lengthMs.max}` } });
  return ms / 1000;
}

// The prompts of music and sound effects. Each model bounds their length, so a refusal names the model and its bound.

/** After Unicode NFC normalisation. Fails with prompt_too_long. */
function readPromptText(given: string, max: number, { param, model }: { param: string; model: { id: string } }): string {
  const counted = countText(given, max);
  if (counted.characters > max) fail("prompt_too_long", { param, text: { count: countShown(counted, max), model: model.id, max, param } });
  return counted.text;
}
