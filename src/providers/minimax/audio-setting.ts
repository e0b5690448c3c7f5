// Chooses the format to ask MiniMax for: the wanted one, or PCM to convert from.
import { type AudioFormat, audioFormats } from "../../sound/formats.ts";

export interface AskedAudio {
  /** The request's `audio_setting`. */
  setting: { format: "mp3" | "pcm"; sample_rate: number; bitrate?: number; channel?: 1 };
  /** The sample rate of PCM that is still to be converted; null: the answer is already in the wanted format. */
  convertFrom: number | null;
}

const bitrates = new Set([32, 64, 128, 256]); // kbit/s
const speechRates = new Set([8_000, 16_000, 22_050, 24_000, 32_000, 44_100]);
const musicRates = new Set([16_000, 24_000, 32_000, 44_100]);

export function askedSpeech(format: AudioFormat): AskedAudio {
  const asked = askedAudio(format, speechRates);
  return { ...asked, setting: { ...asked.setting, channel: 1 } };
}

/** PCM of music may have two channels and is therefore always converted. */
export function askedMusic(format: AudioFormat): AskedAudio {
  const asked = askedAudio(format, musicRates);
  return asked.setting.format === "pcm" ? { ...asked, convertFrom: asked.setting.sample_rate } : asked;
}

function askedAudio(format: AudioFormat, rates: ReadonlySet<number>): AskedAudio {
  const { encoding, sampleRate, kbps } = audioFormats[format];
  const rate = rates.has(sampleRate) ? sampleRate : 44_100;
  if (encoding === "pcm" && rate === sampleRate) return { setting: { format: "pcm", sample_rate: rate }, convertFrom: null };
  const isNative = encoding === "mp3" && rate === sampleRate && bitrates.has(kbps!);
  if (isNative) return { setting: { format: "mp3", sample_rate: rate, bitrate: kbps! * 1_000 }, convertFrom: null };
  return { setting: { format: "pcm", sample_rate: rate }, convertFrom: rate };
}
