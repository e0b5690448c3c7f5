// What MiniMax makes of a request's `audio_setting`, and what it tells of the audio that came of it.
import { isFields, type Fields } from "../request-fields.ts";
import type { Sound, SoundFormat } from "../sound/make-sound.ts";
import { refuseParameter } from "./errors.ts";

const rates = [8000, 16_000, 22_050, 24_000, 32_000, 44_100];
const bitrates = [32_000, 64_000, 128_000, 256_000];
const encodings = ["mp3", "pcm", "wav"] as const;

export function readAudioSetting(fields: Fields): SoundFormat {
  const { audio_setting: setting = {}, output_format: shape = "hex" } = fields;
  if (!isFields(setting)) refuseParameter("audio_setting is no object");
  if (shape !== "hex") refuseParameter("the simulator answers with output_format hex only");
  const { sample_rate: sampleRate = 32_000, bitrate = 128_000, format = "mp3", channel = 1 } = setting;
  if (!rates.includes(sampleRate as number)) refuseParameter(`sample_rate is none of ${rates.join(", ")}`);
  if (!bitrates.includes(bitrate as number)) refuseParameter(`bitrate is none of ${bitrates.join(", ")}`);
  const encoding = encodings.find((one) => one === format);
  if (encoding === undefined) refuseParameter(`the simulator makes ${encodings.join(", ")}`);
  if (channel !== 1) refuseParameter("the simulator makes one channel");
  return { encoding, sampleRate: sampleRate as number, kbps: (bitrate as number) / 1000 };
}

/** `extra_info` of speech. */
export function describeSpeech({ bytes, seconds, kbps }: Sound, { encoding, sampleRate }: SoundFormat, text: string): Fields {
  return {
    audio_length: Math.round(seconds * 1000),
    audio_sample_rate: sampleRate,
    audio_size: bytes.length,
    bitrate: kbps * 1000,
    audio_format: encoding,
    audio_channel: 1,
    word_count: text.trim().split(/\s+/).length,
    invisible_character_ratio: 0,
    // A rule of its own: what isn't ASCII counts twice.
    usage_characters: [...text].reduce((sum, character) => sum + (character > "\x7f" ? 2 : 1), 0),
  };
}

/** `extra_info` of music. */
export function describeMusic({ bytes, seconds, kbps }: Sound, { sampleRate }: SoundFormat): Fields {
  return {
    music_duration: Math.round(seconds * 1000),
    music_sample_rate: sampleRate,
    music_channel: 1,
    bitrate: kbps * 1000,
    music_size: bytes.length,
  };
}
