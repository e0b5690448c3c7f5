// Which of its own forms MiniMax is asked for, so that it can be what was ordered: the form itself, or PCM to make it from.
import { type AudioFormat, audioFormats } from "../../sound/formats.ts";

export interface AskedAudio {
  /** `audio_setting` of a request. */
  setting: { format: "mp3" | "pcm"; sample_rate: number; bitrate?: number; channel?: 1 };
  /** Samples a second of PCM that is yet to be converted; null: it is what was ordered. */
  convertFrom: number | null;
}

const bitrates = new Set([32, 64, 128, 256]); // kbit/s
const speechRates = new Set([8_000, 16_000, 22_050, 24_000, 32_000, 44_100]);
const musicRates = new Set([16_000, 24_000, 32_000, 44_100]);

export function askedSpeech(format: AudioFormat): AskedAudio {
  const asked = askedAudio(format, speechRates);
  return { ...asked, setting: { ...asked.setting, channel: 1 } };
}

/** PCM of music has two channels where it says so, so that it is converted in any case. */
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
