// What a music request asks for and costs: by the second asked for, or by the song (docs/behaviour/audio.md#music).
import type { components } from "../../generated/api.d.ts";
import type { Model } from "../catalog/types.ts";
import type { Context } from "../context.ts";
import { isBlank } from "../text/counted-text.ts";
import { fail, failParameter } from "../errors/fail.ts";
import { audioPricesOf } from "../pricing/audio-cost.ts";
import type { MusicOrder } from "../providers/verbs/audio.ts";
import { audioFormats, type AudioFormat, formatOf } from "../sound/formats.ts";
import { admitMaker } from "./admit.ts";
import type { MakePlan } from "./make-audio.ts";
import { readPromptText } from "./prompt-text.ts";

type Body = components["schemas"]["MusicRequest"];

const promptMax = 2000;
const lyricsMax = 600;
const lengthMs = { min: 1000, max: 300_000, default: 30_000 };

/** Fails with invalid_parameter, model_not_found, not_a_music_model, prompt_too_long or invalid_duration. */
export function planMusic({ catalog, providers }: Pick<Context, "catalog" | "providers">, body: Body, keep: boolean): MakePlan<MusicOrder> {
  if (isBlank(body.prompt)) failParameter("prompt", "it is empty");
  const asked = admitMaker(catalog, "music", body.model);
  const { model } = asked;
  const flat = model.pricing.mode !== "per-second";
  const format = formatOf(body.response_format);
  if (flat) assertMp3(model, format);
  const prompt = readPromptText(body.prompt, promptMax, { param: "prompt", model });
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

function readLyrics(lyrics: Body["lyrics"], model: Model): string | null {
  if (lyrics == null || isBlank(lyrics)) return null;
  return readPromptText(lyrics, lyricsMax, { param: "lyrics", model });
}

function readSeconds({ music_length_ms: length, duration_ms: alias }: Body, { id }: Model): number {
  const param = length == null && alias != null ? "duration_ms" : "music_length_ms";
  const ms = length ?? alias ?? lengthMs.default;
  if (!Number.isInteger(ms) || ms < lengthMs.min || ms > lengthMs.max)
    fail("invalid_duration", { param, text: { param, model: id, reason: `whole milliseconds, ${lengthMs.min} to ${lengthMs.max}` } });
  return ms / 1000;
}
